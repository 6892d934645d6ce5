// Tables from text: comma-separated values and their relatives.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/array/array.h"

namespace chainer::datasets {

struct CsvOptions {
  char delimiter = ',';
  bool header = true;  ///< the first row names the columns; else they are "0", "1", ...
};
/// A table as RFC 4180 describes it: fields in quotes may hold delimiters, newlines and doubled quotes. A byte-order
/// mark of UTF-8 is left out. Cells are kept as text; columns become arrays when they are asked for, each with a dtype.
/// Every error names file, line and column.
class CsvTable {
 public:
  /// FileError for a row with another number of fields than the first, or an open quote at the end.
  CsvTable(std::string_view content, const std::string& what, const CsvOptions& options = {});
  const std::vector<std::string>& names() const { return names_; }
  int64_t size() const { return static_cast<int64_t>(lines_.size()); }
  /// The cells of a column; KeyError if there is none of this name.
  std::vector<std::string> text(const std::string& name) const;
  /// A column as numbers; ValueError for a cell that is none or does not fit the dtype. An empty cell is NaN in a
  /// floating dtype.
  Array column(const std::string& name, Dtype dtype = float32) const;
  /// Columns side by side: (rows, names).
  Array columns(const std::vector<std::string>& names, Dtype dtype = float32) const;
  /// Each cell's place among the sorted distinct texts of its column, int32, and these texts.
  std::pair<Array, std::vector<std::string>> categories(const std::string& name) const;

 private:
  std::size_t index(const std::string& name) const;
  std::string what_;
  std::vector<std::string> names_, cells_;
  std::vector<int64_t> lines_;  // where each row begins
};
/// The table of a file.
CsvTable read_csv(const std::filesystem::path& path, const CsvOptions& options = {});

}  // namespace chainer::datasets
