// SPDX-License-Identifier: MIT
#include "chainer/core/system/product_instructions.h"

namespace chainer::cpu {

const ProductInstructions& product_instructions() {
  static const ProductInstructions none;
  return none;
}

}  // namespace chainer::cpu
