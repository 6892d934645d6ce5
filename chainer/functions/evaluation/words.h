// SPDX-License-Identifier: MIT
// Splits sentences into words.
#pragma once
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace chainer::functions::detail
