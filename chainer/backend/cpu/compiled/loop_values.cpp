// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/compiled/loop_values.h"

#include <algorithm>

namespace chainer::cpu {

std::vector<int> last_uses(const FusedLoop& loop) {
  std::vector<int> last(loop.values.size(), -1);
  for (int i = 0; i < static_cast<int>(loop.code.size()); ++i)
    for (const int v : loop.code[static_cast<std::size_t>(i)].in)
      if (v >= 0) last[static_cast<std::size_t>(v)] = i;
  return last;
}

int most_live(const FusedLoop& loop, const std::vector<int>& last, bool hoisted) {
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

}  // namespace chainer::cpu
