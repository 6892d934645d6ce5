// SPDX-License-Identifier: MIT
// The table by which SentencePiece replaces characters: the normalizer "Precompiled".
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chainer::tokenizers {

/// A double array of the sequences that are replaced, and their replacements.
class CharacterMap {
 public:
  /// Reads the bytes of a precompiled_charsmap, in base64. Throws ValueError for damage.
  explicit CharacterMap(std::string_view base64);
  /// Replaces in a valid UTF-8 text as the package `tokenizers` does: short clusters of characters first, then single
  /// characters.
  std::string apply(std::string_view text) const;

 private:
  std::optional<std::string_view> find(std::string_view key) const;
  std::vector<uint32_t> units_;
  std::string replacements_;  // each ends with a zero byte
};

}  // namespace chainer::tokenizers
