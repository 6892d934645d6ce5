// SPDX-License-Identifier: MIT
// Properties of characters and normal forms, by utf8proc. Without this library, texts of ASCII characters only.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace chainer::tokenizers {

/// The classes of characters that tokenizers distinguish.
enum class CharacterClass : uint8_t {
  letter,       ///< categories L*
  number,       ///< N*
  space,        ///< the property White_Space
  punctuation,  ///< P*
  mark,         ///< Mn
  control,      ///< Cc, Cf, Co, but not white space
  other,
};
/// Returns the class of a code point. Without utf8proc, throws MissingPartError for one beyond ASCII.
CharacterClass class_of(int32_t code_point);

/// Returns true for a character of words, as \w in regular expressions: letters, marks, decimal digits, connectors such
/// as _, and joiners. Errors as class_of().
bool is_word_character(int32_t code_point);
/// Returns true for the categories Mn, Mc and Me. Errors as class_of().
bool is_any_mark(int32_t code_point);

/// Appends the lower case of a code point, which may have several characters. Errors as class_of().
void put_lower(std::string& to, int32_t code_point);

/// Returns the end of the extended grapheme cluster that begins at `at` (Unicode Standard Annex 29): a character with
/// its marks. Errors as class_of().
std::size_t cluster_end(std::string_view text, std::size_t at);

/// Returns true if this build has utf8proc.
bool knows_unicode();

enum class NormalForm : uint8_t { nfc, nfd, nfkc, nfkd };
/// Returns a valid UTF-8 text in a normal form (Unicode Standard Annex 15). Errors as class_of().
std::string normal_form(std::string_view text, NormalForm form);

/// Returns the text with U+FFFD for each maximal part that is not valid UTF-8.
std::string valid_utf8(std::string_view text);

}  // namespace chainer::tokenizers
