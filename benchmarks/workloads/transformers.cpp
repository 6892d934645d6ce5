// SPDX-License-Identifier: MIT
// Networks of attention: training of a small GPT and of GPT-2, long sequences, embeddings of sentences, generation.
#include <chainer/models/bert.h>
#include <chainer/models/generate.h>

#include "../workload.h"

namespace bench {

using namespace chainer;

namespace {

// A GPT without dropout, as its peer.
Step language_model(const models::Gpt2Config& config, int64_t batch, int64_t length) {
  auto model = std::make_shared<models::Gpt2>(config);
  const Array x = labels(config.vocab_size, {batch, length}), t = labels(config.vocab_size, {batch, length});
  const auto loss = maybe_static(
      [=](const Variable& x, const Variable& t) {
        return F::softmax_cross_entropy(F::reshape(model->forward(x), {batch * length, config.vocab_size}),
                                        F::reshape(t, {batch * length}));
      },
      *model);
  Step s = training(
      model, [=] { return loss(x, t); },
      std::make_shared<optimizers::AdamW>(optimizers::AdamWOptions{.alpha = 1e-3, .weight_decay = 0.01}));
  s.inputs = {{"x", x}, {"t", t}};
  return s;
}

}  // namespace

Step gpt_train() {
  return language_model(
      {.vocab_size = 65, .n_positions = 64, .n_embd = 128, .n_layer = 4, .n_head = 4, .n_inner = 512, .dropout = 0}, 12,
      64);
}

Step gpt2_train() { return language_model({.dropout = 0}, 1, 256); }

Step attention_long() {
  auto model = std::make_shared<L::TransformerEncoder>(
      2, 512, 8, L::TransformerLayerOptions{.dropout = 0, .activation = F::gelu, .norm_first = true, .causal = true},
      L::TransformerOptions{.norm = false});
  model->to_device(device);
  const Array x = uniform({1, 2048, 512});
  (void)model->forward(x);  // creates the weights
  Step s;
  s.run = [=] {
    const Variable y = F::mean(F::square(model->forward(x)));
    model->cleargrads();
    y.backward();
    return y;
  };
  s.inputs = {{"x", x}};
  for (auto& [path, p] : model->namedparams()) s.parameters[path] = p.variable();
  return s;
}

namespace {

// A vision transformer: 64 patches of a 32 x 32 image.
struct Vit : Chain {
  L::Convolution2D patches{3, 192, 4, {.stride = 4}};
  L::Parameter positions{random::normal(0, 0.02, {64, 192}, config().dtype)};
  L::TransformerEncoder encoder{
      6, 192, 3, {.feedforward = 384, .dropout = 0, .activation = F::gelu, .norm_first = true}};
  L::Linear head{192, 10};
  CHAINER_MEMBERS(Vit, patches, positions, encoder, head);
  Variable forward(const Variable& x) {
    Variable h = patches(x);
    h = F::transpose(F::reshape(h, {h.shape()[0], 192, 64}), {0, 2, 1});
    return head(F::mean(encoder(h + F::broadcast_to(positions(), h.shape())), 1));
  }
};

}  // namespace

Step vit_train() {
  auto model = std::make_shared<Vit>();
  model->to_device(device);
  const Array x = uniform({32, 3, 32, 32}), t = labels(10, {32});
  (void)model->forward(x);  // creates the weights
  const auto loss = maybe_static(
      [=](const Variable& x, const Variable& t) { return F::softmax_cross_entropy(model->forward(x), t); }, *model);
  Step s = training(
      model, [=] { return loss(x, t); },
      std::make_shared<optimizers::AdamW>(optimizers::AdamWOptions{.alpha = 1e-3, .weight_decay = 0.01}));
  s.inputs = {{"x", x}, {"t", t}};
  return s;
}

namespace {

// MiniLM's shape.
Step sentences(int64_t batch, int64_t length) {
  auto model = std::make_shared<models::Bert>(models::BertConfig{
      .hidden_size = 384, .num_hidden_layers = 6, .num_attention_heads = 12, .intermediate_size = 1536});
  const Array ids = labels(30522, {batch, length});
  model->to_device(device);
  const NoBackpropMode none;
  (void)model->forward(ids);  // creates the weights
  model->cleargrads();
  Step s;
  s.run = [=] {
    const NoBackpropMode no_graph;
    const UsingConfig test(&Config::train, false);
    return F::sum(F::relu(model->forward(ids)));
  };
  s.inputs = {{"ids", ids}};
  for (auto& [path, p] : model->namedparams()) s.parameters[path] = p.variable();
  return s;
}

}  // namespace

Step bert_infer() { return sentences(1, 32); }
Step bert_infer_32() { return sentences(32, 128); }

Step gpt2_generate() {
  auto model = std::make_shared<models::Gpt2>(models::Gpt2Config{});
  model->to_device(device);
  Step s;
  s.run = [=] {
    const auto all = models::generate(*model, {{1, 2, 3, 4}}, {.max_new_tokens = 128});
    return Variable(array(static_cast<float>(all[0].size())), false);
  };
  return s;
}

}  // namespace bench
