// SPDX-License-Identifier: MIT
#include "chainer/tokenizers/unicode.h"

#include "chainer/core/utf8.h"

namespace chainer::tokenizers {
namespace {

// Returns the length of the longest beginning of `s` that begins a valid character, at least 1.
std::size_t broken_length(std::string_view s) {
  const auto at = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const unsigned c = at(0);
  const std::size_t n = c >= 0xf0 && c < 0xf5 ? 4 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xc2 && c < 0xe0 ? 2 : 1;
  if (n == 1) return 1;
  const unsigned least = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
  const unsigned most = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
  if (at(1) < least || at(1) > most) return 1;
  std::size_t k = 2;
  while (k < n && (at(k) & 0xc0) == 0x80) ++k;
  return k;
}

}  // namespace

std::string valid_utf8(std::string_view s) {
  std::string out;
  out.reserve(s.size());
  for (std::size_t at = 0; at < s.size();) {
    const std::size_t begin = at;
    if (next_utf8(s, at) == kNoCharacter) {
      at = begin + broken_length(s.substr(begin));
      out += "\xef\xbf\xbd";
    } else {
      out += s.substr(begin, at - begin);
    }
  }
  return out;
}

}  // namespace chainer::tokenizers
