// SPDX-License-Identifier: MIT
// Shared by the formats: keys, and conversions of stored values.
#pragma once
#include <string>
#include <string_view>

#include "chainer/array/array.h"

namespace chainer::serializers {

/// Returns a key without slashes at its ends, as it is stored in a file.
std::string stripped(std::string_view key);
/// Returns true if elements of one dtype may be loaded into another: a floating value is not loaded into an integer,
/// and only bool is loaded into bool.
bool same_kind(Dtype from, Dtype to);
/// Throws ValueError, as assign() does, if the shapes differ; for readers that check before they read the elements.
void check_shape(const Shape& stored, const Array& value, const std::string& what);
/// Throws ValueError unless the shape is that of one value.
void check_one_value(const Shape& stored, const std::string& what);
/// Sets `value` to a stored array: an empty handle takes the array unchanged; otherwise the elements are cast to the
/// dtype of `value`. Throws ValueError if the shapes differ, TypeError unless same_kind(). Messages begin with `what`.
void assign(const Array& stored, Array& value, const std::string& what);
/// Returns the value of a stored array of one element. Throws ValueError for other sizes.
Scalar one_value(const Array& stored, const std::string& what);
/// Returns one_value() as an integer. Throws ValueError for a floating value that is not a whole number of 64 bits.
int64_t whole_value(const Array& stored, const std::string& what);

}  // namespace chainer::serializers
