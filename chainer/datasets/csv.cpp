// SPDX-License-Identifier: MIT
#include "chainer/datasets/csv.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <type_traits>
#include <unordered_map>

#include "chainer/core/parallel.h"
#include "chainer/core/system/file.h"
#include "chainer/core/system/read_number.h"

namespace chainer::datasets {

// Throws the error of these rows, if any.
void CsvTable::append(csv::Rows& rows, int64_t lines_before) {
  if (!rows.error.empty()) throw FileError(what_, ", line ", lines_before + rows.error_line + 1, ": ", rows.error);
  if (!rows.unescaped.empty())
    for (csv::Cell& c : rows.cells)
      if (c.begin >= content_.size()) c.begin += unescaped_.size();
  unescaped_ += rows.unescaped;
  parts_.push_back({size(), size() + static_cast<int64_t>(rows.lines.size()), std::move(rows.cells)});
  for (const int64_t line : rows.lines) lines_.push_back(line + lines_before + 1);
}
// Calls f(row, text) for the cells of a column in rows [begin, end).
template <class F>
void CsvTable::each(std::size_t column, int64_t begin, int64_t end, F&& f) const {
  for (const Part& p : parts_)
    for (int64_t row = std::max(begin, p.begin); row < std::min(end, p.end); ++row)
      f(row, content(p.cells[static_cast<std::size_t>(row - p.begin) * names_.size() + column]));
}

CsvTable::CsvTable(std::string content, const std::string& what, const CsvOptions& o)
    : what_(what), content_(std::move(content)) {
  if (o.delimiter == '"' || o.delimiter == '\n' || o.delimiter == '\r')
    throw ValueError("CsvTable: quotes and newlines cannot be delimiters");
  const std::size_t size = content_.size();
  // Some spreadsheet programs write a byte-order mark.
  csv::Rows first(content_, o.delimiter, content_.starts_with("\xef\xbb\xbf") ? 3 : 0, 0);
  first.read(size, 1);
  append(first, 0);
  for (const csv::Cell& c : parts_[0].cells)
    names_.push_back(o.header ? std::string(this->content(c)) : std::to_string(names_.size()));
  if (o.header && !names_.empty()) {
    std::set<std::string_view> all;
    for (const std::string& n : names_)
      if (!all.insert(n).second) throw FileError(what_, ", line ", lines_[0], ": two columns are named '", n, "'");
    parts_.clear();
    lines_.clear();
  }
  // Each thread reads a part from a line's beginning. If this was within quotes, which the part before it finds, the
  // rest is read again.
  constexpr std::size_t kPart = std::size_t(1) << 20;
  const std::size_t begin = first.end, parts = std::clamp<std::size_t>((size - begin) / kPart, 1,
                                                                       static_cast<std::size_t>(cpu::thread_count()));
  std::vector<csv::Rows> rows;
  std::vector<std::size_t> ends(parts, size);
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t at = content_.find('\n', begin + (size - begin) / parts * i);
    const std::size_t from = i == 0 ? begin : at == content_.npos ? size : at + 1;
    if (i > 0) ends[i - 1] = from;
    rows.emplace_back(content_, o.delimiter, from, names_.size());
  }
  cpu::parallel(static_cast<int>(parts), static_cast<int64_t>(size), [&](int i) {
    const auto part = static_cast<std::size_t>(i);
    rows[part].read(ends[part]);
  });
  int64_t line = first.line;
  for (std::size_t i = 0; i < parts; ++i) {
    const bool crossed = rows[i].error.empty() && rows[i].end > ends[i];
    if (crossed) rows[i].read(size);
    append(rows[i], line);
    line += rows[i].line;
    if (crossed) break;
  }
}

std::size_t CsvTable::index(const std::string& name) const {
  const auto it = std::find(names_.begin(), names_.end(), name);
  if (it == names_.end()) throw KeyError(what_, ": no column '", name, "'");
  return static_cast<std::size_t>(it - names_.begin());
}

std::vector<std::string> CsvTable::text(const std::string& name) const {
  std::vector<std::string> out;
  each(index(name), 0, size(), [&](int64_t, std::string_view cell) { out.emplace_back(cell); });
  return out;
}

namespace {

// The least number that a floating dtype rounds to infinity.
double infinite_from(Dtype dtype) {
  if (dtype == float16) return 65520;
  if (dtype == bfloat16) return std::ldexp(511, 119);
  return dtype == float32 ? std::ldexp((1 << 25) - 1, 103) : HUGE_VAL;
}
// The least and the greatest value of an integer dtype.
std::pair<int64_t, int64_t> range_of(Dtype dtype) {
  if (dtype == bool_) return {0, 1};
  if (dtype == uint8) return {0, 255};
  if (dtype == int64) return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  const int64_t top = (int64_t(1) << (item_size(dtype) * 8 - 1)) - 1;
  return {-top - 1, top};
}

// Returns false if the cell is not a number of the range, or below `infinite`; an empty cell is NaN.
template <class T>
bool parse(std::string_view cell, std::pair<int64_t, int64_t> range, double infinite, T& out) {
  while (!cell.empty() && cell.front() == ' ') cell.remove_prefix(1);
  while (!cell.empty() && cell.back() == ' ') cell.remove_suffix(1);
  if constexpr (std::is_floating_point_v<T>)
    if (cell.empty()) return out = std::numeric_limits<T>::quiet_NaN(), true;
  if (cell.starts_with('+') && !cell.starts_with("+-")) cell.remove_prefix(1);
  const char* const end = cell.data() + cell.size();
  if constexpr (std::is_floating_point_v<T>) {
    double v = 0;
    const auto r = read_number(cell.data(), end, v);
    out = static_cast<T>(v);
    if (std::isfinite(v) && std::abs(v) >= infinite) return false;  // a cell may be "inf"
    return r.ec == std::errc() && r.ptr == end && !cell.empty();
  } else {
    const auto r = std::from_chars(cell.data(), end, out);
    return r.ec == std::errc() && r.ptr == end && !cell.empty() && out >= range.first && out <= range.second;
  }
}

}  // namespace

template <class T>
void CsvTable::read(const std::string& name, Dtype dtype, T* out, int64_t step) const {
  constexpr int64_t kWork = 16;  // a number takes as long as so many elements
  const std::size_t column = index(name);
  const auto range = is_floating(dtype) ? std::pair<int64_t, int64_t>() : range_of(dtype);
  const double infinite = infinite_from(dtype);
  std::atomic<int64_t> wrong = size();  // the first row with another text
  cpu::parallel_ranges(size(), size() * kWork, 1, [&](int64_t begin, int64_t end) {
    each(column, begin, end, [&](int64_t i, std::string_view cell) {
      if (parse(cell, range, infinite, out[i * step])) return;
      for (int64_t known = wrong; i < known && !wrong.compare_exchange_weak(known, i);) {}
    });
  });
  each(column, wrong, std::min(wrong + 1, size()), [&](int64_t i, std::string_view cell) {
    throw ValueError(what_, ", line ", lines_[static_cast<std::size_t>(i)], ", column '", name, "': '", cell,
                     "' is not a ", dtype);
  });
}

// Returns columns as (rows, names).
Array CsvTable::converted(const std::vector<std::string>& names, Dtype dtype) const {
  const auto count = static_cast<int64_t>(names.size());
  Array out({size(), count}, !is_floating(dtype) ? int64 : dtype == float32 ? float32 : float64);
  for (int64_t i = 0; i < count; ++i) {
    const std::string& name = names[static_cast<std::size_t>(i)];
    if (out.dtype() == int64)
      read(name, dtype, out.mutable_data<int64_t>() + i, count);
    else if (out.dtype() == float32)
      read(name, dtype, out.mutable_data<float>() + i, count);
    else
      read(name, dtype, out.mutable_data<double>() + i, count);
  }
  return out.astype(dtype, false);
}
Array CsvTable::column(const std::string& name, Dtype dtype) const { return converted({name}, dtype).reshape({-1}); }
Array CsvTable::columns(const std::vector<std::string>& names, Dtype dtype) const {
  if (names.empty()) throw ValueError("CsvTable: no columns are named");
  return converted(names, dtype);
}

std::pair<Array, std::vector<std::string>> CsvTable::categories(const std::string& name) const {
  Array out({size()}, int32);
  auto* const ids = out.mutable_data<int32_t>();
  std::unordered_map<std::string_view, int32_t> found;  // numbered as they occur
  each(index(name), 0, size(), [&](int64_t i, std::string_view cell) {
    ids[i] = found.try_emplace(cell, static_cast<int32_t>(found.size())).first->second;
  });
  std::vector<std::string> kinds;
  for (const auto& [kind, _] : found) kinds.emplace_back(kind);
  std::sort(kinds.begin(), kinds.end());
  std::vector<int32_t> position(kinds.size());
  for (std::size_t k = 0; k < kinds.size(); ++k)
    position[static_cast<std::size_t>(found.at(kinds[k]))] = static_cast<int32_t>(k);
  for (int64_t i = 0; i < size(); ++i) ids[i] = position[static_cast<std::size_t>(ids[i])];
  return {out, kinds};
}

CsvTable read_csv(const std::filesystem::path& path, const CsvOptions& o) {
  return CsvTable(read_file(path), path.string(), o);
}

}  // namespace chainer::datasets
