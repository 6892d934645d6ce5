// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/compiled/fused_loop.h"

#include <cstring>

namespace chainer::cpu {

std::vector<FusedCode::Operand> operands_of(const FusedLoop& loop) {
  std::vector<FusedCode::Operand> operands;
  for (const FusedLoop::Value& v : loop.values)
    if (v.loaded || v.stored) operands.push_back({bytes(v.format), v.stored});
  return operands;
}

void FusedCode::run(char* const* addresses, int64_t n) const {
  if (n >= lanes) return function(addresses, n);
  // Fewer elements than a vector has: in copies.
  constexpr std::size_t kVector = 64;
  alignas(kVector) char memory_of_copies[kMostOperands * kVector];
  char* copies[kMostOperands];
  for (std::size_t k = 0; k < operands.size(); ++k) {
    copies[k] = memory_of_copies + k * kVector;
    if (operands[k].stored) continue;
    std::memset(copies[k], 0, kVector);
    std::memcpy(copies[k], addresses[k], static_cast<std::size_t>(n * operands[k].bytes));
  }
  function(copies, lanes);
  for (std::size_t k = 0; k < operands.size(); ++k)
    if (operands[k].stored) std::memcpy(addresses[k], copies[k], static_cast<std::size_t>(n * operands[k].bytes));
}

}  // namespace chainer::cpu
