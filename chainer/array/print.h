// Text of arrays in NumPy's format.
#pragma once
#include <string>
#include <string_view>

#include "chainer/array/array.h"

namespace chainer {

/// The elements as NumPy prints them: up to 1000 whole, beyond that three at each end of every axis; lines of at most
/// 75 characters, continued under the opening bracket, which stands behind `indent` characters.
std::string format_elements(const Array& a, std::string_view separator, int indent);

}  // namespace chainer
