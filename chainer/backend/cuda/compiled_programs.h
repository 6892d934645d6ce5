// SPDX-License-Identifier: MIT
// Compilation of kernels for programs that run often.
#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "chainer/backend/cuda/driver.h"

namespace chainer::cuda {

struct ProgramArgs;

/// From its third run on, a program is compiled by a separate thread, if the driver has a compiler. Until the
/// compilation has finished, or if it fails, the kernel `program` interprets the program, with equal results. Images
/// are stored in the folder named by CHAINER_KERNEL_CACHE (by default ~/.chainer/kernels; none if empty), keyed by
/// source, compiler and device, for later processes. Damaged files and files of other sources are ignored.
class CompiledPrograms {
 public:
  struct Counts {
    int64_t compiled = 0, read = 0, failed = 0;  ///< read: from the folder
  };
  static constexpr std::string_view kInterpreter = "program";
  explicit CompiledPrograms(Driver& driver) : driver_(driver) {}
  ~CompiledPrograms();
  /// Returns the kernel to launch on a device, whose lock the caller holds. The name remains valid.
  std::string_view kernel_for(int device, const ProgramArgs& a);
  /// Waits until no compilation is pending.
  void wait();
  Counts counts();
  /// Returns true if a compilation has not ended.
  bool pending();

 private:
  enum class State { interpreted, waiting, compiled, launched };
  struct Program {
    int device = 0, runs = 0;
    State state = State::interpreted;
    std::string kernel, source, image;
  };
  struct Running;
  struct Asker;
  void begin();
  /// Waits for the compilation that runs, and ends the thread; begin() starts another one, unless it is for good.
  void end(bool for_good);
  void work();

  Driver& driver_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> compilers_;  // of the devices used so far
  std::unordered_map<std::string, Program> programs_;
  std::string signature_;
  std::deque<Program*> waiting_;
  Counts counts_;
  std::thread thread_;
  bool busy_ = false, ending_ = false, ended_ = false;
};

}  // namespace chainer::cuda
