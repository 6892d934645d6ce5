// SPDX-License-Identifier: MIT
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "chainer/core/system/product_instructions.h"

namespace chainer::cpu {
namespace {

// Linux gives a process the registers of tiles only on request (arch_prctl), since they enlarge the frames of signals.
bool tiles_permitted() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

ProductInstructions find() {
  ProductInstructions found;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return found;
  const auto bit = [](unsigned word, int i) { return (word >> i & 1) != 0; };
  // (Whether the system saves the registers of AVX-512 is part of this answer.)
  __builtin_cpu_init();
  const bool vectors = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  const unsigned tiles = d;
  found.int8 = vectors && bit(c, 11);
  found.bfloat16 = vectors && __get_cpuid_count(7, 1, &a, &b, &c, &d) && bit(a, 5);
  if (vectors && bit(tiles, 24) && tiles_permitted())
    found.bfloat16_tiles = bit(tiles, 22), found.int8_tiles = bit(tiles, 25);
  return found;
}

}  // namespace

const ProductInstructions& product_instructions() {
  static const ProductInstructions found = find();
  return found;
}

}  // namespace chainer::cpu
