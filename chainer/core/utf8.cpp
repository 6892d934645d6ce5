// SPDX-License-Identifier: MIT
#include "chainer/core/utf8.h"

#include <cstdio>

namespace chainer {

int32_t next_utf8(std::string_view s, std::size_t& at) {
  const auto c = static_cast<unsigned char>(s[at++]);
  if (c < 0x80) return c;
  const std::size_t n = c >= 0xf0 && c < 0xf5 ? 3 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xc2 && c < 0xe0 ? 1 : 0;
  if (n == 0 || s.size() - at < n) return kNoCharacter;
  int32_t v = c & (0x3f >> n);
  for (std::size_t k = 0; k < n; ++k) {
    const auto d = static_cast<unsigned char>(s[at + k]);
    if ((d & 0xc0) != 0x80) return kNoCharacter;
    v = v << 6 | (d & 0x3f);
  }
  constexpr int32_t least[] = {0, 0x80, 0x800, 0x10000};
  if (v < least[n] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000)) return kNoCharacter;
  at += n;
  return v;
}

void put_utf8(std::string& to, uint32_t v) {
  const auto byte = [&](uint32_t b) { to += static_cast<char>(b); };
  if (v < 0x80) return byte(v);
  if (v < 0x800)
    byte(0xc0 | v >> 6);
  else if (v < 0x10000)
    byte(0xe0 | v >> 12), byte(0x80 | (v >> 6 & 0x3f));
  else
    byte(0xf0 | (v >> 18 & 7)), byte(0x80 | (v >> 12 & 0x3f)), byte(0x80 | (v >> 6 & 0x3f));
  byte(0x80 | (v & 0x3f));
}

std::string printable(std::string_view s) {
  std::string out;
  for (std::size_t at = 0; at < s.size();) {
    const std::size_t begin = at;
    const int32_t c = next_utf8(s, at);
    if (c == '\n' || c == '\t' || (c >= 0x20 && c < 0x7f) || c >= 0xa0) {
      out += s.substr(begin, at - begin);
      continue;
    }
    for (std::size_t i = begin; i < at; ++i) {
      char hexadecimal[5];
      std::snprintf(hexadecimal, sizeof hexadecimal, "\\x%02x",
                    static_cast<unsigned>(static_cast<unsigned char>(s[i])));
      out += hexadecimal;
    }
  }
  return out;
}

bool is_utf8(std::string_view s) {
  for (std::size_t at = 0; at < s.size();)
    if (next_utf8(s, at) == kNoCharacter) return false;
  return true;
}

}  // namespace chainer
