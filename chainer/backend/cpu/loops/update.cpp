// SPDX-License-Identifier: MIT
// The optimizers' update steps on parameter, gradient and states.
#include <algorithm>
#include <utility>
#include <vector>

#include "chainer/array/order.h"
#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {

void CpuBackend::update(Update op, Array& param, const Array& grad, std::span<Array> states,
                        std::span<const double> hyper) {
  const Kernels& k = kernels();
  const Compute c = floating_compute_type(param.dtype(), "update");
  const Dtype work = c == kF64 ? float64 : float32;
  if (param.dtype() != work) {  // 16-bit parameters without a master copy: update in float32, store back
    Array wide = param.astype(float32);
    std::vector<Array> wide_states;
    for (Array& s : states) wide_states.push_back(s.astype(float32));
    update(op, wide, grad.astype(float32), wide_states, hyper);
    copy_elements(wide, param);
    for (std::size_t i = 0; i < states.size(); ++i) copy_elements(wide_states[i], states[i]);
    return;
  }
  if (!is_dense(param.body())) {
    Array copy = param.copy();
    update(op, copy, grad, states, hyper);
    return copy_elements(copy, param);
  }
  const Dims order = memory_order(param);
  for (Array& s : states) {
    if (same_layout(s.body(), param.body())) continue;
    Array moved = in_order(s, order), stored = std::exchange(s, moved);
    update(op, param, grad, states, hyper);
    copy_elements(moved, stored);
    s = stored;
    return;
  }
  const Array g = in_order(grad.astype(work, false), order);
  double h[6] = {};
  std::copy(hyper.begin(), hyper.end(), h);
  const int64_t item = compute_size(c);
  char* w = static_cast<char*>(param.mutable_raw());
  const char* gradient = static_cast<const char*>(g.raw());
  char* s[3] = {};
  for (std::size_t i = 0; i < states.size(); ++i) s[i] = static_cast<char*>(states[i].mutable_raw());
  const UpdateKernel kernel = k.update[c][static_cast<int>(op)];
  parallel_ranges(param.size(), param.size(), 64, [&](int64_t begin, int64_t end) {
    const int64_t at = begin * item;
    const auto shift = [&](char* p) -> char* { return p ? p + at : nullptr; };
    kernel(w + at, gradient + at, shift(s[0]), shift(s[1]), shift(s[2]), h, end - begin);
  });
}

}  // namespace chainer::cpu
