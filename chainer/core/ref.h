// SPDX-License-Identifier: MIT
// Intrusive reference counting: handles of one pointer, the count inside the object, objects from the small-object
// pool.
#pragma once
#include <atomic>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "chainer/core/pool.h"

namespace chainer {

/// The reference count of an object that Ref points to. Starts at one, for the Ref that adopts the new object.
class RefCount {
 public:
  RefCount() = default;
  RefCount(const RefCount&) {}
  RefCount& operator=(const RefCount&) { return *this; }
  void increment() const { count_.fetch_add(1, std::memory_order_relaxed); }
  /// Returns true if this was the last reference. The last owner pays a load instead of a locked instruction.
  bool decrement() const {
    if (count_.load(std::memory_order_acquire) == 1) return true;
    return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  /// Drops a reference unless it is the last one; returns false in that case.
  bool decrement_unless_last() const {
    uint32_t n = count_.load(std::memory_order_relaxed);
    while (n > 1)
      if (count_.compare_exchange_weak(n, n - 1, std::memory_order_release, std::memory_order_relaxed)) return true;
    return false;
  }
  uint32_t value() const { return count_.load(std::memory_order_relaxed); }

 private:
  mutable std::atomic<uint32_t> count_{1};
};

/// A reference-counted pointer. T has a member `RefCount refs` and a static function `void destroy(T*)`. A static
/// function `bool drop_reference(T*)` may replace the decrement; it returns true when the last reference is dropped.
///
/// Functions on the hot path are always inlined here and in SmallVector, because the compiler's inlining budget depends
/// on the size of the translation unit.
template <class T>
class Ref {
 public:
  struct Adopt {};
  constexpr Ref() = default;
  constexpr Ref(std::nullptr_t) {}
  explicit Ref(T* p) : p_(p) {
    if (p_) p_->refs.increment();
  }
  Ref(T* p, Adopt) : p_(p) {}
  Ref(const Ref& o) : Ref(o.p_) {}
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  template <class U>
  requires(std::is_convertible_v<U*, T*> && !std::is_same_v<U, T>) Ref(Ref<U> o) : p_(o.release()) {}
  [[gnu::always_inline]] ~Ref() { reset(); }
  Ref& operator=(const Ref& o) {
    Ref(o).swap(*this);
    return *this;
  }
  Ref& operator=(Ref&& o) noexcept {
    Ref(std::move(o)).swap(*this);
    return *this;
  }
  [[gnu::always_inline]] void reset() {
    if (T* p = std::exchange(p_, nullptr); p && drop(p)) T::destroy(p);
  }
  void swap(Ref& o) noexcept { std::swap(p_, o.p_); }
  [[nodiscard]] T* release() { return std::exchange(p_, nullptr); }
  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.p_ == b.p_; }

 private:
  [[gnu::always_inline]] static bool drop(T* p) {
    if constexpr (requires { T::drop_reference(p); })
      return T::drop_reference(p);
    else
      return p->refs.decrement();
  }
  T* p_ = nullptr;
};

/// Allocates a T in the small-object pool; T::destroy must release sizeof(T) bytes to the pool.
template <class T, class... A>
Ref<T> make_ref(A&&... args) {
  return Ref<T>(new (pool::allocate(sizeof(T))) T(std::forward<A>(args)...), typename Ref<T>::Adopt{});
}

}  // namespace chainer
