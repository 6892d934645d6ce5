// SPDX-License-Identifier: MIT
#include "chainer/core/error.h"
#include "chainer/core/utf8.h"
#include "chainer/tokenizers/unicode.h"

namespace chainer::tokenizers {
namespace {

void expect_ascii(int32_t c) {
  if (c < 0x80) return;
  std::string character;
  put_utf8(character, static_cast<uint32_t>(c));
  throw MissingPartError("tokenizers: this build has no utf8proc, so that only ASCII characters are known, got '",
                         character, "'; install libutf8proc-dev and configure again");
}
bool is_between(int32_t c, char low, char high) { return c >= low && c <= high; }

}  // namespace

CharacterClass class_of(int32_t c) {
  expect_ascii(c);
  if (is_between(c, 'a', 'z') || is_between(c, 'A', 'Z')) return CharacterClass::letter;
  if (is_between(c, '0', '9')) return CharacterClass::number;
  if (is_between(c, 9, 13) || c == ' ') return CharacterClass::space;
  if (c < 32 || c == 127) return CharacterClass::control;
  return std::string_view("$+<=>^`|~").find(static_cast<char>(c)) == std::string_view::npos
             ? CharacterClass::punctuation
             : CharacterClass::other;
}

bool is_any_mark(int32_t c) {
  expect_ascii(c);
  return false;
}

bool is_word_character(int32_t c) {
  const CharacterClass k = class_of(c);
  return k == CharacterClass::letter || k == CharacterClass::number || c == '_';
}

void put_lower(std::string& to, int32_t c) {
  expect_ascii(c);
  to += static_cast<char>(is_between(c, 'A', 'Z') ? c + 32 : c);
}

std::size_t cluster_end(std::string_view text, std::size_t at) {
  const std::size_t begin = at;
  expect_ascii(next_utf8(text, at));
  return text.substr(begin).starts_with("\r\n") ? at + 1 : at;
}

bool knows_unicode() { return false; }

std::string normal_form(std::string_view text, NormalForm) {
  for (std::size_t at = 0; at < text.size();) expect_ascii(next_utf8(text, at));
  return std::string(text);
}

}  // namespace chainer::tokenizers
