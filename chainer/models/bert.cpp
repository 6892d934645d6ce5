// SPDX-License-Identifier: MIT
#include "chainer/models/bert.h"

#include "chainer/functions/functions.h"
#include "chainer/models/model_config.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"
#include "chainer/serializers/safetensors.h"

namespace chainer::models {

BertConfig BertConfig::load(const std::filesystem::path& file) {
  BertConfig c;
  read_config(file, "bert", [&](const json::Value& v) {
    c.vocab_size = count_of(v, "vocab_size", c.vocab_size);
    c.hidden_size = count_of(v, "hidden_size", c.hidden_size);
    c.num_hidden_layers = count_of(v, "num_hidden_layers", c.num_hidden_layers);
    c.num_attention_heads = count_of(v, "num_attention_heads", c.num_attention_heads);
    c.intermediate_size = count_of(v, "intermediate_size", c.intermediate_size);
    c.max_position_embeddings = count_of(v, "max_position_embeddings", c.max_position_embeddings);
    c.type_vocab_size = count_of(v, "type_vocab_size", c.type_vocab_size);
    c.layer_norm_eps = eps_of(v, "layer_norm_eps", c.layer_norm_eps);
    c.hidden_dropout_prob = share_of(v, "hidden_dropout_prob", c.hidden_dropout_prob);
    c.hidden_act = json::text_of(v, "hidden_act", c.hidden_act);
    (void)activation(c.hidden_act);
    for (const char* other : {"is_decoder", "add_cross_attention"})
      if (json::is_true(v, other)) throw ValueError("'", other, "' is not supported");
    if (const std::string kind = json::text_of(v, "position_embedding_type", "absolute"); kind != "absolute")
      throw ValueError("position_embedding_type '", kind, "' is not supported; supported: absolute");
    if (c.hidden_size % c.num_attention_heads != 0)
      throw ValueError("hidden_size ", c.hidden_size, " is no multiple of num_attention_heads ", c.num_attention_heads);
  });
  return c;
}

Bert::Bert(const BertConfig& c, const L::TransformerOptions& options)
    : words(c.vocab_size, c.hidden_size),
      positions(c.max_position_embeddings, c.hidden_size),
      types(c.type_vocab_size, c.hidden_size),
      norm(c.hidden_size, {.eps = c.layer_norm_eps}),
      encoder(c.num_hidden_layers, c.hidden_size, c.num_attention_heads,
              {.feedforward = c.intermediate_size,
               .dropout = c.hidden_dropout_prob,
               .activation = activation(c.hidden_act),
               .eps = c.layer_norm_eps},
              options),
      pooler(c.hidden_size, c.hidden_size),
      config_(c) {}

Bert Bert::load(const std::filesystem::path& folder, const L::TransformerOptions& options) {
  Bert model(BertConfig::load(folder / "config.json"), options);
  const serializers::SafetensorsFile file(folder / "model.safetensors");
  const std::string prefix = file.contains("bert.embeddings.word_embeddings.weight") ? "bert." : "";
  std::map<std::string, std::string> names{{"words", prefix + "embeddings.word_embeddings"},
                                           {"positions", prefix + "embeddings.position_embeddings"},
                                           {"types", prefix + "embeddings.token_type_embeddings"},
                                           {"norm", prefix + "embeddings.LayerNorm"},
                                           {"pooler", prefix + "pooler.dense"}};
  for (std::size_t i = 0; i < model.encoder.layers.size(); ++i) {
    const std::string ours = text("encoder/layers/", i, "/"), theirs = text(prefix, "encoder.layer.", i, ".");
    for (const char* part : {"query", "key", "value"})
      names[ours + "attention/" + part] = theirs + "attention.self." + part;
    names[ours + "attention/output"] = theirs + "attention.output.dense";
    names[ours + "norm1"] = theirs + "attention.output.LayerNorm";
    names[ours + "linear1"] = theirs + "intermediate.dense";
    names[ours + "linear2"] = theirs + "output.dense";
    names[ours + "norm2"] = theirs + "output.LayerNorm";
  }
  // Files of early versions name the parts of a LayerNorm otherwise.
  const auto links = names;
  for (const auto& [ours, theirs] : links)
    for (const char* part : {"gamma", "beta"})
      if (file.contains(theirs + "." + part)) names[ours + "/" + part] = theirs + "." + part;
  const serializers::LoadReport report = serializers::load_safetensors(
      file, model, {.from = serializers::WeightNames::pytorch, .strict = false, .names = names});
  std::string missing;
  for (const std::string& name : report.missing)
    if (!name.starts_with("pooler") && !name.starts_with("/pooler")) missing += "\n  " + name;
  if (!missing.empty()) throw ValueError(file.what(), ": weights of a BERT model are missing:", missing);
  return model;
}

Variable Bert::forward(const Variable& ids, const BertInputs& in) {
  const Shape& s = ids.shape();
  if (s.ndim() != 2) throw DimensionError("Bert: expected ids of shape (N, L), got ", s);
  if (s[1] > config_.max_position_embeddings)
    throw DimensionError("Bert: the model has ", config_.max_position_embeddings, " positions, the ids ", s[1]);
  for (const Array& a : {in.type_ids, in.mask})
    if (a && a.shape() != s)
      throw DimensionError("Bert: type_ids and mask must have the shape of ids, ", s, ", got ", a.shape());
  expect_boolean("Bert", in.mask);
  const Array of_types = in.type_ids ? in.type_ids : zeros(s, int32, ids.device());
  const Array places = arange(s[1]).astype(int32).to_device(ids.device());
  Variable h = words(ids) + types(of_types);
  h = h + functions::broadcast_to(positions(places), h.shape());
  h = functions::dropout(norm(h, 2), config_.hidden_dropout_prob);
  // Scores are (N, heads, L, S).
  Array mask;  // by a function, so that exported files can have it as an input
  if (in.mask) mask = functions::reshape(Variable(in.mask, false), {s[0], 1, 1, s[1]}).array();
  return encoder(h, L::TransformerContext{.mask = mask});
}

Variable Bert::pooled(const Variable& h) { return functions::tanh(pooler(functions::get_item(h, {Slice(), 0}))); }

CHAINER_DEFINE_MEMBERS(Bert, words, positions, types, norm, encoder, pooler)

Variable mean_of_tokens(const Variable& h, const Array& mask) {
  if (h.ndim() != 3 || mask.shape() != Shape{h.shape()[0], h.shape()[1]})
    throw DimensionError("mean_of_tokens: expected h (N, L, D) and a mask (N, L), got ", h.shape(), " and ",
                         mask.shape());
  expect_boolean("mean_of_tokens", mask);
  const Variable m = functions::cast(Variable(mask.to_device(h.device()), false), h.dtype());
  const Variable count = functions::clip(functions::sum(m, 1, {.keepdims = true}), 1, 1e9);
  const Variable weights =
      functions::reshape(m / functions::broadcast_to(count, m.shape()), {m.shape()[0], m.shape()[1], 1});
  return functions::sum(h * functions::broadcast_to(weights, h.shape()), 1);
}

}  // namespace chainer::models
