// SPDX-License-Identifier: MIT
#include "chainer/tokenizers/character_map.h"

#include "chainer/core/error.h"
#include "chainer/core/utf8.h"
#include "chainer/tokenizers/unicode.h"

namespace chainer::tokenizers {
namespace {

std::string from_base64(std::string_view s) {
  while (s.ends_with('=')) s.remove_suffix(1);
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : s) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t digit = digits.find(c);
    if (digit == digits.npos)
      throw ValueError("precompiled_charsmap: '", printable({&c, 1}), "' is no digit of base64");
    bits = bits << 6 | static_cast<uint32_t>(digit);
    if ((count += 6) >= 8) out += static_cast<char>(bits >> (count -= 8) & 0xff);
  }
  return out;
}

uint32_t word_at(std::string_view bytes, std::size_t at) {
  uint32_t v = 0;
  for (std::size_t k = 4; k-- > 0;) v = v << 8 | static_cast<unsigned char>(bytes[at + k]);
  return v;
}

// The fields of a unit of the double array.
bool has_leaf(uint32_t u) { return u >> 8 & 1; }
uint32_t leaf_value(uint32_t u) { return u & 0x7fffffff; }
uint32_t unit_label(uint32_t u) { return u & 0x800000ff; }
uint32_t unit_offset(uint32_t u) { return u >> 10 << ((u & 0x200) >> 6); }

}  // namespace

CharacterMap::CharacterMap(std::string_view base64) {
  const std::string bytes = from_base64(base64);
  if (bytes.size() < 4) throw ValueError("precompiled_charsmap: ", bytes.size(), " bytes are no table");
  const std::size_t size = word_at(bytes, 0);
  if (size % 4 != 0 || size > bytes.size() - 4 || size == 0)
    throw ValueError("precompiled_charsmap: a double array of ", size, " bytes does not fit into ", bytes.size() - 4);
  for (std::size_t at = 4; at < 4 + size; at += 4) units_.push_back(word_at(bytes, at));
  replacements_ = bytes.substr(4 + size);
  if (!is_utf8(replacements_)) throw ValueError("precompiled_charsmap: a replacement is not valid UTF-8");
}

// The replacement of the shortest sequence that the key begins with.
std::optional<std::string_view> CharacterMap::find(std::string_view key) const {
  uint32_t at = 0, unit = units_[0];
  at ^= unit_offset(unit);
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    at ^= byte;
    if (byte == 0 || at >= units_.size()) return {};
    unit = units_[at];
    if (unit_label(unit) != byte) return {};
    at ^= unit_offset(unit);
    if (!has_leaf(unit)) continue;
    if (at >= units_.size() || leaf_value(units_[at]) >= replacements_.size()) return {};
    const std::string_view rest = std::string_view(replacements_).substr(leaf_value(units_[at]));
    return rest.substr(0, rest.find('\0'));
  }
  return {};
}

std::string CharacterMap::apply(std::string_view text) const {
  constexpr std::size_t kShort = 6;  // bytes of clusters that are looked up as a whole
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = cluster_end(text, at);
    if (end - at < kShort)
      if (const auto replacement = find(text.substr(at, end - at))) {
        out += *replacement;
        at = end;
        continue;
      }
    while (at < end) {
      const std::size_t begin = at;
      (void)next_utf8(text, at);
      const std::string_view character = text.substr(begin, at - begin);
      out += find(character).value_or(character);
    }
  }
  return out;
}

}  // namespace chainer::tokenizers
