// SPDX-License-Identifier: MIT
// Text by a language model, token by token.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "chainer/core/other_options.h"
#include "chainer/models/gpt2.h"

namespace chainer::models {

/// Options of generate().
struct GenerationOptions {
  int64_t max_new_tokens = 50;
  double temperature = 0;           ///< 0 takes the most probable token; 1 draws from the model's probabilities
  int64_t top_k = 0;                ///< draws from the k most probable tokens; 0 for all
  double top_p = 1;                 ///< draws from the fewest tokens whose probabilities sum up to p
  std::optional<int32_t> end = {};  ///< a token that ends a sequence
  /// Called with the next token of each sequence, -1 for ended ones; false ends the generation.
  std::function<bool(const std::vector<int32_t>&)> stream = {};
};
/// Returns the continuations of prompts, which may have different lengths, without the prompts and with the token `end`
/// if it was reached. Computes in test mode, without a graph, and only the new position of each step. A sequence ends
/// with n_positions tokens, or one more if its prompt has as many; a batch ends at most one step after its longest
/// sequence. Draws one number of random::global() for each prompt and step if
/// temperature > 0. Throws ValueError for an empty prompt, a prompt of more than n_positions tokens, a negative
/// temperature or count, or top_p outside of (0, 1].
///   const auto write = [](models::Gpt2& gpt, const std::vector<int32_t>& prompt) {
///     return models::generate(gpt, {prompt}, {.temperature = 0.8, .top_k = 50})[0];
///   };
std::vector<std::vector<int32_t>> generate(Gpt2& model, const std::vector<std::vector<int32_t>>& prompts,
                                           const GenerationOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(generate, ".max_new_tokens, .temperature, .top_k, .top_p, .end, .stream", Gpt2&,
                         const std::vector<std::vector<int32_t>>&);

/// Draws a token by its score as generate() does; `number` is uniform in [0, 1). Throws ValueError for no scores, or
/// NaN.
int32_t drawn_token(const std::vector<float>& scores, const GenerationOptions& options, double number);

}  // namespace chainer::models
