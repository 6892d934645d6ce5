// SPDX-License-Identifier: MIT
// Stacks of fibers, and notifications of the address sanitizer. Switching between fibers is in fiber_x86.cpp and
// fiber_ucontext.cpp.
#include "chainer/core/system/fiber.h"

#include <new>

#include "chainer/core/system/pages.h"
#include "chainer/core/system/poison.h"

#if defined(CHAINER_ADDRESS_SANITIZER)
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace chainer {

Fiber::~Fiber() {
  if (!stack_) return;
  unpoison(stack_, kStack);  // frames of a body that did not finish
  pages::unmap(stack_, kStack);
}

void Fiber::take_stack() {
  if (stack_) return;
  stack_ = static_cast<char*>(pages::reserve(kStack));
  // The lowest page stays inaccessible, so that a stack overflow crashes.
  if (!stack_ || !pages::open(stack_ + 4096, kStack - 4096)) throw std::bad_alloc();
  bottom_ = stack_;
  size_ = kStack;
}

#if defined(CHAINER_ADDRESS_SANITIZER)
void Fiber::tell_of_change(Fiber& from, Fiber& to) {
  if (!from.size_) {  // the thread's own stack
    pthread_attr_t attributes;
    void* bottom;
    ::pthread_getattr_np(::pthread_self(), &attributes);
    ::pthread_attr_getstack(&attributes, &bottom, &from.size_);
    ::pthread_attr_destroy(&attributes);
    from.bottom_ = static_cast<char*>(bottom);
  }
  __sanitizer_start_switch_fiber(&from.known_, to.bottom_, to.size_);
}
void Fiber::tell_of_arrival(void* known) {
  const void* bottom;
  std::size_t size;
  __sanitizer_finish_switch_fiber(known, &bottom, &size);
}
#else
void Fiber::tell_of_change(Fiber&, Fiber&) {}
void Fiber::tell_of_arrival(void*) {}
#endif

void Fiber::arrived() { tell_of_arrival(nullptr); }

}  // namespace chainer
