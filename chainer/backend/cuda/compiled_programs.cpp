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

namespace chainer::cuda {
namespace {

constexpr int kRuns = 3;  // runs before a program is compiled
constexpr std::size_t kMostPrograms = 4096;

void warn_of(const std::exception& e) {
  warn(text("an elementwise program is interpreted, since it could not be compiled: ", e.what()));
}

}  // namespace

// Compiling threads must not outlive static objects of the compiler's library, and backends are never destroyed: the
// exit of the process ends these threads. This is registered when the library is open, so it runs before the library's
// own cleanup.
struct CompiledPrograms::Running {
  std::mutex mutex;
  std::set<CompiledPrograms*> all;
  std::atomic<bool> in_child{false};  // true in a child of fork(), which has none of these threads
  static Running& instance() {
    static auto* made = [] {
      auto* running = new Running;
      at_fork({kForkLeaf, [] {}, [] {}, [running] { running->in_child = true; }});
      std::atexit([] {
        for (CompiledPrograms* p : std::exchange(instance().all, {})) p->end();
      });
      return running;
    }();
    return *made;
  }
};

CompiledPrograms::~CompiledPrograms() {
  if (!thread_.joinable()) return;
  if (!Running::instance().in_child) {
    const std::lock_guard lock(Running::instance().mutex);
    Running::instance().all.erase(this);
  }
  end();
}

void CompiledPrograms::begin() {
  thread_ = std::thread([this] { work(); });
  const std::lock_guard lock(Running::instance().mutex);
  Running::instance().all.insert(this);
}
void CompiledPrograms::end() {
  if (Running::instance().in_child) return thread_.detach();
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::string_view CompiledPrograms::kernel_for(int device, const ProgramArgs& a) {
  std::unique_lock lock(mutex_);
  while (compilers_.size() <= static_cast<std::size_t>(device))
    compilers_.push_back(driver_.compiler(static_cast<int>(compilers_.size())));
  if (compilers_[static_cast<std::size_t>(device)].empty() || ending_) return kInterpreter;
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
  changed_.wait(lock, [this] { return ending_ || (waiting_.empty() && !busy_); });
}
CompiledPrograms::Counts CompiledPrograms::counts() {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace chainer::cuda
