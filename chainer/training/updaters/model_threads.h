// SPDX-License-Identifier: MIT
// Threads that each compute with one model, on a share of the cores.
#pragma once
#include <functional>
#include <memory>

namespace chainer::training::updaters {

/// n workers: the calling thread is the first, the others are threads with the lifetime of this object. Work runs with
/// the configuration of the caller and the number of threads of the caller divided by n.
class ModelThreads {
 public:
  /// Throws RuntimeError if the system cannot create the threads.
  explicit ModelThreads(int n);
  ModelThreads(ModelThreads&&) noexcept;
  ~ModelThreads();
  /// Calls work(i) for every i in [0, n) in parallel and waits for all. Rethrows the exception of the lowest i.
  void run(const std::function<void(int)>& work);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace chainer::training::updaters
