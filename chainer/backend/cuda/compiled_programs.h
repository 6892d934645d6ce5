// Kernels of their own for programs that run often.
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

/// From its third run on a program is compiled, by a thread of its own, where the driver has a compiler; until that has
/// happened, and where it cannot be, the kernel `program` interprets it. Both have the same bits. What was compiled is
/// kept in the folder that CHAINER_KERNEL_CACHE names (~/.chainer/kernels; nowhere where it is empty), by source,
/// compiler and device: the next process finds it. A file that is not whole, or not of this source, is as none.
class CompiledPrograms {
 public:
  struct Counts {
    int64_t compiled = 0, read = 0, failed = 0;  ///< read: from the folder
  };
  static constexpr std::string_view kInterpreter = "program";
  explicit CompiledPrograms(Driver& driver) : driver_(driver) {}
  ~CompiledPrograms();
  /// The kernel to launch on a device, for which the caller holds its lock. The name stays.
  std::string_view kernel_for(int device, const ProgramArgs& a);
  /// Until nothing waits to be compiled.
  void wait();
  Counts counts();

 private:
  enum class State { interpreted, waiting, compiled, launched };
  struct Program {
    int device = 0, runs = 0;
    State state = State::interpreted;
    std::string kernel, source, image;
  };
  struct Running;
  void begin();
  void end();
  void work();

  Driver& driver_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> compilers_;  // of the devices that asked
  std::unordered_map<std::string, Program> programs_;
  std::string signature_;
  std::deque<Program*> waiting_;
  Counts counts_;
  std::thread thread_;
  bool busy_ = false, ending_ = false;
};

}  // namespace chainer::cuda
