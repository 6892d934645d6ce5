// What fork() needs: a child has the forking thread only, so no lock may be held by another at that moment.
#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <new>

namespace chainer {

/// Steps around fork(). `before` runs in the order of ranks, the lowest first, as locks nest; the others after it.
/// `child` runs in the child, where locks that `before` took are made anew.
struct ForkSteps {
  int rank;
  std::function<void()> before, parent, child;
};
/// The ranks of this library's locks, outermost first: whoever holds one takes only those behind it.
enum ForkRank {
  kForkRandom,      ///< generators
  kForkPrimitives,  ///< oneDNN's primitives, made behind their cache's lock
  kForkOpening,     ///< objects of FirstUse
  kForkThreads,     ///< threads of this library and of others
  kForkWaiting,     ///< deferred evaluation
  kForkForms,       ///< array/derived.h
  kForkMemory,
  kForkPool,
  kForkLeaf  ///< locks behind which no other is taken
};
/// May be called while other threads fork, and while locks are held.
void at_fork(ForkSteps steps);

/// A lock that is never destroyed, and that fork() waits for. A lock of this library that outlives a call is one, or is
/// taken in steps of its own.
template <class Mutex>
class ForkSafe : public Mutex {
 public:
  explicit ForkSafe(int rank) {
    at_fork({rank, [this] { this->lock(); }, [this] { this->unlock(); },
             [this] { new (static_cast<Mutex*>(this)) Mutex; }});
  }
};

/// A value made at its first use, behind a lock that fork() waits for: it does not wait for the guard of a static
/// object, which would stay closed in the child. For what takes a while, as opening a library; to be of static storage.
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
