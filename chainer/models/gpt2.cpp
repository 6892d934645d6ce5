// SPDX-License-Identifier: MIT
#include "chainer/models/gpt2.h"

#include <optional>

#include "chainer/functions/functions.h"
#include "chainer/initializers/random.h"
#include "chainer/models/model_config.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/serializers/safetensors.h"

namespace chainer::models {
namespace {

const initializers::Normal kInitial(0.02);

// Copies arrays of a file to parameters, and collects what does not fit.
class Weights {
 public:
  Weights(const serializers::SafetensorsFile& file, std::string prefix) : file_(file), prefix_(std::move(prefix)) {}
  Array get(const std::string& name) {
    if (file_.contains(prefix_ + name)) return file_.array(prefix_ + name);
    problems_ += "\n  " + prefix_ + name + " is missing";
    return {};
  }
  void set(Parameter& p, const std::string& name, const Array& value, const std::optional<Shape>& shape = {}) {
    if (!value) return;
    if (const Shape& expected = shape ? *shape : p.shape(); value.shape() != expected)
      problems_ += text("\n  ", prefix_, name, " has the shape ", value.shape(), ", expected ", expected);
    else
      p.set_array(value.astype(p.dtype()));
  }
  void set(Parameter& p, const std::string& name) { set(p, name, get(name)); }
  void set(L::LayerNormalization& l, const std::string& name) {
    set(l.gamma, name + ".weight");
    set(l.beta, name + ".bias");
  }
  // The weights of `parts` products in one matrix (in, parts x out).
  void set(std::initializer_list<L::Linear*> parts, const std::string& name) {
    const Array W = get(name + ".weight"), b = get(name + ".bias");
    const auto n = static_cast<int64_t>(parts.size());
    const Shape& one = (*parts.begin())->W.shape();
    const Shape expected{one[1], n * one[0]};
    if (W && W.shape() != expected) return set((*parts.begin())->W, name + ".weight", W, expected);
    int64_t i = 0;
    for (L::Linear* l : parts) {
      const auto part = [&](const Array& a) {
        const int64_t size = a.ndim() ? a.shape(-1) / n : 0;
        return a.ndim() ? a[{Ellipsis(), Slice(i * size, (i + 1) * size)}] : a;
      };
      if (W) set(l->W, name + ".weight", part(W).T().copy());
      if (b) set(*l->b, name + ".bias", part(b).copy());
      ++i;
    }
  }
  void check() const {
    if (!problems_.empty()) throw ValueError(file_.what(), ": the weights are not those of this GPT-2:", problems_);
  }

 private:
  const serializers::SafetensorsFile& file_;
  std::string prefix_, problems_;
};

}  // namespace

Gpt2Config Gpt2Config::load(const std::filesystem::path& file) {
  Gpt2Config c;
  read_config(file, "gpt2", [&](const json::Value& v) {
    c.vocab_size = count_of(v, "vocab_size", c.vocab_size);
    c.n_positions = count_of(v, "n_positions", c.n_positions);
    c.n_embd = count_of(v, "n_embd", c.n_embd);
    c.n_layer = count_of(v, "n_layer", c.n_layer);
    c.n_head = count_of(v, "n_head", c.n_head);
    c.n_inner = count_of(v, "n_inner", 4 * c.n_embd);
    c.layer_norm_epsilon = eps_of(v, "layer_norm_epsilon", c.layer_norm_epsilon);
    c.dropout = share_of(v, "resid_pdrop", c.dropout);
    c.activation_function = json::text_of(v, "activation_function", c.activation_function);
    (void)activation(c.activation_function);
    for (const char* other : {"scale_attn_by_inverse_layer_idx", "reorder_and_upcast_attn", "add_cross_attention"})
      if (json::is_true(v, other)) throw ValueError("'", other, "' is not supported");
    if (!json::is_true(v, "scale_attn_weights", true)) throw ValueError("unscaled attention is not supported");
    if (!json::is_true(v, "tie_word_embeddings", true)) throw ValueError("untied word embeddings are not supported");
    if (c.n_embd % c.n_head != 0) throw ValueError("n_embd ", c.n_embd, " is no multiple of n_head ", c.n_head);
  });
  return c;
}

Gpt2::Gpt2(const Gpt2Config& c, const L::TransformerOptions& options)
    : words(c.vocab_size, c.n_embd, {.initialW = kInitial}),
      positions(c.n_positions, c.n_embd, {.initialW = kInitial}),
      encoder(c.n_layer, c.n_embd, c.n_head,
              {.feedforward = c.n_inner,
               .dropout = c.dropout,
               .activation = activation(c.activation_function),
               .norm_first = true,
               .eps = c.layer_norm_epsilon,
               .causal = true},
              options),
      config_(c) {
  if (c.n_layer < 1) throw ValueError("Gpt2: n_layer must be at least 1, not ", c.n_layer);
  // The second product of a layer is initialized now, not at the first call, so that weights can be loaded.
  const NoBackpropMode none;
  const UsingConfig test(&Config::train, false);
  (void)hidden(zeros({1, 1}, int32));
}

Gpt2 Gpt2::load(const std::filesystem::path& folder, const L::TransformerOptions& options) {
  Gpt2 model(Gpt2Config::load(folder / "config.json"), options);
  const serializers::SafetensorsFile file(folder / "model.safetensors");
  Weights weights(file, file.contains("transformer.wte.weight") ? "transformer." : "");
  weights.set(model.words.W, "wte.weight");
  weights.set(model.positions.W, "wpe.weight");
  for (std::size_t i = 0; i < model.encoder.layers.size(); ++i) {
    L::TransformerEncoderLayer& l = *model.encoder.layers[i];
    const std::string name = text("h.", i, ".");
    weights.set(l.norm1, name + "ln_1");
    weights.set({&l.attention.query, &l.attention.key, &l.attention.value}, name + "attn.c_attn");
    weights.set({&l.attention.output}, name + "attn.c_proj");
    weights.set(l.norm2, name + "ln_2");
    weights.set({&l.linear1}, name + "mlp.c_fc");
    weights.set({&l.linear2}, name + "mlp.c_proj");
  }
  if (model.encoder.norm) weights.set(*model.encoder.norm, "ln_f");
  weights.check();
  return model;
}

Variable Gpt2::hidden(const Variable& ids, const Gpt2Inputs& in) {
  const Shape& s = ids.shape();
  if (s.ndim() != 2) throw DimensionError("Gpt2: expected ids of shape (N, L), got ", s);
  const int64_t before = in.caches && !in.caches->empty() ? in.caches->front().length() : 0;
  if (before + s[1] > config_.n_positions)
    throw DimensionError("Gpt2: the model has ", config_.n_positions, " positions, the text ", before + s[1]);
  expect_boolean("Gpt2", in.mask);
  if (in.positions && in.positions.shape() != s)
    throw DimensionError("Gpt2: expected positions of shape ", s, ", got ", in.positions.shape());
  if (in.mask && in.mask.shape() != Shape{s[0], before + s[1]})
    throw DimensionError("Gpt2: expected a mask of shape ", Shape{s[0], before + s[1]}, ", got ", in.mask.shape());
  const Array places = in.positions ? in.positions : (arange(s[1]) + before).astype(int32).to_device(ids.device());
  Variable h = words(ids);
  h = functions::dropout(h + functions::broadcast_to(positions(places), h.shape()), config_.dropout);
  const Array mask = in.mask ? in.mask.reshape({s[0], 1, 1, before + s[1]}) : Array();
  return encoder(h, L::TransformerContext{.mask = mask, .caches = in.caches});
}

Variable Gpt2::forward(const Variable& ids, const Gpt2Inputs& in) { return words.scores(hidden(ids, in)); }

CHAINER_DEFINE_MEMBERS(Gpt2, words, positions, encoder)

}  // namespace chainer::models
