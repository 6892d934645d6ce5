// SPDX-License-Identifier: MIT
// Folds batch normalization with fixed statistics, which is an affine map per channel, into the weights before it.
#include <map>

#include "chainer/onnx/program.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::onnx {
namespace {

// Returns the axis of the output channels in the weights of an operator; nullopt if they cannot be scaled.
std::optional<int> channel_axis(const Call& c) {
  const std::string& op = c.node().op_type;
  if (op == "Conv") return 0;
  if (op == "ConvTranspose" && c.integer("group", 1) == 1) return 1;
  if (op == "Gemm" && c.real("alpha", 1.0) == 1 && c.real("beta", 1.0) == 1 && (!c.has(2) || c[2].ndim() == 1))
    return c.integer("transB", 0) ? 0 : 1;
  return std::nullopt;
}

}  // namespace

void fold_batch_normalization(Plan& plan, const std::vector<int>& outputs) {
  std::map<int, int> readers;
  std::map<int, std::size_t> maker;
  for (const int s : outputs) ++readers[s];
  for (const Step& step : plan.steps)
    for (const int s : step.in) ++readers[s];
  std::vector<bool> gone(plan.steps.size(), false);
  const auto inputs_of = [&](const Step& s) {
    Variables in;
    for (const int i : s.in) in.push_back(i < 0 ? Variable() : plan.values[static_cast<std::size_t>(i)]);
    return in;
  };
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    Step& bn = plan.steps[i];
    for (const int s : bn.out) maker[s] = i;
    if (bn.node->op_type != "BatchNormalization" || bn.in.size() != 5 || !maker.contains(bn.in[0]) ||
        readers[bn.in[0]] != 1)
      continue;
    Step& source = plan.steps[maker[bn.in[0]]];
    const Variables b = inputs_of(bn), w = inputs_of(source);
    const Call norm(*bn.node, 0, b), affine(*source.node, 0, w);
    if (!b[1] || !b[2] || !b[3] || !b[4] || norm.integer("training_mode", 0) || !affine.has(1)) continue;
    if (source.in.size() > 2 && source.in[2] >= 0 && !affine.has(2)) continue;  // the bias is not constant
    const auto axis = channel_axis(affine);
    if (!axis || affine[1].shape(*axis) != b[1].size() || !is_floating(affine[1].dtype())) continue;
    const Dtype dtype = affine[1].dtype();
    const auto number = [&](std::size_t k) { return b[k].array().astype(float64); };
    const Array scale = number(1) / sqrt(number(4) + norm.real("epsilon", 1e-5));
    const Array old = affine.has(2) ? affine.array(2).astype(float64) : zeros(scale.shape(), float64);
    Shape along = Shape(Dims::filled(affine[1].ndim(), 1));
    along[*axis] = scale.size();
    const auto keep = [&](const Array& a) {
      plan.values.push_back(Variable(a.astype(dtype), false));
      return static_cast<int>(plan.values.size()) - 1;
    };
    source.in.resize(3);
    source.in[1] = keep(affine.array(1).astype(float64) * scale.reshape(along));
    source.in[2] = keep((old - number(3)) * scale + number(2));
    source.out[0] = bn.out[0];
    maker[bn.out[0]] = maker[bn.in[0]];
    gone[i] = true;
  }
  std::vector<Step> kept;
  for (std::size_t i = 0; i < plan.steps.size(); ++i)
    if (!gone[i]) kept.push_back(std::move(plan.steps[i]));
  plan.steps = std::move(kept);
}

}  // namespace chainer::onnx
