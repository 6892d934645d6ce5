// SPDX-License-Identifier: MIT
#include "table.h"

#include <cstdio>
#include <map>

namespace table {
const std::vector<OpCase>& rows() {
  static const std::vector<OpCase> all = [] {
    std::vector<OpCase> t;
    for (auto* chapter : {unary, activation, arithmetic, array_manipulation, connection, loss, math, math_elementwise,
                          normalization, other, distributions, unusual, recurrent, pooling, elementwise, convolution}) {
      draw_after("", "");
      chapter(t);
    }
    return t;
  }();
  return all;
}

std::vector<std::string> keys() {
  std::vector<std::string> out;
  std::map<std::string, int> seen;
  for (const OpCase& c : rows()) {
    std::string words = c.python;
    for (const Array& x : c.inputs) {
      words += "\n";
      for (const int64_t n : x.shape()) words += text(n, "x");
    }
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(hash(words)));
    const std::string key = text(c.name, ".", digits);
    const int again = seen[key]++;
    out.push_back(again ? text(key, ".", again, "/") : key + "/");
  }
  return out;
}

}  // namespace table
