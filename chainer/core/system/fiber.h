// SPDX-License-Identifier: MIT
// Fibers: execution contexts that take turns on one thread, each with its own stack.
#pragma once
#include <cstddef>

namespace chainer {

class Fiber {
 public:
  /// The thread's own context.
  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  /// Creates a context that starts in body(argument), which must never return. `number` staggers the first address, so
  /// that many stacks do not compete for the same cache lines. Throws std::bad_alloc.
  void start(void (*body)(void*), void* argument, int number);
  /// Switches from `from` to `to`; returns when another context switches back to `from`.
  static void change(Fiber& from, Fiber& to);
  /// Must be called first by a body.
  static void arrived();

 private:
  static constexpr std::size_t kStack = 128 << 10;
  static void tell_of_change(Fiber& from, Fiber& to);
  static void tell_of_arrival(void* known);
  void take_stack();

  char *stack_ = nullptr, *bottom_ = nullptr;
  void* position_ = nullptr;  // the stack pointer, or a context of the C library
  void* known_ = nullptr;     // the address sanitizer's handle of this stack
  std::size_t size_ = 0;
};

}  // namespace chainer
