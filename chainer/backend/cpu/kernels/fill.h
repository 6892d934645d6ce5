// The parts of a kernel table, filled by the sources that are compiled for one instruction set.
#pragma once
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/core/ivdep.h"

namespace chainer::cpu {

#define CHAINER_DECLARE_FILL(ISA)    \
  namespace ISA {                    \
  void fill_elementwise(Kernels& k); \
  void fill_convert(Kernels& k);     \
  void fill_reduce(Kernels& k);      \
  void fill_update(Kernels& k);      \
  void fill_random(Kernels& k);      \
  void fill_picked_rows(Kernels& k); \
  void fill_thin(Kernels& k);        \
  void fill_normalize(Kernels& k);   \
  void fill_recurrent(Kernels& k);   \
  }
CHAINER_DECLARE_FILL(baseline)
CHAINER_DECLARE_FILL(avx2)
CHAINER_DECLARE_FILL(avx512)
#undef CHAINER_DECLARE_FILL

}  // namespace chainer::cpu
