// SPDX-License-Identifier: MIT
// Internal: finds the cells of comma-separated values.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace chainer::datasets::csv {

/// The place of a cell's text in the content of a table or, counted from the content's end, in `unescaped`.
struct Cell {
  std::size_t begin, length;
};

/// Neighbouring rows. Lines are counted from the first one, from zero.
class Rows {
 public:
  /// The rows begin at `begin` and have `fields` cells each (0: any number).
  Rows(std::string_view content, char delimiter, std::size_t begin, std::size_t fields);
  /// Reads the rows that begin before `to`, at most `most` of them, until an error.
  void read(std::size_t to, std::size_t most = std::numeric_limits<std::size_t>::max());

  std::vector<Cell> cells;     ///< row by row
  std::vector<int64_t> lines;  ///< where the rows begin
  std::string unescaped;       ///< the texts of cells with doubled quotes, one after the other
  std::size_t end;             ///< where the next row begins
  int64_t line = 0;            ///< of the next row
  std::string error;           ///< empty if there is none
  int64_t error_line = 0;

 private:
  void read_row();
  bool read_cell(int64_t first_line);
  Cell add_unescaped(std::string_view quoted);
  bool fail(int64_t at, std::string why);

  std::string_view content_;
  std::size_t begin_;
  char delimiter_;
  std::size_t fields_;
  std::array<bool, 256> ends_{};  // characters that end a cell
};

}  // namespace chainer::datasets::csv
