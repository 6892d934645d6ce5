// SPDX-License-Identifier: MIT
#pragma once
#include <charconv>

namespace chainer {

// std::from_chars for double, which libc++ has only since version 20. Defined in read_number_charconv.cpp, or with the
// same results in read_number_strtod.cpp.
std::from_chars_result read_number(const char* first, const char* last, double& value);

}  // namespace chainer
