// SPDX-License-Identifier: MIT
// BERT and its descendants (MiniLM, sentence embeddings): Devlin et al., arXiv:1810.04805.
#pragma once
#include <filesystem>
#include <string>

#include "chainer/core/other_options.h"
#include "chainer/links/attention.h"
#include "chainer/links/links.h"

namespace chainer::models {

/// The members of a config.json; defaults are those of bert-base-uncased.
struct BertConfig {
  int64_t vocab_size = 30522;
  int64_t hidden_size = 768;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 12;
  int64_t intermediate_size = 3072;
  int64_t max_position_embeddings = 512;
  int64_t type_vocab_size = 2;
  double layer_norm_eps = 1e-12;
  double hidden_dropout_prob = 0.1;  ///< also of the attention
  std::string hidden_act = "gelu";   ///< gelu, gelu_new, gelu_pytorch_tanh, relu, silu

  /// Reads a config.json. Throws FileError if it cannot be read, ValueError for a member of another type, a count that
  /// is not positive, or another kind of model.
  static BertConfig load(const std::filesystem::path& file);
};

/// Optional arguments of Bert::forward().
struct BertInputs {
  Array type_ids = {};  ///< (N, L), of two texts; zeros by default
  Array mask = {};      ///< (N, L) bool_, false for padding, as Tokenizer::encode_batch() returns it
};

/// Embeddings of tokens, positions and texts, a TransformerEncoder, and a pooler. forward() returns the last hidden
/// states (N, L, hidden_size) of ids (N, L). Throws IndexError for an id that is not in the vocabulary, DimensionError
/// for another number of axes or more than max_position_embeddings positions.
///   models::Bert bert({.vocab_size = 100, .hidden_size = 16, .num_hidden_layers = 1, .num_attention_heads = 2});
class Bert : public Chain {
 public:
  explicit Bert(const BertConfig& config, const L::TransformerOptions& options = {});
  CHAINER_OTHER_OPTIONS(Bert, ".norm, .checkpoint", const BertConfig&);
  /// Reads a folder with config.json and model.safetensors, as the package `transformers` writes them. A pooler that is
  /// not in the file keeps its initial weights. Throws ValueError, which lists all mismatches.
  static Bert load(const std::filesystem::path& folder, const L::TransformerOptions& options = {});
  Variable forward(const Variable& ids, const BertInputs& inputs = {});
  /// Returns tanh(pooler(h of the first token)) for the states h of forward(): (N, hidden_size).
  Variable pooled(const Variable& h);
  const BertConfig& config() const { return config_; }

  L::EmbedID words, positions, types;
  L::LayerNormalization norm;
  L::TransformerEncoder encoder;
  L::Linear pooler;
  CHAINER_DECLARE_MEMBERS(Bert);

 private:
  BertConfig config_;
};

/// Returns the mean of the states h (N, L, D) over the tokens of a mask (N, L): embeddings of sentences (N, D). A row
/// without tokens gives 0. Reimers & Gurevych, arXiv:1908.10084.
Variable mean_of_tokens(const Variable& h, const Array& mask);

}  // namespace chainer::models
