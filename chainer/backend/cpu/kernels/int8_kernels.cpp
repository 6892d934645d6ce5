// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/kernels/int8_table.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/core/system/product_instructions.h"

namespace chainer::cpu {
namespace {

struct Found {
  Int8Kernels list[3];
  int count = 0;
  Found() {
    if (product_instructions().int8_tiles && allows_extensions(true)) {
      list[count++] = {"amx", tiles::int8_product};
      if (product_instructions().int8)
        list[0].depthwise = dots::int8_depthwise, list[0].depthwise_line = dots::int8_depthwise_line;
    }
    if (product_instructions().int8 && allows_extensions())
      list[count++] = {"avx512_vnni", dots::int8_product, dots::int8_product_to_bytes, dots::int8_depthwise,
                       dots::int8_depthwise_line};
    list[count++] = {kernels().name, int8_loops().product};
  }
};

}  // namespace

const Int8Kernels* all_int8_kernels(int& count) {
  static const Found found;
  count = found.count;
  return found.list;
}

}  // namespace chainer::cpu
