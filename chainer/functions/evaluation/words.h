// SPDX-License-Identifier: MIT
// Splits sentences into words.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/core/utf8.h"

namespace chainer::functions::detail {

inline std::vector<std::string> split_at_blanks(std::string_view sentence) {
  std::vector<std::string> out;
  bool inside = false;
  for (const char c : sentence) {
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (!blank && !inside) out.emplace_back();
    if (!blank) out.back() += c;
    inside = !blank;
  }
  return out;
}

/// Splits at the characters at which Python's str.split() does, such as no-break and ideographic spaces.
inline std::vector<std::string> split_as_python(std::string_view sentence) {
  const auto is_blank = [](int32_t c) {
    for (const int32_t other : {0x20, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000})
      if (c == other) return true;
    return (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f) || (c >= 0x2000 && c <= 0x200a);
  };
  std::vector<std::string> out;
  bool inside = false;
  for (std::size_t at = 0; at < sentence.size();) {
    const std::size_t begin = at;
    const bool blank = is_blank(next_utf8(sentence, at));
    if (!blank && !inside) out.emplace_back();
    if (!blank) out.back() += sentence.substr(begin, at - begin);
    inside = !blank;
  }
  return out;
}

}  // namespace chainer::functions::detail
