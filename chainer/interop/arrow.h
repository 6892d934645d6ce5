// Columns of a table of another library: the structures of Arrow's C data interface
// (https://arrow.apache.org/docs/format/CDataInterface.html).
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "chainer/array/array.h"

namespace chainer {

/// Arrow's structures, laid out as its C declarations have them.
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

/// The columns of a table (a struct of arrays, "+s"), or the only column of an array of numbers, by name. Both
/// structures are moved from: the caller's are marked as released and need not live on, what they held is released when
/// the last array on its memory is gone, or now if this throws.
/// Numbers of this library's dtypes share the producer's memory and are read-only; truth values, which Arrow packs into
/// bits, are copied, and so are columns with nulls, which must be floating and become NaN there. TypeError that names
/// the column for another format (texts, unsigned integers of more than 8 bits, lists, dictionaries) and for nulls
/// among integers.
std::vector<std::pair<std::string, Array>> from_arrow(arrow::ArrowArray* array, arrow::Schema* schema);

}  // namespace chainer
