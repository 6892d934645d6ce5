// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/kernels/table.h"

#include <cstdlib>
#include <string_view>

#include "chainer/backend/cpu/kernels/fill.h"
#include "chainer/core/error.h"

namespace chainer::cpu {
namespace {

#define CHAINER_TABLE(ISA)            \
  const Kernels& ISA##_table() {      \
    static const Kernels table = [] { \
      Kernels k{};                    \
      k.name = #ISA;                  \
      ISA::fill_elementwise(k);       \
      ISA::fill_convert(k);           \
      ISA::fill_transpose(k);         \
      ISA::fill_reduce(k);            \
      ISA::fill_update(k);            \
      ISA::fill_random(k);            \
      ISA::fill_picked_rows(k);       \
      ISA::fill_thin(k);              \
      ISA::fill_normalize(k);         \
      ISA::fill_recurrent(k);         \
      return k;                       \
    }();                              \
    return table;                     \
  }
CHAINER_TABLE(baseline)
#if defined(CHAINER_X86_KERNELS)
CHAINER_TABLE(avx2)
CHAINER_TABLE(avx512)
#endif

std::string_view wished() {
  const char* const name = std::getenv("CHAINER_ISA");
  return name ? name : "";
}

const Kernels& choose() {
  const std::string_view isa = wished();
  if (!isa.empty() && isa != "baseline" && isa != "avx2" && isa != "avx512" && isa != "amx")
    throw ValueError("CHAINER_ISA must be baseline, avx2, avx512 or amx, not '", isa, "'");
#if defined(CHAINER_X86_KERNELS)
  __builtin_cpu_init();
  const bool has2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (has512 && isa != "baseline" && isa != "avx2") return avx512_table();
  if (has2 && isa != "baseline") return avx2_table();
#endif
  return baseline_table();
}

}  // namespace

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

bool allows_extensions(bool tiles) {
  return kernels().name == std::string_view("avx512") && !(tiles && wished() == "avx512");
}

}  // namespace chainer::cpu
