// SPDX-License-Identifier: MIT
// Folds a MatMul with constant weights and an Add of a constant bias, which exporters write for linear layers on inputs
// of more than two axes, into one affine map.
#include <map>

#include "chainer/onnx/program.h"

namespace chainer::onnx {

void fold_bias(Plan& plan, const std::vector<int>& outputs) {
  std::map<int, int> readers;
  std::map<int, Step*> maker;  // the products by output slot
  for (const int s : outputs) ++readers[s];
  for (const Step& step : plan.steps)
    for (const int s : step.in) ++readers[s];
  const auto value = [&](int s) { return s < 0 ? Variable() : plan.values[static_cast<std::size_t>(s)]; };
  std::vector<Step> kept;
  kept.reserve(plan.steps.size());  // `maker` keeps pointers to its elements
  for (Step& step : plan.steps) {
    const bool sum = step.node->op_type == "Add" && step.in.size() == 2;
    bool folded = false;
    for (std::size_t i = 0; sum && i < 2 && !folded; ++i) {
      const auto it = maker.find(step.in[i]);
      if (it == maker.end() || readers[step.in[i]] != 1) continue;
      const Variable W = value(it->second->in[1]), b = value(step.in[1 - i]);
      if (!b || b.ndim() != 1 || b.size() != W.shape(1) || b.dtype() != W.dtype()) continue;
      it->second->in.push_back(step.in[1 - i]);
      it->second->out[0] = step.out[0];
      maker.erase(it);
      folded = true;
    }
    if (folded) continue;
    kept.push_back(std::move(step));
    Step& last = kept.back();
    if (last.node->op_type != "MatMul" || last.in.size() != 2 || value(last.in[0])) continue;
    const Variable W = value(last.in[1]);
    if (W && W.ndim() == 2 && is_floating(W.dtype())) maker[last.out[0]] = &last;
  }
  plan.steps = std::move(kept);
}

}  // namespace chainer::onnx
