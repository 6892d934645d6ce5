// SPDX-License-Identifier: MIT
// Recurrent operators with weights of eight bits.
#include <chainer/chainer.h>

#include <cmath>

#include "../onnx/built.h"
#include "test.h"

using namespace chainer;
using namespace onnx_built;

namespace {

double distance(const Array& a, const Array& b) {
  const Array d = a - b;
  return std::sqrt(sum(d * d).item<double>() / sum(b * b).item<double>());
}
const inference::QuantizedLayer* layer_of(const inference::Quantized& q, const std::string& op) {
  for (const auto& l : q.layers())
    if (l.op == op) return &l;
  return nullptr;
}

constexpr int64_t kSteps = 6, kBatch = 5, kInputs = 7, kUnits = 12;

struct Case {
  std::string op;
  bool both = false;     // directions
  double state = 0;      // the size of a constant first state; -1: it is an input; -2: it is made of zeros
  bool lengths = false;  // as an input
  int64_t before_reset = 1;
};

// The inputs of a model in order.
Variables inputs_of(const Case& c, int seed) {
  random::RandomState draw(static_cast<uint32_t>(seed));
  Variables in{Variable(draw.normal(0, 1, {kSteps, kBatch, kInputs}, float32), false)};
  if (c.lengths) in.push_back(Variable(array({int32_t{6}, int32_t{1}, int32_t{3}, int32_t{6}, int32_t{4}}), false));
  if (c.state == -1) in.push_back(Variable(draw.normal(0, 3, {c.both ? 2 : 1, kBatch, kUnits}, float32), false));
  return in;
}

onnx::Model model_of_case(const Case& c) {
  random::RandomState draw(5);
  const int64_t gates = c.op == "LSTM" ? 4 : c.op == "GRU" ? 3 : 1, directions = c.both ? 2 : 1;
  std::vector<std::pair<std::string, Array>> weights = {
      {"W", draw.normal(0, 0.4, {directions, gates * kUnits, kInputs}, float32)},
      {"R", draw.normal(0, 0.3, {directions, gates * kUnits, kUnits}, float32)},
      {"B", draw.normal(0, 0.2, {directions, 2 * gates * kUnits}, float32)},
      {"V", draw.normal(0, 0.3, {kUnits, 4}, float32)}};
  if (c.state > 0) weights.push_back({"h", draw.uniform(-c.state, c.state, {directions, kBatch, kUnits}, float32)});
  Named in = {{"x", float32}};
  if (c.lengths) in.push_back({"n", int32});
  if (c.state == -1) in.push_back({"h", float32});
  Attributes attributes = {whole("hidden_size", kUnits)};
  if (c.both) attributes.push_back(onnx::attribute("direction", std::string("bidirectional")));
  if (c.op == "GRU") attributes.push_back(whole("linear_before_reset", c.before_reset));
  const auto node = op(c.op, {"x", "W", "R", "B", c.lengths ? "n" : "", c.state ? "h" : ""}, {"y", "last"}, attributes);
  std::vector<onnx::Node> nodes;
  if (c.state == -2) {  // as PyTorch exports the state for any batch
    weights.push_back({"shape", array({directions, kBatch, kUnits})});
    weights.push_back({"zero", zeros({1, 1, 1})});
    nodes.push_back(op("Identity", {"shape"}, {"same"}));
    nodes.push_back(op("Expand", {"zero", "same"}, {"expanded"}));
    nodes.push_back(op("Transpose", {"expanded"}, {"h"}, {integers("perm", {0, 1, 2})}));
  }
  nodes.push_back(node);
  nodes.push_back(op("MatMul", {"y", "V"}, {"z"}));
  return model_of(nodes, weights, in, {{"z", float32}, {"last", float32}});
}

struct SentenceReader : Chain {
  L::EmbedID words{30, 16};
  L::NStepBiLSTM lstm{2, 16, 20, 0.0};
  L::Linear out{40, 3};
  CHAINER_MEMBERS(SentenceReader, words, lstm, out);
  Variable forward(const Variable& x) {
    Variables rows;
    const Variable e = words(x);
    for (int64_t i = 0; i < x.shape(0); ++i) rows.push_back(F::get_item(e, {i}));
    return out(F::concat(lstm(Variable(), Variable(), rows).ys, 0));
  }
};

}  // namespace

TEST(recurrent_operators_compute_with_integers) {
  const std::vector<Case> cases = {{"LSTM"},
                                   {"LSTM", true},
                                   {"LSTM", false, 1},
                                   {"LSTM", true, -1, true},
                                   {"LSTM", true, 4, true},
                                   {"GRU", true},
                                   {"GRU", false, 0, true, 0},
                                   {"GRU", true, 0.5, false, 0},
                                   {"GRU", true, -2},
                                   {"RNN"},
                                   {"RNN", true, -1}};
  for (const Case& c : cases) {
    onnx::Model model = model_of_case(c);
    std::vector<Variables> batches;
    for (int seed = 10; seed < 20; ++seed) batches.push_back(inputs_of(c, seed));
    const inference::Quantized q =
        inference::quantize(model, batches, {.calibration = inference::Calibration::largest});
    EXPECT(layer_of(q, c.op)->quantized);
    // What remains: the input's conversion, the operator on integers, the conversion of its result and the product.
    EXPECT(q.network().operator_count() <= (c.state == -2 ? 8u : 4u));
    EXPECT(layer_of(q, c.op)->error > 0);
    EXPECT(layer_of(q, c.op)->error < 0.03);
    const UsingConfig test(&Config::train, false);
    const auto expect_near = [&](int seed) {
      const Variables in = inputs_of(c, seed), expected = model(in);
      Arrays x;
      for (const Variable& v : in) x.push_back(v.array());
      const Arrays y = q(x);
      for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_EQ(y[i].shape(), expected[i].shape());
        EXPECT(distance(y[i], expected[i].array()) < 0.05);
      }
      // As from the file in float32, but for the rounding of the state.
      onnx::Model file = onnx::Model::from_bytes(q.bytes());
      EXPECT(distance(file(in)[0].array(), expected[0].array()) < 0.05);
    };
    for (int seed = 3; seed < 6; ++seed) expect_near(seed);
  }
}

TEST(recurrent_operators_that_stay_in_float32) {
  const auto reason = [](const Case& c, onnx::Model model) {
    const inference::Quantized q = inference::quantize(model, {inputs_of(c, 1)});
    const UsingConfig test(&Config::train, false);
    Arrays x;
    for (const Variable& v : inputs_of(c, 3)) x.push_back(v.array());
    EXPECT(distance(q(x)[1], model(inputs_of(c, 3))[1].array()) < 1e-5);
    return layer_of(q, c.op)->reason;
  };
  // The state of a GRU stays near to the first one.
  const Case large{"GRU", true, 3}, given{"GRU", true, -1};
  EXPECT_EQ(reason(large, model_of_case(large)), "its first state is not known to be within [-1, 1]");
  EXPECT_EQ(reason(given, model_of_case(given)), "its first state is not known to be within [-1, 1]");
}

TEST(networks_of_recurrent_links_compute_with_integers) {
  random::seed(4);
  SentenceReader net;
  random::RandomState draw(4);
  const auto sentences = [&] { return Variable(draw.randint(0, 30, {4, 9}).astype(int32), false); };
  std::vector<Variables> batches;
  for (int i = 0; i < 10; ++i) batches.push_back({sentences()});
  const inference::Quantized q = inference::quantize(net, batches, {.dynamic_batch = false});
  int recurrent = 0;
  for (const auto& l : q.layers()) recurrent += l.op == "LSTM" && l.quantized;
  EXPECT_EQ(recurrent, 4);  // two layers in two directions
  const UsingConfig test(&Config::train, false);
  const Variable x = sentences();
  EXPECT(distance(q(x.array()), net(x).array()) < 0.05);
}
