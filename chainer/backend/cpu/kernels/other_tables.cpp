// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/kernels/row_table.h"

#include <string_view>

#include "chainer/backend/cpu/kernels/attention_table.h"
#include "chainer/backend/cpu/kernels/few_bits_table.h"
#include "chainer/backend/cpu/kernels/int8_table.h"
#include "chainer/backend/cpu/kernels/panel_table.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/backend/cpu/kernels/winograd_table.h"

namespace chainer::cpu {
namespace {

// Returns the table filled by the function of the selected instruction set.
template <class Table>
Table filled(void (*baseline)(Table&), void (*avx2)(Table&), void (*avx512)(Table&)) {
  const std::string_view isa = kernels().name;
  Table t{};
  (isa == "avx512" ? avx512 : isa == "avx2" ? avx2 : baseline)(t);
  return t;
}

}  // namespace

#if defined(CHAINER_X86_KERNELS)
#define CHAINER_FILLED(FILL) filled(baseline::FILL, avx2::FILL, avx512::FILL)
#else
#define CHAINER_FILLED(FILL) filled(baseline::FILL, baseline::FILL, baseline::FILL)
#endif

const RowKernels& row_kernels() {
  static const RowKernels table = CHAINER_FILLED(fill_affine);
  return table;
}
const FourierKernels& fourier_kernels() {
  static const FourierKernels table = CHAINER_FILLED(fill_fourier);
  return table;
}
const PanelKernels& panel_kernels() {
  static const PanelKernels table = CHAINER_FILLED(fill_panels);
  return table;
}
const AttentionKernels& attention_kernels() {
  static const AttentionKernels table = CHAINER_FILLED(fill_attention);
  return table;
}
const WinogradKernels& winograd_kernels() {
  static const WinogradKernels table = CHAINER_FILLED(fill_winograd);
  return table;
}
const Int8Loops& int8_loops() {
  static const Int8Loops table = CHAINER_FILLED(fill_int8);
  return table;
}
const Int8Kernels& int8_kernels() {
  static const Int8Kernels& best = [] {
    int count = 0;
    return *all_int8_kernels(count);
  }();
  return best;
}
const FewBitsKernels& few_bits_kernels() {
  static const FewBitsKernels table = CHAINER_FILLED(fill_few_bits);
  return table;
}

}  // namespace chainer::cpu
