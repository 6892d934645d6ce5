// Threads that compute with one model each, on a share of the cores.
#pragma once
#include <functional>
#include <memory>

namespace chainer::training::updaters {

/// n workers: the calling thread is the first, the others are threads that live as long as this object. Work runs under
/// the caller's configuration, with the caller's number of threads divided by n.
class ModelThreads {
 public:
  /// RuntimeError if the system has not enough threads.
  explicit ModelThreads(int n);
  ModelThreads(ModelThreads&&) noexcept;
  ~ModelThreads();
  /// Calls work(i) for every i in [0, n) at the same time, and waits; the exception of the lowest i reaches the caller.
  void run(const std::function<void(int)>& work);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace chainer::training::updaters
