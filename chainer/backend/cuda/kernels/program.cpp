// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/formulas.h"

#include "chainer/backend/cuda/kernels/program.h"

namespace chainer::cuda {
namespace {

// The addresses of one thread's elements at a place, starting with element number `first`.
struct PlaceOfThread {
  const ProgramArgs& a;
  char* registers;
  uint32_t first;
  DEVICE Type type(int place) const {
    return place < ProgramArgs::kOperands ? a.operands[place].type : a.register_type[place - ProgramArgs::kOperands];
  }
  DEVICE uint32_t element(int e) const { return first + e * blockDim.x; }
  DEVICE char* address(int place, int e) const {
    if (place < ProgramArgs::kOperands) return a.operands[place].data + offset(a.space, a.operands[place], element(e));
    const int number = (place - ProgramArgs::kOperands) * a.each + e;
    return registers + int64_t(number * blockDim.x + threadIdx.x) * a.register_bytes;
  }
};

// An operation as a function that is not inlined.
template <class Op, class T>
DEVICE_FUNCTION T called(T a, T b, T c) {
  return Op::template apply<T>(a, b, c);
}

// Long formulas, especially in float64, are not inlined: unrolled for each element of a thread they double the time of
// ptxas, for operations that few programs use.
template <class Op, class T>
DEVICE T result(T a, T b, T c) {
  if constexpr (Op::cost * sizeof(T) >= 48)
    return called<Op>(a, b, c);
  else
    return Op::template apply<T>(a, b, c);
}

template <class T>
DEVICE void execute(const ProgramArgs::Instruction& i, const PlaceOfThread& p) {
  constexpr int kEach = ProgramArgs::kMostEach;
  T x[3][kEach] = {};
  for (int k = 0; k < i.inputs; ++k) {
    const Type type = p.type(i.in[k]);
    for (int e = 0; e < kEach; ++e)
      if (e < p.a.each && p.element(e) < p.a.space.size) x[k][e] = load<T>(p.address(i.in[k], e), type);
  }
  switch (static_cast<Operation>(i.operation)) {
#define X(NAME, ...)                                                              \
  case Operation::NAME:                                                           \
    if constexpr (NAME##_op::has<T>)                                              \
      for (int e = 0; e < kEach; ++e)                                             \
        if (e < p.a.each) x[0][e] = result<NAME##_op>(x[0][e], x[1][e], x[2][e]); \
    break;
    CHAINER_UNARY_OPS(X)
    CHAINER_BINARY_OPS(X)
    CHAINER_COMPARE_OPS(X)
    CHAINER_TEST_OPS(X)
    CHAINER_TERNARY_OPS(X)
    X(where)
#undef X
  }
  const Type type = p.type(i.out);
  for (int e = 0; e < kEach; ++e)
    if (e < p.a.each && p.element(e) < p.a.space.size) store(p.address(i.out, e), type, x[0][e]);
}

}  // namespace

// Each thread has its own column of the registers, so no barriers are needed.
KERNEL(program, ProgramArgs) {
  DYNAMIC_SHARED(char, registers);
  const uint32_t block = blockDim.x * a.each;
  for (int64_t first = int64_t(blockIdx.x) * block; first < a.space.size; first += int64_t(gridDim.x) * block) {
    const PlaceOfThread p{a, registers, static_cast<uint32_t>(first) + threadIdx.x};
    for (int n = 0; n < a.instructions; ++n) {
      const ProgramArgs::Instruction i = a.code[n];
      if (i.compute == Type::float32)
        execute<float>(i, p);
      else if (i.compute == Type::float64)
        execute<double>(i, p);
      else
        execute<int64_t>(i, p);
    }
  }
}

}  // namespace chainer::cuda
