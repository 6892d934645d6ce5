// SPDX-License-Identifier: MIT
// Models of tokenizers: from a word to tokens.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "chainer/core/json.h"

namespace chainer::tokenizers {

/// A hash of text that looks up a std::string_view without a copy.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
};
using Ids = std::unordered_map<std::string, int32_t, TextHash, std::equal_to<>>;

/// The tokens of a file, by id and by spelling.
struct Vocabulary {
  std::vector<std::string> tokens;
  Ids ids;
  /// Throws ValueError for a negative or too large id, an id of two tokens, or a token with two ids.
  void add(const std::string& token, int64_t id);
  int32_t find(std::string_view token) const;  ///< or -1
  /// Throws ValueError, which names `role`, for a token that is missing.
  int32_t get(std::string_view token, std::string_view role) const;
};

class Model {
 public:
  virtual ~Model() = default;
  /// Appends the tokens of a word: bytes after the steps before the model.
  virtual void encode(std::string_view word, std::vector<int32_t>& ids) const = 0;
};

/// Reads the object "model" of a tokenizer.json of type BPE, with byte-level words. Each token is its own bytes, not
/// the printable characters that files have for them.
std::unique_ptr<Model> bpe_model(const json::Value& model, const Vocabulary& vocabulary);
/// Reads a model of type WordPiece.
std::unique_ptr<Model> word_piece_model(const json::Value& model, const Vocabulary& vocabulary);

/// Reads a model of type Unigram, whose "vocab" lists tokens and their scores.
std::unique_ptr<Model> unigram_model(const json::Value& model, const Vocabulary& vocabulary);

/// Returns the bytes that GPT-2's printable characters stand for; false if a character stands for none.
bool bytes_of_printable(std::string_view token, std::string& bytes);
/// Returns GPT-2's printable characters for bytes.
std::string printable_of_bytes(std::string_view bytes);

}  // namespace chainer::tokenizers
