// SPDX-License-Identifier: MIT
#include "chainer/training/updaters/model_threads.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "chainer/autograd/config.h"
#include "chainer/core/error.h"
#include "chainer/core/parallel.h"
#include "chainer/core/thread_share.h"
#include "chainer/core/timeline.h"

namespace chainer::training::updaters {

struct ModelThreads::State {
  int n;
  std::mutex mutex;
  std::condition_variable wake, done;
  const std::function<void(int)>* work = nullptr;
  const Config* config = nullptr;
  int64_t round = 0;
  int left = 0, share = 1;
  bool stop = false;
  std::vector<std::exception_ptr> errors;
  std::vector<std::thread> threads;

  ~State() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    wake.notify_all();
    for (auto& t : threads) t.join();
  }
  // Each thread, also the caller's, has a configuration of its own that follows the caller's: scopes in which one model
  // computes do not change another model's configuration.
  void compute(int i) {
    Config mine(*config);
    Config* const outer = std::exchange(detail::thread_config, &mine);
    compute_with_own_config(i);
    detail::thread_config = outer;
  }
  void compute_with_own_config(int i) {
    const timeline::Stretch stretch("copy of the model", "update");
    const cpu::ThreadShare limited(share);
    if (config->flush_denormals) cpu::flush_denormals(true);
    try {
      (*work)(i);
    } catch (...) { errors[static_cast<std::size_t>(i)] = std::current_exception(); }
  }
  void loop(int i) {
    for (int64_t seen = 0;;) {
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return stop || round != seen; });
        if (stop) return;
        seen = round;
      }
      compute(i);
      const std::lock_guard lock(mutex);
      if (--left == 0) done.notify_one();
    }
  }
};

ModelThreads::ModelThreads(int n) : state_(std::make_unique<State>()) {
  state_->n = n;
  for (int i = 1; i < n; ++i) {
    try {
      state_->threads.emplace_back([s = state_.get(), i] { s->loop(i); });
    } catch (const std::system_error& e) {  // the destructor of State ends the threads that were started
      throw RuntimeError("cannot start ", n - 1, " threads for ", n, " models; started ", i - 1, ": ", e.what());
    }
  }
}
ModelThreads::ModelThreads(ModelThreads&&) noexcept = default;
ModelThreads::~ModelThreads() = default;

void ModelThreads::run(const std::function<void(int)>& work) {
  State& s = *state_;
  {
    const std::lock_guard lock(s.mutex);
    s.work = &work;
    s.config = &config();
    s.share = std::max(1, cpu::thread_count() / s.n);
    s.errors.assign(static_cast<std::size_t>(s.n), nullptr);
    s.left = s.n - 1;
    ++s.round;
  }
  s.wake.notify_all();
  s.compute(0);
  std::unique_lock lock(s.mutex);
  s.done.wait(lock, [&] { return s.left == 0; });
  for (const auto& e : s.errors)
    if (e) std::rethrow_exception(e);
}

}  // namespace chainer::training::updaters
