// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/kernels/bfloat_table.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/core/system/product_instructions.h"

namespace chainer::cpu {
namespace {

const BfloatKernels* choose() {
  static constexpr BfloatKernels by_tiles{"amx", true, tiles::product, dots::thin_product, dots::pack, dots::round},
      by_dots{"avx512_bf16", false, dots::product, dots::thin_product, dots::pack, dots::round};
  if (!allows_extensions() || !product_instructions().bfloat16) return nullptr;
  return product_instructions().bfloat16_tiles && allows_extensions(true) ? &by_tiles : &by_dots;
}

}  // namespace

const BfloatKernels* bfloat_kernels() {
  static const BfloatKernels* const chosen = choose();
  return chosen;
}

}  // namespace chainer::cpu
