// SPDX-License-Identifier: MIT
// Fibers by the C library's contexts, for any processor; much slower than fiber_x86.cpp.
#include <ucontext.h>

#include <new>

#include "chainer/core/system/fiber.h"

namespace chainer {

void Fiber::start(void (*body)(void*), void* argument, int number) {
  take_stack();
  char *top = stack_ + kStack - number % 48 * 320, *lowest = stack_ + 8192;  // the context lies above the guard page
  auto* c = new (stack_ + 4096) ucontext_t;
  ::getcontext(c);
  c->uc_stack.ss_sp = lowest;
  c->uc_stack.ss_size = static_cast<std::size_t>(top - lowest);
  c->uc_link = nullptr;
  ::makecontext(c, reinterpret_cast<void (*)()>(body), 1, argument);
  position_ = c;
}

void Fiber::change(Fiber& from, Fiber& to) {
  static thread_local ucontext_t own;
  if (!from.stack_) from.position_ = &own;
  tell_of_change(from, to);
  ::swapcontext(static_cast<ucontext_t*>(from.position_), static_cast<ucontext_t*>(to.position_));
  tell_of_arrival(from.known_);
}

}  // namespace chainer
