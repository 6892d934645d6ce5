// What the formats share: keys, and what a stored value may become.
#pragma once
#include <string>
#include <string_view>

#include "chainer/array/array.h"

namespace chainer::serializers {

/// A key without slashes at its ends, as it stands in a file.
std::string stripped(std::string_view key);
/// Whether elements of one dtype may be loaded into another: a floating value never becomes an integer, and only truth
/// values become truth values.
bool same_kind(Dtype from, Dtype to);
/// The error of assign() for another shape, for readers that look at it before they read the elements.
void check_shape(const Shape& stored, const Array& value, const std::string& what);
/// The same for what should be one value.
void check_one_value(const Shape& stored, const std::string& what);
/// Fills `value` with a stored array: an empty handle takes it as it is; else the shape must be equal and the dtype of
/// the same kind or a wider one (a floating value never becomes an integer). Errors begin with `what`.
void assign(const Array& stored, Array& value, const std::string& what);
/// The only value of a stored array of one element.
Scalar one_value(const Array& stored, const std::string& what);
/// The same as an integer; ValueError for a floating value that is no whole number of 64 bits.
int64_t whole_value(const Array& stored, const std::string& what);

}  // namespace chainer::serializers
