// SPDX-License-Identifier: MIT
#include "chainer/datasets/csv_rows.h"

#include <algorithm>

#include "chainer/core/error.h"

namespace chainer::datasets::csv {

Rows::Rows(std::string_view content, char delimiter, std::size_t begin, std::size_t fields)
    : end(begin), content_(content), begin_(begin), delimiter_(delimiter), fields_(fields) {
  for (const char c : {delimiter, '\n', '\r'}) ends_[static_cast<unsigned char>(c)] = true;
}

void Rows::read(std::size_t to, std::size_t most) {
  constexpr std::size_t kFirst = 100;
  while (end < to && error.empty() && lines.size() < most) {
    read_row();
    if (lines.size() != kFirst) continue;
    // The others are probably as long. (`read` may begin after most of the first ones, so their mean is that of all.)
    const std::size_t rows = (to - begin_) / ((end - begin_) / kFirst) + kFirst;
    lines.reserve(std::min(rows, most));
    cells.reserve(std::min(rows, most) * (cells.size() / kFirst));
  }
}

void Rows::read_row() {
  const std::size_t first = cells.size(), begin = end;
  const int64_t first_line = line;
  for (bool more = true; more;) {
    if (!read_cell(first_line)) return;
    more = end < content_.size() && content_[end] == delimiter_;
    if (more) ++end;
  }
  if (end < content_.size() && content_[end] == '\r') ++end;
  if (end < content_.size() && content_[end] == '\n') ++end;
  ++line;
  const std::size_t count = cells.size() - first;
  // An empty line is no row; two quotes are an empty cell.
  if (count == 1 && cells[first].length == 0 && (begin == content_.size() || content_[begin] != '"'))
    return cells.resize(first);
  lines.push_back(first_line);
  if (fields_ && count != fields_) fail(first_line, text(count, " fields, expected ", fields_));
}

bool Rows::read_cell(int64_t first_line) {
  if (end == content_.size() || content_[end] != '"') {
    const char *const from = content_.data() + end, *const last = content_.data() + content_.size(), *at = from;
    while (at != last && !ends_[static_cast<unsigned char>(*at)]) ++at;
    const auto length = static_cast<std::size_t>(at - from);
    cells.push_back({end, length});
    end += length;
    return true;
  }
  const std::size_t begin = ++end;
  bool doubled = false;
  for (;; ++end) {
    if (end >= content_.size()) return fail(first_line, "a quote is not closed");
    if (content_[end] == '"') {
      if (end + 1 == content_.size() || content_[end + 1] != '"') break;
      doubled = true;
      ++end;
    }
    line += content_[end] == '\n';
  }
  cells.push_back(doubled ? add_unescaped(content_.substr(begin, end - begin)) : Cell{begin, end - begin});
  ++end;
  const bool ends = end == content_.size() || ends_[static_cast<unsigned char>(content_[end])];
  return ends || fail(line, "text follows a closing quote");
}

Cell Rows::add_unescaped(std::string_view quoted) {
  const std::size_t begin = unescaped.size();
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    unescaped += quoted[i];
    if (quoted[i] == '"') ++i;
  }
  return {content_.size() + begin, unescaped.size() - begin};
}

bool Rows::fail(int64_t at, std::string why) {
  error = std::move(why);
  error_line = at;
  return false;
}

}  // namespace chainer::datasets::csv
