// SPDX-License-Identifier: MIT
// Support for fork(): the child has only the forking thread, so no other thread may hold a lock at that moment.
#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <new>

namespace chainer {

/// Handlers of fork(). `before` runs in ascending order of ranks, in which locks nest; `parent` and `child` run in
/// descending order. `child` runs in the child process and recreates the locks that `before` took.
struct ForkSteps {
  int rank;
  std::function<void()> before, parent, child;
};
/// The ranks of this library's locks, outermost first: a thread that holds a lock takes only locks of higher ranks.
enum ForkRank {
  kForkRandom,      ///< random generators
  kForkPrimitives,  ///< oneDNN's primitives, created under the lock of their cache
  kForkOpening,     ///< FirstUse objects
  kForkThreads,     ///< threads of this library and of others
  kForkWaiting,     ///< deferred evaluation
  kForkForms,       ///< array/derived.h
  kForkMemory,
  kForkPool,
  kForkLeaf  ///< locks under which no other lock is taken
};
/// Registers handlers. May be called while other threads fork, and while locks are held.
void at_fork(ForkSteps steps);

/// A lock that is never destroyed and that fork() acquires. Every lock of this library that is held across calls is
/// either one of these or is taken in handlers of its own.
template <class Mutex>
class ForkSafe : public Mutex {
 public:
  explicit ForkSafe(int rank) {
    at_fork({rank, [this] { this->lock(); }, [this] { this->unlock(); },
             [this] { new (static_cast<Mutex*>(this)) Mutex; }});
  }
};

/// A value made at its first use, under a lock that fork() acquires. (The guard of a function-local static is not
/// acquired by fork() and could stay locked in the child.) For slow initializations such as opening a library. Must
/// have static storage duration.
template <class T>
class FirstUse {
 public:
  template <class Make>
  T get(Make&& make) {
    if (!made_.load(std::memory_order_acquire)) [[unlikely]] {
      const std::lock_guard lock(mutex());
      if (!made_.load(std::memory_order_relaxed)) {
        value_ = make();
        made_.store(true, std::memory_order_release);
      }
    }
    return value_;
  }

 private:
  static std::recursive_mutex& mutex() {
    static auto* only = new ForkSafe<std::recursive_mutex>(kForkOpening);
    return *only;
  }
  std::atomic<bool> made_{false};
  T value_{};
};

}  // namespace chainer
