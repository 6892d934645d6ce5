// SPDX-License-Identifier: MIT
// Transformers with the weights of files against results of the package `transformers` (tests/interop/make_models.py).
#include <chainer/chainer.h>
#include <chainer/models/bert.h>
#include <chainer/models/generate.h>

#include "chainer/core/system/file.h"
#include "folder.h"
#include "test.h"

using namespace chainer;

namespace {

namespace fs = std::filesystem;
const fs::path data = fs::path(TEST_DATA) / "models";

std::vector<int32_t> integers(const Array& a) {
  std::vector<int32_t> out;
  for (const int64_t v : a.to_vector<int64_t>()) out.push_back(static_cast<int32_t>(v));
  return out;
}

// A copy of a folder of data in which a part of the configuration is replaced.
fs::path changed(const std::string& name, const std::string& from, const std::string& to) {
  static int made = 0;
  const fs::path folder = test::folder / text(name, "-", made++);
  fs::copy(data / name, folder);
  std::string config = read_file(folder / "config.json");
  const std::size_t at = config.find(from);
  if (at == config.npos) throw ValueError("the configuration has no ", from);
  write_file(folder / "config.json", config.replace(at, from.size(), to));
  return folder;
}

}  // namespace

TEST(bert_has_the_states_of_the_package) {
  const UsingConfig test(&Config::train, false);
  models::Bert bert = models::Bert::load(data / "bert");
  const serializers::NpzFile results(data / "bert" / "results.npz");
  const Array ids = results.array("ids"), mask = results.array("mask");
  const Variable h = bert(ids, models::BertInputs{.type_ids = results.array("types"), .mask = mask});
  const Array counted = mask.astype(float32).reshape({3, 9, 1});
  EXPECT_CLOSE(h.array() * counted, results.array("states") * counted, {.atol = 2e-5});
  EXPECT_CLOSE(bert.pooled(h).array(), results.array("pooled"), {.atol = 2e-5});
  // The mean over tokens, and for a text without tokens.
  const Array means = models::mean_of_tokens(h, mask).array();
  EXPECT_CLOSE(means[1], mean(h.array()[{1, Slice(0, 4)}], {0}), {.atol = 1e-6});
  EXPECT_CLOSE(models::mean_of_tokens(h, zeros({3, 9}, bool_)).array(), zeros({3, 16}));
  // Padding changes nothing.
  const Variable shorter = bert(ids[{Slice(1, 2), Slice(0, 4)}],
                                models::BertInputs{.type_ids = results.array("types")[{Slice(1, 2), Slice(0, 4)}]});
  EXPECT_CLOSE(shorter.array()[0], h.array()[{1, Slice(0, 4)}], {.atol = 1e-5});
  EXPECT_THROW(DimensionError, "12 positions, the ids 13", bert(zeros({1, 13}, int32)));
  EXPECT_THROW(DimensionError, "ids of shape (N, L), got (3,)", bert(zeros({3}, int32)));
  EXPECT_THROW(DimensionError, "must have the shape of ids",
               bert(ids, models::BertInputs{.mask = ones({3, 8}, bool_)}));
  EXPECT_THROW(DimensionError, "a mask (N, L)", models::mean_of_tokens(h, ones({3}, bool_)));
}

TEST(gpt2_has_the_scores_of_the_package) {
  const UsingConfig test(&Config::train, false);
  models::Gpt2 gpt = models::Gpt2::load(data / "gpt2");
  const serializers::NpzFile results(data / "gpt2" / "results.npz");
  const Array ids = results.array("ids");
  const Variable scores = gpt(ids);
  EXPECT_CLOSE(scores.array(), results.array("scores"), {.atol = 5e-5, .rtol = 1e-4});
  // The loss without all scores, and its gradients, which also reach the embedding.
  gpt.cleargrads();
  const Variable loss = F::linear_cross_entropy(gpt.hidden(ids), gpt.words.W, ids);
  EXPECT_CLOSE(loss.array(), F::softmax_cross_entropy(F::reshape(scores, {30, 50}), ids.ravel()).array(),
               {.atol = 1e-5});
  loss.backward();
  const Array g = gpt.words.W.grad().copy();
  gpt.cleargrads();
  F::softmax_cross_entropy(F::reshape(gpt(ids), {30, 50}), ids.ravel()).backward();
  EXPECT_CLOSE(g, gpt.words.W.grad(), {.atol = 1e-5});
  EXPECT_THROW(DimensionError, "24 positions, the text 25", gpt(zeros({1, 25}, int32)));
}

TEST(greedy_continuations_are_those_of_the_package) {
  models::Gpt2 gpt = models::Gpt2::load(data / "gpt2");
  const serializers::NpzFile results(data / "gpt2" / "results.npz");
  const Array ids = results.array("ids"), greedy = results.array("greedy");
  std::vector<std::vector<int32_t>> prompts;
  for (int64_t i = 0; i < 3; ++i) prompts.push_back(integers(ids[{i, Slice(0, 3 + 3 * i)}]));
  int calls = 0;
  const auto all =
      models::generate(gpt, prompts, {.max_new_tokens = 12, .stream = [&](const std::vector<int32_t>& next) {
                                        EXPECT_EQ(next.size(), 3u);
                                        return ++calls < 100;
                                      }});
  EXPECT_EQ(calls, 12);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT(all[i] == integers(greedy[static_cast<int64_t>(i)]));
    EXPECT(models::generate(gpt, {prompts[i]}, {.max_new_tokens = 12})[0] == all[i]);  // alone as in a batch
  }
  // The end of a sequence, of the stream, and of the positions.
  const auto ended = models::generate(gpt, prompts, {.max_new_tokens = 12, .end = all[0][2]});
  const auto first = std::find(all[0].begin(), all[0].end(), all[0][2]);
  EXPECT(ended[0] == std::vector<int32_t>(all[0].begin(), first + 1));
  calls = 0;
  EXPECT_EQ(models::generate(gpt, prompts, {.stream = [&](const auto&) { return ++calls < 4; }})[1].size(), 4u);
  EXPECT_EQ(models::generate(gpt, {prompts[0]}, {.max_new_tokens = 100})[0].size(), 21u);
  EXPECT(models::generate(gpt, {}).empty());
  EXPECT_EQ(models::generate(gpt, prompts, {.max_new_tokens = 0})[0].size(), 0u);
  EXPECT_THROW(ValueError, "prompts of 1 to 24 tokens, got 0", models::generate(gpt, {{}}));
  EXPECT_THROW(ValueError, "top_p must be in (0, 1], got 0", models::generate(gpt, prompts, {.top_p = 0}));
  EXPECT_THROW(ValueError, "temperature must not be negative, got -1",
               models::generate(gpt, prompts, {.temperature = -1}));
  EXPECT_THROW(IndexError, "50", models::generate(gpt, {{50}}));
}

TEST(tokens_are_drawn_by_their_probabilities) {
  const std::vector<float> scores{0, 2, 1, -1};
  EXPECT_EQ(models::drawn_token(scores, {}, 0.9), 1);
  EXPECT_EQ(models::drawn_token(scores, {.temperature = 1, .top_k = 1}, 0.99), 1);
  const auto shares = [&](const models::GenerationOptions& o) {
    std::vector<double> out(4);
    for (int i = 0; i < 4000; ++i)
      out[static_cast<std::size_t>(models::drawn_token(scores, o, i / 4000.0))] += 1 / 4000.0;
    return array(out);
  };
  const auto softmax = [&](double temperature, const std::vector<double>& kept) {
    const Array e = exp(array(scores).astype(float64) / temperature) * array(kept);
    return e / sum(e);
  };
  EXPECT_CLOSE(shares({.temperature = 1}), softmax(1, {1, 1, 1, 1}), {.atol = 1e-3});
  EXPECT_CLOSE(shares({.temperature = 0.5}), softmax(0.5, {1, 1, 1, 1}), {.atol = 1e-3});
  EXPECT_CLOSE(shares({.temperature = 1, .top_k = 2}), softmax(1, {0, 1, 1, 0}), {.atol = 1e-3});
  EXPECT_CLOSE(shares({.temperature = 1, .top_p = 0.7}), softmax(1, {0, 1, 1, 0}), {.atol = 1e-3});
  EXPECT_CLOSE(shares({.temperature = 1, .top_p = 0.6}), softmax(1, {0, 1, 0, 0}), {.atol = 1e-3});
  EXPECT_CLOSE(shares({.temperature = 1, .top_k = 9}), softmax(1, {1, 1, 1, 1}), {.atol = 1e-3});
  models::Gpt2 gpt = models::Gpt2::load(data / "gpt2");
  const auto draw = [&] {
    random::seed(4);
    return models::generate(gpt, {{1, 2}, {3}}, {.max_new_tokens = 9, .temperature = 1});
  };
  EXPECT(draw() == draw());
}

TEST(scores_that_are_none_are_refused) {
  EXPECT_THROW(ValueError, "there are no scores", models::drawn_token({}, {.temperature = 1}, 0.5));
  EXPECT_THROW(ValueError, "the score of token 1 is NaN", models::drawn_token({0, NAN}, {.temperature = 1}, 0.5));
}

TEST(files_of_early_versions_are_read) {
  const fs::path folder = test::folder / "early";
  fs::copy(data / "bert", folder);
  std::map<std::string, Array> arrays;
  const serializers::SafetensorsFile file(folder / "model.safetensors");
  for (const auto& [name, entry] : file.entries()) {
    std::string early = name;
    if (const std::size_t at = name.find("LayerNorm."); at != name.npos)
      early = name.substr(0, at) + (name.ends_with("weight") ? "LayerNorm.gamma" : "LayerNorm.beta");
    arrays[early] = file.array(name).copy();
  }
  serializers::write_safetensors(folder / "model.safetensors", arrays);
  const UsingConfig test(&Config::train, false);
  models::Bert a = models::Bert::load(data / "bert"), b = models::Bert::load(folder);
  const Array ids = array({{1, 2, 3}});
  EXPECT_CLOSE(a(ids).array(), b(ids).array(), {.atol = 0, .rtol = 0});
}

TEST(models_that_do_not_fit_are_refused) {
  using models::Bert, models::Gpt2;
  EXPECT_THROW(ValueError, "expected the model_type 'gpt2', got 'bert'", Gpt2::load(data / "bert"));
  EXPECT_THROW(FileError, "config.json", Bert::load(test::folder / "absent"));
  EXPECT_THROW(ValueError, "'hidden_size' must be an integer, not \"16\"",
               Bert::load(changed("bert", "\"hidden_size\": 16", "\"hidden_size\": \"16\"")));
  EXPECT_THROW(ValueError, "'num_hidden_layers' must be in 1 ... 2147483648, not 0",
               Bert::load(changed("bert", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 0")));
  EXPECT_THROW(ValueError, "activation 'gelu_fast' is not supported",
               Bert::load(changed("bert", "\"gelu\"", "\"gelu_fast\"")));
  EXPECT_THROW(ValueError, "weights of a BERT model are missing:",
               Bert::load(changed("bert", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3")));
  EXPECT_THROW(ValueError, "words/W", Bert::load(changed("bert", "\"vocab_size\": 150", "\"vocab_size\": 151")));
  EXPECT_THROW(ValueError, "hidden_size 16 is no multiple of num_attention_heads 5",
               Bert::load(changed("bert", "\"num_attention_heads\": 4", "\"num_attention_heads\": 5")));
  EXPECT_THROW(ValueError, "'is_decoder' is not supported",
               Bert::load(changed("bert", "\"is_decoder\": false", "\"is_decoder\": true")));
  EXPECT_THROW(ValueError, "unscaled attention is not supported",
               Gpt2::load(changed("gpt2", "\"scale_attn_weights\": true", "\"scale_attn_weights\": false")));
  EXPECT_THROW(ValueError, "'layer_norm_eps' must be positive, not -1",
               Bert::load(changed("bert", "\"layer_norm_eps\": 1e-12", "\"layer_norm_eps\": -1")));
  EXPECT_THROW(ValueError, "n_layer must be at least 1, not 0", Gpt2(models::Gpt2Config{.n_layer = 0}));
  EXPECT(!Gpt2::load(data / "gpt2", {.norm = false}).encoder.norm);
  Gpt2 gpt = Gpt2::load(data / "gpt2");
  EXPECT_THROW(TypeError, "Gpt2: the mask must be boolean, not float32",
               gpt(zeros({1, 2}, int32), models::Gpt2Inputs{.mask = ones({1, 2})}));
  EXPECT_THROW(DimensionError, "expected positions of shape (2, 3), got (2, 2)",
               gpt(zeros({2, 3}, int32), models::Gpt2Inputs{.positions = zeros({2, 2}, int32)}));
  EXPECT_THROW(ValueError, "h.2.ln_1.weight is missing",
               Gpt2::load(changed("gpt2", "\"n_layer\": 2", "\"n_layer\": 3")));
  EXPECT_THROW(ValueError, "wte.weight has the shape (50, 16), expected (51, 16)",
               Gpt2::load(changed("gpt2", "\"vocab_size\": 50", "\"vocab_size\": 51")));
  EXPECT_THROW(ValueError, "attn.c_attn.weight has the shape",
               Gpt2::load(changed("gpt2", "\"n_embd\": 16", "\"n_embd\": 20")));
}
