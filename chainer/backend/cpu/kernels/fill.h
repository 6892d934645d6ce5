// The parts of a kernel table, filled by the sources that are compiled for one instruction set.
#pragma once
#include "chainer/backend/cpu/kernels/table.h"

// The iterations of the loop that follows do not depend on each other (operands may be the output itself).
#if defined(__clang__)
#define CHAINER_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define CHAINER_IVDEP _Pragma("GCC ivdep")
#endif

namespace chainer::cpu {

#define CHAINER_DECLARE_FILL(ISA)    \
  namespace ISA {                    \
  void fill_elementwise(Kernels& k); \
  void fill_convert(Kernels& k);     \
  void fill_reduce(Kernels& k);      \
  void fill_update(Kernels& k);      \
  void fill_random(Kernels& k);      \
  void fill_picked_rows(Kernels& k); \
  }
CHAINER_DECLARE_FILL(baseline)
CHAINER_DECLARE_FILL(avx2)
CHAINER_DECLARE_FILL(avx512)
#undef CHAINER_DECLARE_FILL

}  // namespace chainer::cpu
