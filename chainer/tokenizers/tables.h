// SPDX-License-Identifier: MIT
// The parts of a tokenizer.
#pragma once
#include <memory>
#include <string>

#include "chainer/tokenizers/steps.h"
#include "chainer/tokenizers/tokenizer.h"

namespace chainer::tokenizers {

struct Tokenizer::Tables {
  std::string file;  // the text of its tokenizer.json
  Vocabulary vocabulary;
  Normalizer normalize;
  Splitter split;
  std::unique_ptr<Model> model;
  Templates templates;
  Decoder decode;
  std::vector<bool> special;    // by id
  AddedTokens raw, normalized;  // searched in the text, and in its normal form
  uint64_t serial = 0;          // distinguishes the tables of a process

  /// Appends the ids of a text without special tokens around it.
  void encode(std::string_view text, std::vector<int32_t>& ids) const;
  /// The ids of a word, from a cache of the thread.
  void encode_word(std::string_view word, std::vector<int32_t>& ids) const;
};

/// Makes a tokenizer from the text of a tokenizer.json. Throws ValueError.
Tokenizer from_json(const std::string& text);

}  // namespace chainer::tokenizers
