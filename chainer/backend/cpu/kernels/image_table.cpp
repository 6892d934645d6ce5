// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/kernels/image_table.h"

#include <string_view>

#include "chainer/backend/cpu/kernels/table.h"

namespace chainer::cpu {
namespace {

#define CHAINER_TABLE(ISA)                 \
  const ImageKernels& ISA##_table() {      \
    static const ImageKernels table = [] { \
      ImageKernels k{};                    \
      ISA::fill_pooling(k);                \
      ISA::fill_moments(k);                \
      ISA::fill_few_channels(k);           \
      return k;                            \
    }();                                   \
    return table;                          \
  }
CHAINER_TABLE(baseline)
#if defined(CHAINER_X86_KERNELS)
CHAINER_TABLE(avx2)
CHAINER_TABLE(avx512)
#endif

const ImageKernels& choose() {
#if defined(CHAINER_X86_KERNELS)
  const std::string_view isa = kernels().name;
  if (isa == "avx512") return avx512_table();
  if (isa == "avx2") return avx2_table();
#endif
  return baseline_table();
}

}  // namespace

const ImageKernels& image_kernels() {
  static const ImageKernels& chosen = choose();
  return chosen;
}

}  // namespace chainer::cpu
