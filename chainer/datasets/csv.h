// SPDX-License-Identifier: MIT
// Tables from text: comma-separated values and similar formats.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/array/array.h"
#include "chainer/core/other_options.h"
#include "chainer/datasets/csv_rows.h"

namespace chainer::datasets {

struct CsvOptions {
  char delimiter = ',';
  bool header = true;  ///< the first row names the columns; otherwise the names are "0", "1", ...
};
/// A table in the format of RFC 4180: quoted fields may hold delimiters, newlines and doubled quotes. A byte-order mark
/// of UTF-8 is skipped. Cells are stored as text; columns are converted to arrays on request, each with a dtype. All
/// threads read. Every message names file, line and column.
class CsvTable {
 public:
  /// Throws FileError for a row with another number of fields than the first, an unclosed quote, text after a closing
  /// quote, and two columns of one name; ValueError for a quote or newline as delimiter.
  CsvTable(std::string content, const std::string& what, const CsvOptions& options = {});
  CHAINER_OTHER_OPTIONS(CsvTable, ".delimiter, .header", std::string, const std::string&);
  const std::vector<std::string>& names() const { return names_; }
  int64_t size() const { return static_cast<int64_t>(lines_.size()); }
  /// Returns the cells of a column. Throws KeyError if there is no column of this name, as do the functions below.
  std::vector<std::string> text(const std::string& name) const;
  /// Returns a column as numbers, (rows). An empty cell is NaN in a floating dtype. Throws ValueError for a cell that
  /// is not a number or out of range of the dtype.
  Array column(const std::string& name, Dtype dtype = float32) const;
  /// Returns columns as an array (rows, names). Throws ValueError as column() does, and if no name is given.
  Array columns(const std::vector<std::string>& names, Dtype dtype = float32) const;
  /// Returns the position of each cell among the sorted distinct texts of its column, int32 (rows), and these texts.
  std::pair<Array, std::vector<std::string>> categories(const std::string& name) const;

 private:
  struct Part {
    int64_t begin, end;            // the numbers of its rows
    std::vector<csv::Cell> cells;  // row by row
  };
  std::size_t index(const std::string& name) const;
  std::string_view content(const csv::Cell& c) const {
    if (c.begin < content_.size()) return {content_.data() + c.begin, c.length};
    return {unescaped_.data() + (c.begin - content_.size()), c.length};
  }
  template <class F>
  void each(std::size_t column, int64_t begin, int64_t end, F&& f) const;
  void append(csv::Rows& rows, int64_t lines_before);
  template <class T>
  void read(const std::string& name, Dtype dtype, T* out, int64_t step) const;
  Array converted(const std::vector<std::string>& names, Dtype dtype) const;
  std::string what_, content_, unescaped_;  // unescaped_: cells with doubled quotes, one after the other
  std::vector<std::string> names_;
  std::vector<Part> parts_;
  std::vector<int64_t> lines_;  // the line in which each row begins
};
/// Reads the table of a file. Throws FileError as CsvTable does, or if the file cannot be read.
CsvTable read_csv(const std::filesystem::path& path, const CsvOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(read_csv, ".delimiter, .header", const std::filesystem::path&);

}  // namespace chainer::datasets
