// SPDX-License-Identifier: MIT
// Import of table columns from other libraries through the structures of Arrow's C data interface
// (https://arrow.apache.org/docs/format/CDataInterface.html).
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "chainer/array/array.h"

namespace chainer {

/// Arrow's structures, with the layout of its C declarations.
namespace arrow {

struct Schema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  Schema** children;
  Schema* dictionary;
  void (*release)(Schema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

}  // namespace arrow

/// Returns the columns of a table (a struct of arrays, "+s"), or the only column of an array of numbers, by name. Both
/// structures are moved from: the caller's are marked as released, and their contents are released with the last array
/// on their memory, or at once if this function throws. Columns of this library's dtypes share the producer's memory
/// and are read-only. Booleans, which Arrow packs into bits, are copied. Columns with nulls are also copied; they must
/// be floating-point, and nulls become NaN. Throws TypeError naming the column for other formats (texts, unsigned
/// integers of more than 8 bits, lists, dictionaries), for nulls among integers or booleans, and for null rows;
/// ValueError for missing, released or inconsistent structures.
std::vector<std::pair<std::string, Array>> from_arrow(arrow::ArrowArray* array, arrow::Schema* schema);

}  // namespace chainer
