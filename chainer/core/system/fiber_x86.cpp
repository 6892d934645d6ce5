// SPDX-License-Identifier: MIT
// Fibers for x86-64 with the System V calling convention.
#include <cstdint>

#include "chainer/core/system/fiber.h"

// Saves the callee-saved registers on this stack and switches to the other one. (The floating-point mode belongs to the
// thread.)
extern "C" void chainer_change_stack(void** from, void* to);
extern "C" void chainer_start_stack();
asm(R"(
.text
.globl chainer_change_stack
.hidden chainer_change_stack
.type chainer_change_stack, @function
chainer_change_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
.size chainer_change_stack, .-chainer_change_stack
.globl chainer_start_stack
.hidden chainer_start_stack
.type chainer_start_stack, @function
chainer_start_stack:
  movq %r12, %rdi
  callq *%r13
  ud2
.size chainer_start_stack, .-chainer_start_stack
)");

namespace chainer {

void Fiber::start(void (*body)(void*), void* argument, int number) {
  take_stack();
  char* top = stack_ + kStack - number % 48 * 320;
  auto* p = reinterpret_cast<void**>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t(15));
  *--p = nullptr, *--p = nullptr;  // aligns the stack of the body
  *--p = reinterpret_cast<void*>(chainer_start_stack);
  *--p = nullptr, *--p = nullptr;        // rbp, rbx
  *--p = argument;                       // r12
  *--p = reinterpret_cast<void*>(body);  // r13
  *--p = nullptr, *--p = nullptr;        // r14, r15
  position_ = p;
}

void Fiber::change(Fiber& from, Fiber& to) {
  tell_of_change(from, to);
  chainer_change_stack(&from.position_, to.position_);
  tell_of_arrival(from.known_);
}

}  // namespace chainer
