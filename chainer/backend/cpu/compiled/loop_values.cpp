// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/compiled/loop_values.h"

#include <algorithm>
#include <cstring>

namespace chainer::cpu {

std::vector<int> last_uses(const FusedLoop& loop) {
  std::vector<int> last(loop.values.size(), -1);
  for (int i = 0; i < static_cast<int>(loop.code.size()); ++i)
    for (const int v : loop.code[static_cast<std::size_t>(i)].in)
      if (v >= 0) last[static_cast<std::size_t>(v)] = i;
  return last;
}

int most_live(const FusedLoop& loop, bool hoisted) {
  const std::vector<int> last = last_uses(loop);
  std::vector<bool> live(loop.values.size());
  int now = 0, most = 0;
  for (std::size_t v = 0; v < live.size(); ++v)
    if (hoisted && loop.values[v].repeated) live[v] = ++now != 0;
  for (int i = 0; i < static_cast<int>(loop.code.size()); ++i) {
    const FusedLoop::Instruction& x = loop.code[static_cast<std::size_t>(i)];
    const auto start = [&](int v) {
      if (v >= 0 && !live[static_cast<std::size_t>(v)]) live[static_cast<std::size_t>(v)] = ++now != 0;
    };
    for (const int v : x.in) start(v);
    start(x.out);
    most = std::max(most, now);
    const auto end = [&](int v) {
      if (v < 0 || !live[static_cast<std::size_t>(v)] || last[static_cast<std::size_t>(v)] > i) return;
      if (hoisted && loop.values[static_cast<std::size_t>(v)].repeated) return;
      live[static_cast<std::size_t>(v)] = false;
      --now;
    };
    for (const int v : x.in) end(v);
    end(x.out);
  }
  return most;
}

int repeated_values(const FusedLoop& loop) {
  return static_cast<int>(
      std::count_if(loop.values.begin(), loop.values.end(), [](const FusedLoop::Value& v) { return v.repeated; }));
}

std::vector<bool> clean_values(const FusedLoop& loop) {
  std::vector<bool> clean(loop.values.size());
  for (std::size_t v = 0; v < clean.size(); ++v)
    clean[v] = loop.values[v].narrow || loop.values[v].format == FusedLoop::Format::mask;
  for (const FusedLoop::Instruction& x : loop.code) {
    bool all = true;
    for (const int v : x.in) all = all && (v < 0 || clean[static_cast<std::size_t>(v)]);
    clean[static_cast<std::size_t>(x.out)] = all || x.kind == FusedLoop::Kind::to_bfloat16;
  }
  return clean;
}

FusedCode without_function(const FusedLoop& loop) {
  FusedCode code;
  for (const FusedLoop::Value& v : loop.values)
    if (v.loaded || v.stored) {
      const bool byte = v.format == FusedLoop::Format::mask, four = v.format == FusedLoop::Format::float32;
      code.operands.push_back({static_cast<uint8_t>(byte ? 1 : four ? 4 : 2), v.stored});
    }
  return code;
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
