// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <memory>

#include <utf8proc.h>

#include "chainer/core/error.h"
#include "chainer/core/utf8.h"
#include "chainer/tokenizers/unicode.h"

namespace chainer::tokenizers {
namespace {

bool is_space(int32_t c) {
  return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
         c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

}  // namespace

CharacterClass class_of(int32_t c) {
  if (is_space(c)) return CharacterClass::space;
  const utf8proc_category_t k = utf8proc_category(c);
  if (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO) return CharacterClass::letter;
  if (k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO) return CharacterClass::number;
  if (k >= UTF8PROC_CATEGORY_PC && k <= UTF8PROC_CATEGORY_PO) return CharacterClass::punctuation;
  if (k == UTF8PROC_CATEGORY_MN) return CharacterClass::mark;
  if (k == UTF8PROC_CATEGORY_CC || k == UTF8PROC_CATEGORY_CF || k == UTF8PROC_CATEGORY_CO)
    return CharacterClass::control;
  return CharacterClass::other;
}

bool is_any_mark(int32_t c) {
  const utf8proc_category_t k = utf8proc_category(c);
  return k >= UTF8PROC_CATEGORY_MN && k <= UTF8PROC_CATEGORY_ME;
}

bool is_word_character(int32_t c) {
  const utf8proc_category_t k = utf8proc_category(c);
  const bool circled = (c >= 0x24b6 && c <= 0x24e9) || (c >= 0x1f130 && c <= 0x1f149) ||
                       (c >= 0x1f150 && c <= 0x1f169) || (c >= 0x1f170 && c <= 0x1f189);  // letters of category So
  return class_of(c) == CharacterClass::letter || is_any_mark(c) || k == UTF8PROC_CATEGORY_ND ||
         k == UTF8PROC_CATEGORY_NL || k == UTF8PROC_CATEGORY_PC || c == 0x200c || c == 0x200d || circled;
}

void put_lower(std::string& to, int32_t c) {
  put_utf8(to, static_cast<uint32_t>(c == 0x130 ? 'i' : utf8proc_tolower(c)));
  if (c == 0x130) put_utf8(to, 0x307);  // the only lower case of two characters
}

std::size_t cluster_end(std::string_view text, std::size_t at) {
  int32_t state = 0, before = next_utf8(text, at);
  while (at < text.size()) {
    std::size_t next = at;
    const int32_t c = next_utf8(text, next);
    if (utf8proc_grapheme_break_stateful(before, c, &state)) break;
    before = c;
    at = next;
  }
  return at;
}

bool knows_unicode() { return true; }

std::string normal_form(std::string_view text, NormalForm form) {
  int options = UTF8PROC_STABLE;
  options |= form == NormalForm::nfc || form == NormalForm::nfkc ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE;
  if (form == NormalForm::nfkc || form == NormalForm::nfkd) options |= UTF8PROC_COMPAT;
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t n =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &made, static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(made, std::free);
  if (n < 0) throw ValueError("tokenizers: the text has no normal form: ", utf8proc_errmsg(n));
  return std::string(reinterpret_cast<const char*>(made), static_cast<std::size_t>(n));
}

}  // namespace chainer::tokenizers
