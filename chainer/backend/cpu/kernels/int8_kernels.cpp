// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <string_view>

#include "chainer/backend/cpu/kernels/int8_table.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/core/system/product_instructions.h"

namespace chainer::cpu {
namespace {

struct Found {
  Int8Kernels list[3];
  int count = 0;
  Found() {
    const char* const wish = std::getenv("CHAINER_ISA");
    const std::string_view isa = wish ? wish : "";
    const bool wide = kernels().name == std::string_view("avx512");
    if (wide && product_instructions().int8_tiles && isa != "avx512") list[count++] = {"amx", tiles::int8_product};
    if (wide && product_instructions().int8) list[count++] = {"avx512_vnni", dots::int8_product};
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
