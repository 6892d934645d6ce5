// SPDX-License-Identifier: MIT
// Tokenizers: texts as sequences of integers, for embeddings. Reads the files of the packages `tokenizers` and
// `transformers`, and trains byte-level BPE.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/array/array.h"
#include "chainer/core/other_options.h"

namespace chainer::tokenizers {

/// Options of Tokenizer::encode_batch().
struct BatchOptions {
  std::optional<int64_t> max_length = {};  ///< longer sequences are truncated; special tokens are kept
  std::optional<int64_t> length = {};      ///< the length of all sequences; by default the longest one's
  bool special_tokens = true;              ///< add those that begin, separate and end sequences
};
/// Sequences of a batch, padded at their ends. All arrays have shape (N, L).
struct Batch {
  Array ids;       ///< int32
  Array type_ids;  ///< int32: 0 for a text, 1 for the second text of a pair
  Array mask;      ///< bool_: false for padding
};
/// Options of Tokenizer::train_byte_level_bpe().
struct TrainingOptions {
  int64_t vocabulary = 30000;  ///< the number of tokens, with the 256 bytes and the special tokens
  int64_t min_frequency = 2;   ///< rarer pairs are not merged
  bool add_prefix_space = false;
  std::vector<std::string> special_tokens = {};  ///< get the first ids
};

/// A tokenizer: normalization, splitting into words, a model (byte-level BPE, WordPiece or Unigram, which SentencePiece
/// trains), and special tokens. Texts are UTF-8; invalid parts count as U+FFFD. Several threads may use one at the same
/// time. Copies share their tables.
class Tokenizer {
 public:
  /// Reads a file tokenizer.json, or a folder that contains one, or vocab.json and merges.txt (GPT-2), or vocab.txt
  /// (BERT, in lower case). Truncation and padding of the file do not apply. Throws FileError if there is no file,
  /// ValueError, which names the file, for damage or for parts that are not supported.
  static Tokenizer load(const std::filesystem::path& path);
  /// GPT-2's byte-level BPE (Sennrich et al., arXiv:1508.07909; Radford et al., 2019).
  static Tokenizer byte_level_bpe(const std::filesystem::path& vocab_json, const std::filesystem::path& merges_txt);
  /// BERT's WordPiece. The vocabulary contains [UNK], and [CLS] and [SEP] if special tokens are to be added.
  static Tokenizer word_piece(const std::filesystem::path& vocab_txt, bool lowercase = true);
  /// Learns the most frequent pairs of a corpus of lines or documents. Equally frequent pairs are merged in the order
  /// of their ids. Throws ValueError if the vocabulary is too small for the bytes and the special tokens.
  static Tokenizer train_byte_level_bpe(const std::vector<std::string>& corpus, const TrainingOptions& options = {});
  /// Writes a file tokenizer.json, which the package `tokenizers` reads, too.
  void save(const std::filesystem::path& path) const;

  /// Throws ValueError for a character that a model Unigram lacks, if it has no unknown token.
  std::vector<int32_t> encode(std::string_view text, bool special_tokens = true) const;
  /// A pair of texts, as a question and its context.
  std::vector<int32_t> encode_pair(std::string_view first, std::string_view second, bool special_tokens = true) const;
  Batch encode_batch(const std::vector<std::string>& texts, const BatchOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_METHOD(encode_batch, ".max_length, .length, .special_tokens", const std::vector<std::string>&);
  Batch encode_batch(const std::vector<std::pair<std::string, std::string>>& pairs,
                     const BatchOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_METHOD(encode_batch, ".max_length, .length, .special_tokens",
                               const std::vector<std::pair<std::string, std::string>>&);
  /// Returns the text of ids. Throws IndexError for an id that is not in the vocabulary.
  std::string decode(const std::vector<int32_t>& ids, bool skip_special_tokens = true) const;

  /// Returns one more than the largest id.
  int64_t size() const;
  std::optional<int32_t> id_of(std::string_view token) const;
  /// Returns the token as files spell it. Throws IndexError for an id that is not in the vocabulary.
  std::string token_of(int32_t id) const;
  /// Returns the id of padding: that of [PAD], <pad> or <|pad|>, else 0.
  int32_t padding_id() const;

 private:
  struct Tables;
  friend Tokenizer from_json(const std::string& text);
  explicit Tokenizer(std::shared_ptr<const Tables> tables) : tables_(std::move(tables)) {}
  std::shared_ptr<const Tables> tables_;
};

}  // namespace chainer::tokenizers
