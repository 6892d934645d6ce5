// SPDX-License-Identifier: MIT
// Formatting of arrays as in NumPy.
#pragma once
#include <concepts>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

#include "chainer/array/array.h"

namespace chainer {

class Parameter;

namespace detail {
std::ostream& write_text(std::ostream& stream, std::string_view text);
}

/// Returns the elements as NumPy prints them in arrays: all of up to 1000, otherwise three at each end of every axis;
/// in lines of at most 75 characters, continued below the opening bracket, which is in column `indent`. (to_string() of
/// an array without axes prints its number as a scalar, with all digits.)
std::string format_elements(const Array& a, std::string_view separator, int indent);

/// Writes to_string(value) of an array, a variable, a shape, a dtype or a device to a stream: std::cout << a.
template <class T>
requires(std::derived_from<T, Array> || std::derived_from<T, Variable> || std::derived_from<T, Parameter> ||
         std::derived_from<T, Dims> || std::same_as<T, Dtype> || std::same_as<T, Device>) std::ostream&
operator<<(std::ostream& stream, const T& value) {
  return detail::write_text(stream, to_string(value));
}

}  // namespace chainer
