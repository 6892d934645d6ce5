// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/compiled/loop_values.h"

#include <algorithm>

#include "chainer/array/operations/ops.h"

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

namespace {

// Returns true for operations whose results are computed, not one of the operands: their NaNs are quiet.
bool makes_quiet(Elementwise op) {
  switch (op) {
    case Elementwise::add:
    case Elementwise::subtract:
    case Elementwise::multiply:
    case Elementwise::divide:
    case Elementwise::square:
    case Elementwise::sqrt:
    case Elementwise::rsqrt:
    case Elementwise::reciprocal:
    case Elementwise::multiply_add:
    case Elementwise::sigmoid_grad:
    case Elementwise::tanh_grad: return true;
    default: return false;
  }
}

}  // namespace

std::vector<bool> clean_values(const FusedLoop& loop) {
  using Kind = FusedLoop::Kind;
  const std::size_t count = loop.values.size();
  std::vector<bool> narrow(count), clean(count);
  for (std::size_t v = 0; v < count; ++v) {
    const FusedLoop::Value& x = loop.values[v];
    clean[v] = x.format == FusedLoop::Format::mask;
    narrow[v] = clean[v] || x.narrow;
  }
  for (const FusedLoop::Instruction& x : loop.code) {
    bool all_narrow = true, all_clean = true;
    for (const int v : x.in) {
      all_narrow = all_narrow && (v < 0 || narrow[static_cast<std::size_t>(v)]);
      all_clean = all_clean && (v < 0 || clean[static_cast<std::size_t>(v)]);
    }
    const auto out = static_cast<std::size_t>(x.out);
    const bool rounded = x.kind == Kind::to_bfloat16, computed = x.kind == Kind::kernel && makes_quiet(x.op);
    narrow[out] = all_narrow || rounded;
    clean[out] = all_clean || rounded || (all_narrow && computed);
  }
  return clean;
}

}  // namespace chainer::cpu
