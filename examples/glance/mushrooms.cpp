// SPDX-License-Identifier: MIT
#include "mushrooms.h"

#include <algorithm>
#include <set>
#include <vector>

#include "chainer/core/system/file.h"
#include "chainer/routines/creation.h"

using namespace chainer;

std::pair<Array, Array> load_mushrooms(const std::string& path) {
  const std::string text = read_file(path);
  std::vector<std::vector<std::string>> rows;
  std::size_t line_number = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    if (end == text.npos) end = text.size();
    std::string line = text.substr(at, end - at);
    at = end + 1;
    ++line_number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    std::vector<std::string> fields{""};
    for (char c : line) {
      if (c == ',')
        fields.emplace_back();
      else
        fields.back() += c;
    }
    if (!rows.empty() && fields.size() != rows[0].size())
      throw FileError(path, ", line ", line_number, ": ", fields.size(), " fields, but the header has ",
                      rows[0].size());
    rows.push_back(std::move(fields));
  }
  if (rows.size() < 2 || rows[0].size() < 2)
    throw FileError(path, ": expected a header line and rows of comma-separated fields");
  const auto n = static_cast<int64_t>(rows.size()) - 1, columns = static_cast<int64_t>(rows[0].size());
  Array x({n, columns - 1}, float32), y({n, 1}, int32);
  for (int64_t c = 0; c < columns; ++c) {
    std::set<std::string> distinct;
    for (int64_t r = 0; r < n; ++r) distinct.insert(rows[static_cast<std::size_t>(r + 1)][static_cast<std::size_t>(c)]);
    if (c == 0 && distinct.size() != 2)
      throw FileError(path, ": the first column has ", distinct.size(), " values, but a label has two");
    for (int64_t r = 0; r < n; ++r) {
      const auto index = std::distance(
          distinct.begin(), distinct.find(rows[static_cast<std::size_t>(r + 1)][static_cast<std::size_t>(c)]));
      if (c == 0)
        y.mutable_data<int32_t>()[r] = static_cast<int32_t>(index);
      else
        x.mutable_data<float>()[r * (columns - 1) + c - 1] = static_cast<float>(index);
    }
  }
  return {x, y};
}
