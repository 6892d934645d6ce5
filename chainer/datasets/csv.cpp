// SPDX-License-Identifier: MIT
#include "chainer/datasets/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "chainer/core/system/file.h"
#include "chainer/core/system/read_number.h"
#include "chainer/routines/manipulation.h"

namespace chainer::datasets {

CsvTable::CsvTable(std::string_view s, const std::string& what, const CsvOptions& o) : what_(what) {
  if (o.delimiter == '"' || o.delimiter == '\n' || o.delimiter == '\r')
    throw ValueError("CsvTable: quotes and newlines cannot be delimiters");
  if (s.starts_with("\xef\xbb\xbf")) s.remove_prefix(3);  // some spreadsheet programs write a byte-order mark
  std::vector<std::string> row;
  int64_t line = 1;
  for (std::size_t at = 0; at < s.size();) {
    row.clear();
    const int64_t first_line = line;
    for (bool more = true; more;) {
      std::string cell;
      if (at < s.size() && s[at] == '"') {
        for (++at;; ++at) {
          if (at >= s.size()) throw FileError(what_, ", line ", first_line, ": a quote is not closed");
          if (s[at] == '"' && ++at < s.size() + 1 && (at == s.size() || s[at] != '"')) break;
          line += s[at] == '\n';
          cell += s[at];
        }
        if (at < s.size() && s[at] != o.delimiter && s[at] != '\n' && s[at] != '\r')
          throw FileError(what_, ", line ", line, ": text follows a closing quote");
      } else {
        while (at < s.size() && s[at] != o.delimiter && s[at] != '\n' && s[at] != '\r') cell += s[at++];
      }
      row.push_back(std::move(cell));
      more = at < s.size() && s[at] == o.delimiter;
      if (more) ++at;
    }
    if (at < s.size() && s[at] == '\r') ++at;
    if (at < s.size() && s[at] == '\n') ++at;
    ++line;
    if (row.size() == 1 && row[0].empty()) continue;  // skips empty lines
    if (names_.empty()) {
      if (o.header) {
        names_ = row;
        for (const std::string& n : names_)
          if (std::count(names_.begin(), names_.end(), n) > 1)
            throw FileError(what_, ", line ", first_line, ": two columns are named '", n, "'");
        continue;
      }
      for (std::size_t i = 0; i < row.size(); ++i) names_.push_back(std::to_string(i));
    }
    if (row.size() != names_.size())
      throw FileError(what_, ", line ", first_line, ": ", row.size(), " fields, expected ", names_.size());
    lines_.push_back(first_line);
    std::move(row.begin(), row.end(), std::back_inserter(cells_));
  }
}

std::size_t CsvTable::index(const std::string& name) const {
  const auto it = std::find(names_.begin(), names_.end(), name);
  if (it == names_.end()) throw KeyError(what_, ": no column '", name, "'");
  return static_cast<std::size_t>(it - names_.begin());
}

std::vector<std::string> CsvTable::text(const std::string& name) const {
  std::vector<std::string> out;
  for (std::size_t i = index(name); i < cells_.size(); i += names_.size()) out.push_back(cells_[i]);
  return out;
}

Array CsvTable::column(const std::string& name, Dtype dtype) const {
  const std::vector<std::string> cells = text(name);
  const bool whole = !is_floating(dtype);
  Array out({size()}, whole ? int64 : float64);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string_view cell = cells[i];
    while (!cell.empty() && cell.front() == ' ') cell.remove_prefix(1);
    while (!cell.empty() && cell.back() == ' ') cell.remove_suffix(1);
    const bool plus = !cell.empty() && cell.front() == '+';
    const char *begin = cell.data() + plus, *end = cell.data() + cell.size();
    const auto check = [&](std::from_chars_result r, bool fits) {
      if (r.ec != std::errc() || r.ptr != end || begin == end || !fits)
        throw ValueError(what_, ", line ", lines_[i], ", column '", name, "': '", cells[i], "' is not a ", dtype);
    };
    if (whole) {
      int64_t v = 0;
      const auto r = std::from_chars(begin, end, v);
      const int64_t bits = item_size(dtype) * 8;
      const bool is_unsigned = dtype == uint8 || dtype == bool_;
      const int64_t top = dtype == bool_ ? 1
                          : is_unsigned  ? 255
                          : bits == 64   ? std::numeric_limits<int64_t>::max()
                                         : (int64_t(1) << (bits - 1)) - 1;
      check(r, v <= top && v >= (is_unsigned ? 0 : -top - 1));
      out.mutable_data<int64_t>()[i] = v;
    } else if (cell.empty()) {
      out.mutable_data<double>()[i] = std::nan("");
    } else {
      double v = 0;
      check(read_number(begin, end, v), true);
      out.mutable_data<double>()[i] = v;
    }
  }
  return out.astype(dtype, false);
}

Array CsvTable::columns(const std::vector<std::string>& names, Dtype dtype) const {
  if (names.empty()) throw ValueError("CsvTable: no columns are named");
  Arrays parts;
  for (const std::string& n : names) parts.push_back(column(n, dtype));
  return stack(parts, 1);
}

std::pair<Array, std::vector<std::string>> CsvTable::categories(const std::string& name) const {
  const std::vector<std::string> cells = text(name);
  std::vector<std::string> kinds = cells;
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  Array out({size()}, int32);
  auto* ids = out.mutable_data<int32_t>();
  for (const std::string& c : cells)
    *ids++ = static_cast<int32_t>(std::lower_bound(kinds.begin(), kinds.end(), c) - kinds.begin());
  return {out, kinds};
}

CsvTable read_csv(const std::filesystem::path& path, const CsvOptions& o) {
  return CsvTable(read_file(path), path.string(), o);
}

}  // namespace chainer::datasets
