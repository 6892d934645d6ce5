// SPDX-License-Identifier: MIT
// Which recurrent operators may run on integers (quantized.h): those whose state is within [-1, 1].
#include <algorithm>

#include "chainer/onnx/quantized.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/reduction.h"

namespace chainer::onnx {

bool is_bounded_recurrence(const Node& n) {
  if (!n.domain.empty() || (n.op_type != "GRU" && n.op_type != "LSTM" && n.op_type != "RNN")) return false;
  for (const Attribute& a : n.attributes)
    if (a.name == "activations")
      for (std::size_t i = 0; i < a.texts.size(); ++i) {
        const std::size_t count = n.op_type == "LSTM" ? 3 : n.op_type == "GRU" ? 2 : 1;
        const bool sigmoid = count > 1 && i % count == 0;
        if (a.texts[i] != (sigmoid ? "Sigmoid" : "Tanh")) return false;
      }
  return true;
}

bool is_small(const Array& constant, const Node* maker, std::size_t output,
              const std::function<bool(std::size_t)>& input) {
  if (constant) return !constant.size() || max(abs(constant.astype(float64))).item<double>() <= 1;
  if (!maker || !maker->domain.empty() || maker->inputs.empty()) return false;
  std::string_view op = maker->op_type;
  if (op == "ConstantOfShape") {
    for (const Attribute& a : maker->attributes)
      if (a.name == "value") return is_small(a.tensor, nullptr, 0, {});
    return true;  // zeros
  }
  // A sequence without elements returns the given state.
  if (op.starts_with("Quantized") || is_bounded_recurrence(*maker)) {
    if (op.starts_with("Quantized")) op.remove_prefix(9);
    const bool recurrent = op == "GRU" || op == "LSTM" || op == "RNN",
               given = maker->inputs.size() > 5 && !maker->inputs[5].empty();
    return recurrent && output < 2 && (!given || input(5));
  }
  if (op == "Concat") {
    for (std::size_t i = 0; i < maker->inputs.size(); ++i)
      if (!input(i)) return false;
    return true;
  }
  for (const std::string_view moves :
       {"Expand", "Gather", "Identity", "Reshape", "Slice", "Split", "Squeeze", "Tile", "Transpose", "Unsqueeze"})
    if (op == moves) return input(0);
  return false;
}

}  // namespace chainer::onnx
