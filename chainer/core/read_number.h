#pragma once
#include <charconv>

namespace chainer {

// std::from_chars for a double, which not every standard library has (libc++ since its version 20): in
// read_number_charconv.cpp, or in read_number_strtod.cpp with the same results.
std::from_chars_result read_number(const char* first, const char* last, double& value);

}  // namespace chainer
