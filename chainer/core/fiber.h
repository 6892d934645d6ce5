// Contexts that take turns on one thread: a stack and where its code stands.
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
  /// A new context that begins in body(argument), which never returns. `number` staggers the first address, so that
  /// many stacks do not take the same lines of a cache. Throws std::bad_alloc.
  void start(void (*body)(void*), void* argument, int number);
  /// Goes on in `to`, and comes back when somebody changes to `from`.
  static void change(Fiber& from, Fiber& to);
  /// A body calls this first of all.
  static void arrived();

 private:
  static constexpr std::size_t kStack = 128 << 10;
  static void tell_of_change(Fiber& from, Fiber& to);
  static void tell_of_arrival(void* known);
  void take_stack();

  char *stack_ = nullptr, *bottom_ = nullptr;
  void* position_ = nullptr;  // the stack pointer, or a context of the C library
  void* known_ = nullptr;     // what the address sanitizer knows of this stack
  std::size_t size_ = 0;
};

}  // namespace chainer
