// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/compiled_programs.h"

#include <atomic>
#include <cstdlib>
#include <set>
#include <utility>

#include "chainer/backend/cuda/kernel_cache.h"
#include "chainer/backend/cuda/program_source.h"
#include "chainer/core/error.h"
#include "chainer/core/system/fork.h"
#include "chainer/core/system/main_thread.h"

namespace chainer::cuda {
namespace {

constexpr int kRuns = 3;  // runs before a program is compiled
constexpr std::size_t kMostPrograms = 4096;

void warn_of(const std::exception& e) {
  warn(text("an elementwise program is interpreted, since it could not be compiled: ", e.what()));
}

}  // namespace

// Compiling threads must not outlive static objects of the compiler's library, and backends are never destroyed.
// exit() first destroys the objects of its thread, and then runs handlers, the newest first; the compiler registers its
// own when it first compiles. So compilations end with each thread that has asked for some: for good with the main
// thread, which ends with the process. Handlers are for processes that another thread ends.
struct CompiledPrograms::Running {
  std::mutex mutex;
  std::set<CompiledPrograms*> all;
  std::atomic<bool> registered{false};
  std::atomic<bool> in_child{false};  // true in a child of fork(), which has none of these threads
  static Running& instance() {
    static auto* made = [] {
      auto* running = new Running;
      at_fork({kForkLeaf, [] {}, [] {}, [running] { running->in_child = true; }});
      std::atexit([] { instance().end(true); });
      return running;
    }();
    return *made;
  }
  // The compiler's handlers are registered now. Newer ones end compilations before those run, whatever thread exits.
  void compiled() {
    if (!registered.exchange(true)) std::atexit([] { instance().end(true); });
  }
  void end(bool for_good) {
    std::set<CompiledPrograms*> now;
    {
      const std::lock_guard lock(mutex);
      now = all;
    }
    for (CompiledPrograms* p : now) p->end(for_good);
  }
};

// An object of each thread that asks for kernels.
struct CompiledPrograms::Asker {
  ~Asker() {
    if (!Running::instance().in_child) Running::instance().end(is_main_thread());
  }
};

CompiledPrograms::~CompiledPrograms() {
  if (Running::instance().in_child) {
    if (thread_.joinable()) thread_.detach();
    return;
  }
  {
    const std::lock_guard lock(Running::instance().mutex);
    Running::instance().all.erase(this);
  }
  end(true);
}

void CompiledPrograms::begin() {
  thread_ = std::thread([this] { work(); });
  const std::lock_guard lock(Running::instance().mutex);
  Running::instance().all.insert(this);
}
void CompiledPrograms::end(bool for_good) {
  std::unique_lock lock(mutex_);
  ended_ = ended_ || for_good;
  changed_.wait(lock, [this] { return !ending_; });  // another thread is here
  if (!thread_.joinable()) return;
  ending_ = true;
  std::thread ends = std::exchange(thread_, {});
  changed_.notify_all();
  lock.unlock();
  ends.join();
  lock.lock();
  ending_ = false;
  changed_.notify_all();
}

std::string_view CompiledPrograms::kernel_for(int device, const ProgramArgs& a) {
  std::unique_lock lock(mutex_);
  while (compilers_.size() <= static_cast<std::size_t>(device))
    compilers_.push_back(driver_.compiler(static_cast<int>(compilers_.size())));
  if (compilers_[static_cast<std::size_t>(device)].empty() || ending_ || ended_) return kInterpreter;
  thread_local const Asker asker;
  if (!waiting_.empty() && !thread_.joinable()) begin();  // after the end of a thread
  signature_.clear();
  add_signature(a, signature_);
  const std::size_t length = signature_.size();
  signature_ += static_cast<char>(device);
  auto it = programs_.find(signature_);
  if (it == programs_.end()) {
    if (programs_.size() >= kMostPrograms) return kInterpreter;
    it = programs_.emplace(signature_, Program{}).first;
    it->second.device = device;
  }
  Program& p = it->second;
  if (p.state == State::launched) return p.kernel;
  if (p.state == State::interpreted && ++p.runs == kRuns) {
    p.kernel = "program_" + digest_text(std::string_view(signature_).substr(0, length));
    p.source = program_source(a, p.kernel);
    p.state = State::waiting;
    waiting_.push_back(&p);
    if (!thread_.joinable()) begin();
    changed_.notify_all();
  }
  if (p.state != State::compiled) return kInterpreter;
  const std::string image = std::exchange(p.image, {});
  p.state = State::interpreted;  // permanently, unless the device accepts it below
  try {
    driver_.add_kernel(device, p.kernel, image);
  } catch (const DeviceLost&) { throw; } catch (const DeviceError& e) {
    ++counts_.failed;
    warn_of(e);
    return kInterpreter;
  }
  p.state = State::launched;
  return p.kernel;
}

void CompiledPrograms::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (ending_) return;
    Program& p = *waiting_.front();
    waiting_.pop_front();
    busy_ = true;
    const std::string key = compilers_[static_cast<std::size_t>(p.device)] + "\n" + p.source;
    const std::string source = std::exchange(p.source, {});
    const int device = p.device;
    lock.unlock();
    bool was_kept = true;
    std::string image;
    try {
      std::optional<std::string> kept = read_kept_kernel(key);
      was_kept = kept.has_value();
      image = kept ? std::move(*kept) : driver_.compile(device, source);
      if (!was_kept && !image.empty()) keep_kernel(key, image);
    } catch (const std::exception& e) {
      warn_of(e);
      image.clear();
    }
    Running::instance().compiled();
    lock.lock();
    busy_ = false;
    p.state = image.empty() ? State::interpreted : State::compiled;
    p.image = std::move(image);
    ++(p.state == State::interpreted ? counts_.failed : was_kept ? counts_.read : counts_.compiled);
    changed_.notify_all();
  }
}

void CompiledPrograms::wait() {
  std::unique_lock lock(mutex_);
  while (!ended_ && (busy_ || !waiting_.empty())) {
    if (!ending_ && !thread_.joinable()) begin();
    changed_.wait(lock);
  }
}
bool CompiledPrograms::pending() {
  const std::lock_guard lock(mutex_);
  return !ended_ && (busy_ || !waiting_.empty());
}
CompiledPrograms::Counts CompiledPrograms::counts() {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace chainer::cuda
