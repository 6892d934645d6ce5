// SPDX-License-Identifier: MIT
// GPT-2: Radford et al., "Language Models are Unsupervised Multitask Learners", 2019.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "chainer/core/other_options.h"
#include "chainer/links/attention.h"
#include "chainer/links/links.h"

namespace chainer::models {

/// The members of a config.json; defaults are those of gpt2 (124M).
struct Gpt2Config {
  int64_t vocab_size = 50257;
  int64_t n_positions = 1024;
  int64_t n_embd = 768;
  int64_t n_layer = 12;
  int64_t n_head = 12;
  int64_t n_inner = 3072;
  double layer_norm_epsilon = 1e-5;
  double dropout = 0.1;  ///< resid_pdrop, used for embeddings, attention and layers
  std::string activation_function = "gelu_new";

  /// As BertConfig::load().
  static Gpt2Config load(const std::filesystem::path& file);
};

/// Optional arguments of Gpt2::forward() and hidden().
struct Gpt2Inputs {
  Array mask = {};       ///< (N, S) bool_, false for padding, also for the positions of the caches
  Array positions = {};  ///< (N, L) integers; by default those after the caches
  std::vector<L::AttentionCache>* caches = nullptr;  ///< as of L::TransformerContext
};

/// A causal TransformerEncoder over embeddings of tokens and positions, whose projection to the scores of the next
/// token has the weights of the embedding. forward() returns the scores (N, L, vocab_size) of ids (N, L); hidden() the
/// states (N, L, n_embd) before the projection, for F::linear_cross_entropy(h, model.words.W, t).
class Gpt2 : public Chain {
 public:
  explicit Gpt2(const Gpt2Config& config, const L::TransformerOptions& options = {});
  CHAINER_OTHER_OPTIONS(Gpt2, ".norm, .checkpoint", const Gpt2Config&);
  /// Reads a folder with config.json and model.safetensors. Throws ValueError for weights that are missing or of
  /// another shape.
  static Gpt2 load(const std::filesystem::path& folder, const L::TransformerOptions& options = {});
  Variable hidden(const Variable& ids, const Gpt2Inputs& inputs = {});
  Variable forward(const Variable& ids, const Gpt2Inputs& inputs = {});
  const Gpt2Config& config() const { return config_; }

  L::EmbedID words, positions;
  L::TransformerEncoder encoder;
  CHAINER_DECLARE_MEMBERS(Gpt2);

 private:
  Gpt2Config config_;
};

}  // namespace chainer::models
