// SPDX-License-Identifier: MIT
// Weights in few bits: products against products with the rounded weights, files, copies and generated text.
#include <chainer/chainer.h>

#include <cstdio>
#include <functional>

#include "chainer/array/host_kernels/quantized_matrix.h"
#include "chainer/links/parameter_hooks.h"
#include "chainer/models/generate.h"
#include "folder.h"
#include "test.h"

using namespace chainer;

namespace {

double largest_difference(const Array& a, const Array& b) {
  return a.size() ? max(abs(a.astype(float64) - b.astype(float64))).item<double>() : 0;
}

struct TaggingNet : Chain {
  L::EmbedID words{50, 24, {.ignore_label = -1}};
  L::Linear l1{24, 40}, l2{40, 7, {.nobias = true}};
  CHAINER_MEMBERS(TaggingNet, words, l1, l2);
  Variable forward(const Variable& x) { return l2(F::relu(l1(words(x), 2)), 2); }
};

Array ids() { return array({3, 49, 0, -1, 7, 7}).reshape({2, 3}).astype(int32); }

}  // namespace

TEST(integers_stand_for_the_nearest_numbers) {
  random::RandomState draw(1);
  for (const int bits : {4, 8})
    for (const int64_t group : {8, 32, 64})
      for (const int64_t columns : {1, 7, 8, 33, 130}) {
        Array W = draw.normal(0, 1, {5, columns}, float32);
        W.set({Slice(2, 3)}, 0);
        const QuantizedMatrix q = host_kernels::quantized_matrix(W, bits, group, false, "test");
        const Array rounded = host_kernels::to_float(q);
        for (int64_t i = 0; i < 5; ++i)
          for (int64_t j = 0; j < columns; ++j) {
            const float scale = q.scales[{i, j / group}].item<float>();
            const float error = std::abs(rounded[{i, j}].item<float>() - W[{i, j}].item<float>());
            EXPECT(error <= scale * 0.5001f);
          }
        EXPECT_EQ(q.values.size(), 5 * (bits == 4 ? (columns + 1) / 2 : columns));
        const QuantizedMatrix best = host_kernels::quantized_matrix(W, bits, group, true, "test");
        const auto squares = [&](const QuantizedMatrix& m) {
          const Array d = host_kernels::to_float(m) - W;
          return sum(d * d).item<float>();
        };
        EXPECT(squares(best) <= squares(q) * 1.000001f);
        const Array at = array({4, 0, 4}).astype(int64);
        EXPECT_EQ(largest_difference(host_kernels::to_float(q, at), take(rounded, at, 0)), 0);
      }
}

TEST(products_with_few_bits_are_those_with_rounded_weights) {
  random::RandomState draw(2);
  for (const int bits : {4, 8})
    for (const int64_t rows : {1, 2, 3, 4, 5, 11, 30})
      for (const int64_t columns : {1, 8, 31, 64, 200})
        for (const int64_t out : {1, 15, 16, 66, 130}) {
          const QuantizedMatrix q =
              host_kernels::quantized_matrix(draw.normal(0, 1, {out, columns}, float32), bits, 32, false, "test");
          const Array x = draw.normal(0, 1, {rows, columns}, float32);
          const Array expected = matmul(x.astype(float64), host_kernels::to_float(q).astype(float64).T());
          for (int call = 0; call < 3; ++call)  // from the second one on, with the form that is kept
            EXPECT(largest_difference(host_kernels::quantized_product(x, q), expected) < 2e-5 * (1 + double(columns)));
        }
}

TEST(links_with_few_bits) {
  TaggingNet net;
  TaggingNet plain = net.copy(CopyMode::copy);
  const auto report = inference::quantize_weights(net, {.bits = 8, .group = 8, .least_size = 0});
  EXPECT_EQ(report.size(), std::size_t{3});
  EXPECT(report[2].path == "/words" && report[2].bytes_before == 4800 && report[2].bytes_after == 50 * 24 + 50 * 3 * 4);
  for (const auto& r : report) EXPECT(r.error > 0 && r.error < 0.01);
  const UsingConfig test(&Config::train, false);
  const Array y = net(ids()).array();
  EXPECT(largest_difference(y, plain(ids()).array()) < 0.1);
  // With the rounded weights, the plain links give the same results.
  plain.words.W.set_array(host_kernels::to_float(net.words.quantized()));
  plain.l1.W.set_array(host_kernels::to_float(net.l1.quantized()));
  plain.l2.W.set_array(host_kernels::to_float(net.l2.quantized()));
  EXPECT_CLOSE(y, plain(ids()).array());
  const Array h = random::RandomState(1).normal(0, 1, {2, 24}, float32);
  EXPECT_CLOSE(net.words.scores(h).array(), plain.words.scores(h).array());
  const Array many = random::RandomState(1).normal(0, 1, {140, 24}, float32);
  EXPECT_CLOSE(net.l1(many).array(), plain.l1(many).array());
  EXPECT_CLOSE(net.l1(h.astype(float16)).array().astype(float32), plain.l1(h).array(), {.atol = 1e-2, .rtol = 1e-2});
  // Gradients reach the input and the bias.
  Variable a(h), b(h);
  F::sum(F::square(net.l1(a))).backward();
  F::sum(F::square(plain.l1(b))).backward();
  EXPECT_CLOSE(a.grad(), b.grad());
  EXPECT_CLOSE(net.l1.b->grad(), plain.l1.b->grad());
  EXPECT_THROW(IndexError, "id 50 at position 0", net.words(array({50})));
  EXPECT_THROW(RuntimeError, "Linear: the weight has 8 bits already", net.l1.quantize());
  EXPECT_EQ(inference::quantize_weights(net, {.least_size = 0}).size(), std::size_t{0});
  TaggingNet copied = net.copy();
  EXPECT_CLOSE(copied(ids()).array(), y);
}

namespace {

// Calls a model before and after its weights have 8 bits. Prints and returns false if the results differ by more than
// the rounding explains, or if a later call differs.
template <class Model>
bool keeps_its_results(const char* name, Model model, std::size_t weights, const std::function<Variable(Model&)>& run) {
  const UsingConfig test(&Config::train, false);
  const Array before = run(model).array().copy();
  const std::size_t count = inference::quantize_weights(model, {.bits = 8, .group = 8, .least_size = 0}).size();
  const Array after = run(model).array().copy();
  const double difference = largest_difference(before, after), range = max(abs(before)).item<double>();
  const bool good = count == weights && difference > 0 && difference < 0.02 * range &&
                    largest_difference(after, run(model).array()) == 0;
  if (!good) std::printf("%s: %zu weights, difference %g of %g\n", name, count, difference, range);
  return good;
}

}  // namespace

TEST(links_of_links_with_few_bits) {
  random::RandomState draw(3);
  random::seed(3);
  const Array x = draw.normal(0, 1, {3, 16}, float32), h = draw.normal(0, 1, {3, 16}, float32);
  const Array texts = draw.normal(0, 1, {2, 5, 16}, float32);
  const auto twice = [&](auto& link) { return link.reset_state(), link(x), link(x); };
  EXPECT(keeps_its_results<L::LSTM>("LSTM", L::LSTM(16, 16), 2, twice));
  EXPECT(keeps_its_results<L::LSTM>("LSTM without in_size", L::LSTM(16), 2, twice));
  EXPECT(keeps_its_results<L::StatelessLSTM>("StatelessLSTM", L::StatelessLSTM(16, 16), 2,
                                             [&](auto& link) { return link(h, h, x)[1]; }));
  EXPECT(keeps_its_results<L::StatefulGRU>("StatefulGRU", L::StatefulGRU(16, 16), 6, twice));
  EXPECT(keeps_its_results<L::StatefulMGU>("StatefulMGU", L::StatefulMGU(16, 16), 2, twice));
  EXPECT(keeps_its_results<L::StatefulPeepholeLSTM>("StatefulPeepholeLSTM", L::StatefulPeepholeLSTM(16, 16), 5, twice));
  EXPECT(keeps_its_results<L::StatefulZoneoutLSTM>("StatefulZoneoutLSTM", L::StatefulZoneoutLSTM(16, 16), 2, twice));
  const Variables nodes{h, x, x, h, x};
  EXPECT(keeps_its_results<L::ChildSumTreeLSTM>("ChildSumTreeLSTM", L::ChildSumTreeLSTM(16, 16), 3,
                                                [&](auto& link) { return link(nodes)[1]; }));
  EXPECT(keeps_its_results<L::NaryTreeLSTM>("NaryTreeLSTM", L::NaryTreeLSTM(16, 16, 2), 3,
                                            [&](auto& link) { return link(nodes)[1]; }));
  const auto once = [&](auto& link) { return link(x); };
  EXPECT(keeps_its_results<L::Maxout>("Maxout", L::Maxout(16, 8, 2), 1, once));
  EXPECT(keeps_its_results<L::Highway>("Highway", L::Highway(16), 2, once));
  EXPECT(keeps_its_results<L::LowRank>("LowRank", L::LowRank(L::Linear(16, 16), 4, {.initial_up = 0.5}), 1, once));
  EXPECT(keeps_its_results<L::MultiHeadAttention>("MultiHeadAttention", L::MultiHeadAttention(16, 2), 4,
                                                  [&](auto& link) { return link(texts); }));
  EXPECT(keeps_its_results<L::TransformerDecoderLayer>("TransformerDecoderLayer", L::TransformerDecoderLayer(16, 2), 10,
                                                       [&](auto& link) { return link(texts, texts); }));
}

TEST(low_rank_adapts_weights_of_few_bits) {
  random::RandomState draw(4);
  const Array x = draw.normal(0, 1, {3, 16}, float32);
  L::Linear trained(16, 24);
  trained.quantize({.bits = 4, .group = 8});
  L::LowRank adapted(trained.copy(), 4, {.alpha = 8, .initial_up = 0.5});
  EXPECT_EQ(adapted.down.shape(), Shape({4, 16}));
  EXPECT_EQ(adapted.up.shape(), Shape({24, 4}));
  L::Linear rounded(16, 24);
  rounded.W.set_array(host_kernels::to_float(trained.quantized()));
  L::LowRank plain(std::move(rounded), 4, {.alpha = 8});
  plain.down.set_array(adapted.down.array());
  plain.up.set_array(adapted.up.array());
  const auto gradients = [&](L::LowRank& link) {
    Variable in(x);
    link.cleargrads();
    const Variable y = link(in);
    F::sum(y * y).backward();
    EXPECT(!link.linear.b->grad());  // a constant
    return std::vector<Array>{y.array(), in.grad(), link.down.grad(), link.up.grad()};
  };
  const std::vector<Array> a = gradients(adapted), b = gradients(plain);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_CLOSE(a[i], b[i], {.atol = 1e-4, .rtol = 1e-4});
  EXPECT_THROW(RuntimeError, "LowRank: a weight of 4 bits can be neither merged nor unmerged", adapted.merge());
  plain.merge();
  plain.linear.quantize({.bits = 8, .group = 8});
  EXPECT(largest_difference(plain(x).array(), b[0]) < 0.1);
  EXPECT_THROW(RuntimeError, "LowRank: a weight of 8 bits can be neither merged nor unmerged", plain.unmerge());
}

// Quantized before or after the adaptation, with the gradients of a plain model with the rounded weights.
TEST(adaptations_of_models_with_few_bits) {
  random::RandomState draw(5);
  const Array x = draw.normal(0, 1, {2, 5, 16}, float32);
  const L::LowRankAdaptationOptions options{.rank = 2, .alpha = 6., .links = {"query", "linear1"}};
  const auto encoder = std::make_shared<L::TransformerEncoderLayer>(16, 2, L::TransformerLayerOptions{.dropout = 0});
  (void)encoder->forward(x);  // creates all weights
  const auto rounded = std::make_shared<L::TransformerEncoderLayer>(encoder->copy(CopyMode::copy));
  const auto late = std::make_shared<L::TransformerEncoderLayer>(encoder->copy(CopyMode::copy));
  (void)inference::quantize_weights(*encoder, {.bits = 4, .group = 8, .least_size = 0});
  for (const auto& [path, link] : encoder->namedlinks())
    if (auto* const q = dynamic_cast<L::Linear*>(link))
      for (const auto& [other_path, other] : rounded->namedlinks())
        if (other_path == path) dynamic_cast<L::Linear*>(other)->W.set_array(host_kernels::to_float(q->quantized()));
  L::LowRankAdaptation adapted(encoder, options), expected(rounded, options), adapted_before(late, options);
  (void)inference::quantize_weights(*late, {.bits = 4, .group = 8, .least_size = 0});
  random::RandomState up(6);
  for (const auto& [path, p] : expected.namedparams()) {
    const Array values = up.normal(0, 0.3, p.shape(), float32);
    for (L::LowRankAdaptation* const other : {&adapted, &expected, &adapted_before})
      for (auto& [other_path, q] : other->namedparams())
        if (other_path == path) q.set_array(values.copy());
  }
  const auto gradients = [&](L::LowRankAdaptation& model) {
    Variable in(x);
    model.cleargrads();
    const Variable y = model(in);
    F::sum(y * y * y).backward();
    std::vector<Array> all{y.array(), in.grad()};
    for (const auto& [path, p] : model.namedparams()) all.push_back(p.grad());
    return all;
  };
  const std::vector<Array> plain = gradients(expected);
  EXPECT_EQ(plain.size(), std::size_t{6});
  for (L::LowRankAdaptation* const other : {&adapted, &adapted_before}) {
    const std::vector<Array> all = gradients(*other);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_CLOSE(all[i], plain[i], {.atol = 1e-4, .rtol = 1e-3});
    EXPECT_THROW(RuntimeError, "the weight of /attention/query has 4 bits and cannot be merged", other->merge());
  }
}

namespace {

// Reads W itself.
struct ReadsItsWeight : L::Linear {
  using L::Linear::Linear;
  CHAINER_LINK(ReadsItsWeight);
  Variable forward(const Variable& x) { return F::linear(x, W * 2); }
};

struct SeveralLinks : Chain {
  L::Linear first{16, 16}, second{16, 16};
  ReadsItsWeight third{16, 16};
  CHAINER_MEMBERS(SeveralLinks, first, second, third);
};

}  // namespace

TEST(all_weights_are_quantized_or_none) {
  SeveralLinks net;
  Array w = net.second.W.array();
  w.set({3, 3}, std::numeric_limits<float>::infinity());
  EXPECT_THROW(ValueError, "quantize_weights: /second: Linear: a weight is inf",
               inference::quantize_weights(net, {.group = 8, .least_size = 0}));
  EXPECT(net.first.W.is_initialized());
  w.set({3, 3}, 0);
  net.second.add_hook(std::make_shared<link_hooks::SpectralNormalization>());
  EXPECT_THROW(RuntimeError, "quantize_weights: /second: Linear: the hook SpectralNormalization",
               inference::quantize_weights(net, {.group = 8, .least_size = 0}));
  EXPECT(net.first.W.is_initialized());
  net.second.delete_hook("SpectralNormalization");
  // Classes derived from Linear stay.
  EXPECT_EQ(inference::quantize_weights(net, {.group = 8, .least_size = 0}).size(), std::size_t{2});
  EXPECT(net.third.W.is_initialized());
  EXPECT_EQ(net.third(zeros({1, 16})).shape(), Shape({1, 16}));
}

TEST(weights_that_hooks_compute_with_are_not_quantized) {
  L::Linear link(16, 8);
  link.add_hook(std::make_shared<link_hooks::SpectralNormalization>());
  EXPECT_THROW(RuntimeError, "Linear: the hook SpectralNormalization computes with W; delete it before",
               inference::quantize_weights(link, {.group = 8, .least_size = 0}));
  EXPECT(link.W.is_initialized());
  const auto words = std::make_shared<L::EmbedID>(20, 16);
  const L::LowRankAdaptation adapted(std::make_shared<Sequential>(words), {.links = {"0"}});
  EXPECT_THROW(RuntimeError, "EmbedID: the hook LowRankAdaptation computes with W", words->quantize());
}

// Other forms of the network contain the rounded weights as floats.
TEST(links_with_few_bits_are_exported) {
  TaggingNet net;
  (void)inference::quantize_weights(net, {.bits = 4, .group = 8, .least_size = 0});
  const UsingConfig test(&Config::train, false);
  const inference::Prepared prepared = inference::prepare(net, {ids()});
  const Array more = array({1, 2, 3, 4, 5, 6, 7, 8, 9}).reshape({3, 3}).astype(int32);
  for (int call = 0; call < 3; ++call) EXPECT_CLOSE(prepared(more), net(more).array());
  EXPECT_CLOSE(prepared(ids()), net(ids()).array());
}

TEST(files_of_links_with_few_bits) {
  const UsingConfig test(&Config::train, false);
  for (const int bits : {4, 8}) {
    TaggingNet net, other;
    const auto quantize = [&](TaggingNet& n) {
      return inference::quantize_weights(n, {.bits = bits, .group = 8, .search = false, .least_size = 0});
    };
    (void)quantize(net), (void)quantize(other);
    EXPECT(largest_difference(net(ids()).array(), other(ids()).array()) > 0.1);
    serializers::save_npz(test::folder / "few.npz", net);
    serializers::load_npz(test::folder / "few.npz", other);
    EXPECT_EQ(largest_difference(net(ids()).array(), other(ids()).array()), 0);
    TaggingNet third;
    (void)quantize(third);
    serializers::save_safetensors(test::folder / "few.safetensors", net);
    serializers::load_safetensors(test::folder / "few.safetensors", third);
    EXPECT_EQ(largest_difference(net(ids()).array(), third(ids()).array()), 0);
    TaggingNet wrong;
    (void)inference::quantize_weights(wrong, {.bits = 12 - bits, .group = 8, .least_size = 0});
    EXPECT_THROW(Error, "W_values", serializers::load_npz(test::folder / "few.npz", wrong));
  }
}

TEST(text_is_generated_with_few_bits) {
  random::seed(5);
  models::Gpt2 gpt({.vocab_size = 60, .n_positions = 32, .n_embd = 32, .n_layer = 2, .n_head = 2, .n_inner = 64});
  models::Gpt2 rounded = gpt.copy(CopyMode::copy);
  const auto report = inference::quantize_weights(gpt, {.bits = 4, .group = 32, .least_size = 0});
  EXPECT_EQ(report.size(), std::size_t{14});
  const auto all = gpt.namedlinks(), others = rounded.namedlinks();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (auto* const l = dynamic_cast<L::Linear*>(all[i].second))
      dynamic_cast<L::Linear*>(others[i].second)->W.set_array(host_kernels::to_float(l->quantized()));
    if (auto* const l = dynamic_cast<L::EmbedID*>(all[i].second))
      dynamic_cast<L::EmbedID*>(others[i].second)->W.set_array(host_kernels::to_float(l->quantized()));
  }
  const std::vector<std::vector<int32_t>> prompts{{1, 2, 3}, {7}};
  EXPECT(models::generate(gpt, prompts, {.max_new_tokens = 12}) ==
         models::generate(rounded, prompts, {.max_new_tokens = 12}));
}

TEST(quantize_weights_rejects_options) {
  L::Linear link(16, 8);
  EXPECT_THROW(ValueError, "quantize_weights: weights have 4 or 8 bits, not 3",
               inference::quantize_weights(link, {.bits = 3}));
  EXPECT_THROW(ValueError, "multiple of 8 elements, not 12", inference::quantize_weights(link, {.group = 12}));
  Array w = link.W.array();
  w.set({0, 0}, std::numeric_limits<float>::infinity());
  EXPECT_THROW(ValueError, "Linear: a weight is inf", inference::quantize_weights(link, {.least_size = 0}));
  EXPECT(link.W.is_initialized());
  L::Linear later(std::nullopt, 3);
  EXPECT_THROW(RuntimeError, "unknown before the first call", later.quantize());
}

TEST(rows_of_few_bits_have_the_dtype_of_the_weight) {
  for (const Dtype dtype : {float16, float32, float64}) {
    const UsingConfig wide(&Config::dtype, dtype);
    L::EmbedID words(64, 32);
    (void)inference::quantize_weights(words, {.least_size = 1});
    EXPECT_EQ(words(arange(5).astype(int32)).dtype(), dtype);
  }
}

TEST(weights_of_an_adapted_model_are_quantized) {
  Sequential model(L::Linear(64, 64), F::relu, L::Linear(64, 64));
  L::LowRankAdaptation adapted(model, {.rank = 2, .links = {"0"}});
  EXPECT_EQ(inference::quantize_weights(adapted).size(), std::size_t(2));
}

TEST(weights_of_wrapped_links_are_quantized_once) {
  Sequential model(L::Linear(64, 64), F::relu, L::Linear(64, 64));
  auto fixed = static_graph(model);
  EXPECT_EQ(inference::quantize_weights(fixed).size(), std::size_t(2));
  Sequential inner(L::Linear(64, 64));
  Sequential outer(L::LowRankAdaptation(inner, {.rank = 2, .links = {"0"}}), L::Linear(64, 64));
  EXPECT_EQ(inference::quantize_weights(outer).size(), std::size_t(2));
}
