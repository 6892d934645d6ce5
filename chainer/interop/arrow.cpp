// SPDX-License-Identifier: MIT
#include "chainer/interop/arrow.h"

#include <cmath>
#include <limits>
#include <memory>
#include <string_view>

#include "chainer/array/external.h"
#include "chainer/array/index.h"

namespace chainer {
namespace {

// Both structures, moved here as the interface allows (the caller's are marked as released), and released with the last
// array on their memory.
struct Table {
  arrow::ArrowArray array;
  arrow::Schema schema;
  Table(arrow::ArrowArray* a, arrow::Schema* s) : array(*a), schema(*s) { a->release = nullptr, s->release = nullptr; }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table() {
    if (array.release) array.release(&array);
    if (schema.release) schema.release(&schema);
  }
};

bool bit(const void* bits, int64_t i) { return static_cast<const uint8_t*>(bits)[i / 8] >> (i % 8) & 1; }

Array column(const std::shared_ptr<Table>& table, const arrow::ArrowArray& a, const arrow::Schema& s,
             int64_t parent_offset, int64_t length) {
  const std::string_view format = s.format ? s.format : "", name = s.name ? s.name : "";
  const auto fail = [&](const auto&... why) { throw TypeError("from_arrow: column '", name, "': ", why...); };
  constexpr std::string_view formats = "cCsilefgb";
  constexpr Dtype dtypes[] = {Dtype::int8, uint8, Dtype::int16, int32, int64, float16, float32, float64, Dtype::bool_};
  const std::size_t kind = formats.find(format.empty() ? '?' : format[0]);
  if (format.size() != 1 || kind == formats.npos || s.dictionary) fail("format '", format, "' is not supported");
  const auto inconsistent = [&](const auto&... why) { throw ValueError("from_arrow: column '", name, "': ", why...); };
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  if (a.length < 0 || a.offset < 0 || a.length > kLargest - a.offset || a.n_buffers != 2 || !a.buffers ||
      parent_offset > a.length || length > a.length - parent_offset)
    inconsistent("expected ", length, " elements from ", parent_offset, " on and 2 buffers, got ", a.length,
                 " elements at ", a.offset, " and ", a.buffers ? a.n_buffers : 0, " buffers");
  const int64_t first = a.offset + parent_offset;
  const Dtype dtype = dtypes[kind];
  if (length == 0) return Array(Shape{0}, dtype);
  if (first + length > kLargest / item_size(dtype)) inconsistent("no memory holds elements up to ", first + length);
  if (!a.buffers[1]) inconsistent("the values are missing");
  if (dtype == Dtype::bool_) {
    if (a.null_count != 0 && a.buffers[0]) fail("nulls in booleans are not supported");
    Array out({length}, dtype);
    for (int64_t i = 0; i < length; ++i) out.mutable_data<bool>()[i] = bit(a.buffers[1], first + i);
    return out;
  }
  char* data = static_cast<char*>(const_cast<void*>(a.buffers[1])) + first * item_size(dtype);
  const Array values = external_array(data, {length}, dtype, [table] {}, {.writable = false});
  if (a.null_count == 0 || !a.buffers[0]) return values;
  if (!is_floating(dtype)) fail("nulls in integers are not supported");
  Array out = values.copy();
  for (int64_t i = 0; i < length; ++i)
    if (!bit(a.buffers[0], first + i)) out.set(i, std::nan(""));
  return out;
}

}  // namespace

std::vector<std::pair<std::string, Array>> from_arrow(arrow::ArrowArray* given, arrow::Schema* given_schema) {
  if (!given || !given_schema) throw ValueError("from_arrow: the array or the schema is nullptr");
  if (!given->release || !given_schema->release)
    throw ValueError("from_arrow: the array or the schema has been released");
  const auto table = std::make_shared<Table>(given, given_schema);
  const arrow::ArrowArray* const array = &table->array;
  const arrow::Schema* const schema = &table->schema;
  std::vector<std::pair<std::string, Array>> out;
  const auto name = [](const arrow::Schema& s) { return std::string(s.name ? s.name : ""); };
  if (array->length < 0) throw ValueError("from_arrow: the length must be 0 or more, not ", array->length);
  if (array->offset < 0) throw ValueError("from_arrow: the offset must be 0 or more, not ", array->offset);
  if (std::string_view(schema->format ? schema->format : "") != "+s") {
    out.emplace_back(name(*schema), column(table, *array, *schema, 0, array->length));
    return out;
  }
  if (array->n_children != schema->n_children || array->n_children < 0)
    throw ValueError("from_arrow: ", array->n_children, " columns, but ", schema->n_children, " in the schema");
  if ((array->n_buffers > 0 && !array->buffers) || (array->n_children > 0 && !(array->children && schema->children)))
    throw ValueError("from_arrow: the buffers or the columns of the table are nullptr");
  if (array->null_count != 0 && array->n_buffers > 0 && array->buffers[0])
    throw TypeError("from_arrow: null rows are not supported");
  for (int64_t i = 0; i < array->n_children; ++i) {
    const arrow::ArrowArray* const a = array->children[i];
    const arrow::Schema* const s = schema->children[i];
    if (!a || !s || !a->release || !s->release)
      throw ValueError("from_arrow: column ", i, " or its schema is nullptr or has been released");
    out.emplace_back(name(*s), column(table, *a, *s, array->offset, array->length));
  }
  return out;
}

}  // namespace chainer
