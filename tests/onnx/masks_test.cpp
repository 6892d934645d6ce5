// SPDX-License-Identifier: MIT
// Inputs of which only the arrays reach functions, such as masks of attention, are inputs of the file.
#include <chainer/chainer.h>
#include <chainer/models/bert.h>
#include <chainer/onnx/onnx.h>

#include "test.h"

using namespace chainer;

namespace {

// Embeddings of sentences from ids, types and a mask.
struct Sentences : Chain {
  models::Bert bert{{.vocab_size = 50,
                     .hidden_size = 16,
                     .num_hidden_layers = 2,
                     .num_attention_heads = 2,
                     .intermediate_size = 32,
                     .max_position_embeddings = 24}};
  Variable forward(const Variable& ids, const Variable& types, const Variable& mask) {
    const Array kept = mask.array();
    return models::mean_of_tokens(bert(ids, models::BertInputs{.type_ids = types.array(), .mask = kept}), kept);
  }
  CHAINER_MEMBERS(Sentences, bert);
};

Variables drawn_sentences(int64_t batch, int64_t length, uint32_t seed) {
  random::RandomState draws(seed);
  Array mask = ones({batch, length}, bool_);
  for (int64_t i = 0; i < batch; ++i)
    mask.set({i, Slice(1 + draws.randint(0, length, {1}).item<int64_t>(), std::nullopt)}, false);
  return {draws.randint(0, 50, {batch, length}), draws.randint(0, 2, {batch, length}), Variable(mask, false)};
}

}  // namespace

TEST(masks_are_inputs_of_files) {
  const UsingConfig test_mode(&Config::train, false);
  Sentences model;
  const std::string file = onnx::export_model(model, drawn_sentences(2, 7, 1),
                                              {.input_names = {"ids", "types", "mask"},
                                               .dynamic_axes = {{"length", 0, 1}, {"length", 1, 1}, {"length", 2, 1}}});
  onnx::Model read = onnx::Model::from_bytes(file);
  EXPECT_EQ(read.inputs().size(), 3u);
  EXPECT_EQ(read.inputs()[2].name, "mask");
  EXPECT_EQ(read.inputs()[2].dtype, bool_);
  for (const auto& [batch, length] : {std::pair<int64_t, int64_t>{2, 7}, {2, 7}, {1, 1}, {5, 12}, {3, 24}})
    for (uint32_t seed = 2; seed < 5; ++seed) {
      const Variables in = drawn_sentences(batch, length, seed);
      EXPECT_CLOSE(read.call(in)[0].array(), model.call(in)[0].array(), {.atol = 1e-5, .rtol = 1e-5});
    }
}

// Causal attention with a mask, a mask that a function changes, and labels that a function reshapes.
TEST(arrays_that_functions_change_are_followed) {
  const UsingConfig test_mode(&Config::train, false);
  const auto f = [](const Variables& in) {
    const Array mask = F::reshape(Variable(in[1].array(), false), {2, 1, 1, 5}).array();
    const Variable y = F::scaled_dot_product_attention(in[0], in[0], in[0], {.mask = mask, .causal = true});
    const Array ids = F::transpose(Variable(in[2].array(), false), {1, 0}).array();
    return Variables{y, F::embed_id(ids, Variable(arange(12).astype(float32).reshape({6, 2})))};
  };
  const auto inputs = [](uint32_t seed) {
    random::RandomState draws(seed);
    Array mask = draws.randn({2, 5}) > 0;
    mask.set({Slice(), 0}, true);
    return Variables{draws.randn({2, 3, 5, 4}, float32), Variable(mask, false), draws.randint(0, 6, {3, 2})};
  };
  onnx::Model read = onnx::Model::from_bytes(onnx::export_function(f, inputs(1), {.dynamic_batch = false}));
  EXPECT_EQ(read.inputs().size(), 3u);
  for (uint32_t seed = 2; seed < 6; ++seed) {
    const Variables want = f(inputs(seed)), got = read.call(inputs(seed));
    EXPECT_CLOSE(got[0].array(), want[0].array(), {.atol = 1e-5, .rtol = 1e-5});
    EXPECT_CLOSE(got[1].array(), want[1].array());
  }
  // Arrays computed outside of functions are refused, as before.
  const auto outside = [](const Variables& in) {
    return Variables{F::where(Variable(logical_not(in[1].array()), false), in[0], in[0] * 2)};
  };
  const Variables some{random::randn({2, 5}, float32), Variable(random::randn({2, 5}) > 0, false)};
  EXPECT_THROW(ValueError, "outside of functions", onnx::export_function(outside, some, {.dynamic_batch = false}));
}
