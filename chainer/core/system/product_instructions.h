// SPDX-License-Identifier: MIT
// The processor's instructions for products of numbers of 16 and 8 bits; one source file per processor.
#pragma once

namespace chainer::cpu {

struct ProductInstructions {
  bool bfloat16 = false;        ///< AVX512-BF16: sums of products of pairs
  bool int8 = false;            ///< AVX512-VNNI: sums of products of groups of four
  bool bfloat16_tiles = false;  ///< AMX: products of small matrices
  bool int8_tiles = false;
};

/// Returns what the processor and the system provide. Tiles need the permission of the system, for which the first call
/// asks.
const ProductInstructions& product_instructions();

}  // namespace chainer::cpu
