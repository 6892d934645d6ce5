// SPDX-License-Identifier: MIT
#include <cerrno>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <locale.h>

#include "chainer/core/system/read_number.h"

namespace chainer {

std::from_chars_result read_number(const char* first, const char* last, double& value) {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);  // the decimal point is '.'
  std::string text(first, last);
  // strtod accepts leading blanks, a plus sign and hexadecimal digits; from_chars does not.
  const std::size_t sign = text.starts_with('-');
  const std::string_view digits = std::string_view(text).substr(sign);
  if (digits.empty() || digits.find_first_of(" \t\n\v\f\r+-") == 0) return {first, std::errc::invalid_argument};
  if (digits.starts_with("0x") || digits.starts_with("0X")) text.resize(sign + 1);
  const int before = std::exchange(errno, 0);
  char* end = nullptr;
  const double v = strtod_l(text.c_str(), &end, plain);
  const int error = std::exchange(errno, before);
  if (end == text.c_str()) return {first, std::errc::invalid_argument};
  const char* rest = first + (end - text.c_str());
  // strtod reports ERANGE for subnormal numbers too, but returns their values.
  if (error == ERANGE && (v == 0 || std::isinf(v))) return {rest, std::errc::result_out_of_range};
  value = v;
  return {rest, std::errc()};
}

}  // namespace chainer
