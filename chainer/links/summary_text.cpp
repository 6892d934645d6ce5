// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>

#include "chainer/links/summary.h"

namespace chainer {
namespace {

// 1,234,567
std::string with_commas(int64_t n) {
  std::string s = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(s.size()) - 3; at > 0; at -= 3)
    s.insert(static_cast<std::size_t>(at), ",");
  return s;
}

std::string with_unit(int64_t n, const char* unit) {
  double v = static_cast<double>(n);
  const char* const prefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t i = 0;
  for (; v >= 999.5 && i < 5; ++i) v /= 1000;
  char out[48];
  std::snprintf(out, sizeof out, i ? "%.3g %s%s" : "%.0f %s%s", v, prefixes[i], unit);
  std::string s = out;
  if (s.back() == ' ') s.pop_back();
  return s;
}

std::string marks_of(const SummaryRow& r) {
  std::string out;
  const auto add = [&](const std::string& s) { out += (out.empty() ? "" : ", ") + s; };
  if (r.frozen) add(r.frozen == r.parameters ? "frozen" : with_commas(r.frozen) + " frozen");
  if (r.shared) add(with_commas(r.shared) + " shared with a row above");
  if (r.calls > 1) add(std::to_string(r.calls) + " calls");
  if (r.outputs.empty()) add("not called");
  return out;
}

std::string shapes_of(const SummaryRow& r) {
  constexpr std::size_t kMost = 2;
  std::string out;
  for (std::size_t i = 0; i < std::min(kMost, r.outputs.size()); ++i) out += (i ? ", " : "") + to_string(r.outputs[i]);
  if (r.outputs.size() > kMost) out += ", +" + std::to_string(r.outputs.size() - kMost);
  return out;
}

}  // namespace

std::string to_string(const ModelSummary& s) {
  constexpr std::size_t kColumns = 7, kFirstNumber = 3, kLastNumber = 5;
  using Line = std::array<std::string, kColumns>;
  std::vector<Line> lines{{"path", "type", "output", "parameters", "multiply-adds", "activations", ""}};
  for (const SummaryRow& r : s.rows)
    lines.push_back({r.path, r.type, shapes_of(r), with_commas(r.parameters), with_unit(r.multiply_adds, ""),
                     with_unit(r.activation_bytes, "B"), marks_of(r)});
  lines.push_back({"total", "", "", with_commas(s.parameters), with_unit(s.multiply_adds, ""),
                   with_unit(s.activation_bytes, "B"), s.frozen ? with_commas(s.frozen) + " frozen" : ""});
  std::array<std::size_t, kColumns> widths{};
  for (const Line& l : lines)
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], l[i].size());
  std::size_t ruled = 0;
  for (std::size_t i = 0; i <= kLastNumber; ++i) ruled += widths[i] + (i ? 2 : 0);
  std::string out;
  for (std::size_t row = 0; row < lines.size(); ++row) {
    if (row == 1 || row + 1 == lines.size()) out += std::string(ruled, '-') + "\n";
    std::string line;
    for (std::size_t i = 0; i < kColumns; ++i) {
      const std::string space(widths[i] - lines[row][i].size(), ' ');
      const bool number = i >= kFirstNumber && i <= kLastNumber;
      line += (i ? "  " : "") + (number ? space + lines[row][i] : lines[row][i] + space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace chainer
