// SPDX-License-Identifier: MIT
// Both forms of read_number() give the same results as std::from_chars.
#include "chainer/core/system/read_number.h"

#include <cmath>
#include <string>
#include <thread>

#include "chainer/core/parallel.h"
#include "test.h"

// The form for standard libraries without std::from_chars for double, under another name.
#define read_number read_number_by_strtod
#include "chainer/core/system/read_number_strtod.cpp"
#undef read_number

using namespace chainer;

namespace number_texts {
struct Case {
  std::string text;
  std::errc error;
  std::size_t read;  // characters
  double value;      // 7 if nothing is written
};
constexpr std::errc fine{}, bad = std::errc::invalid_argument, far = std::errc::result_out_of_range;
const Case cases[] = {
    {"1.5", fine, 3, 1.5},
    {"-0", fine, 2, -0.0},
    {".5e1", fine, 4, 5},
    {"1.", fine, 2, 1},
    {"2e", fine, 1, 2},
    {"2e+", fine, 1, 2},
    {"12,5", fine, 2, 12},
    {"1 ", fine, 1, 1},
    {"0x10", fine, 1, 0},
    {"-0X1p3", fine, 2, -0.0},
    {"5e-324", fine, 6, 5e-324},
    {"1e-310", fine, 6, 1e-310},
    {"1e999", far, 5, 7},
    {"-1e999", far, 6, 7},
    {"1e-999", far, 6, 7},
    {"inf", fine, 3, INFINITY},
    {"-infinity", fine, 9, -INFINITY},
    {"", bad, 0, 7},
    {"+1", bad, 0, 7},
    {" 1", bad, 0, 7},
    {"-", bad, 0, 7},
    {"--1", bad, 0, 7},
    {"-+1", bad, 0, 7},
    {"- 1", bad, 0, 7},
    {"e5", bad, 0, 7},
    {".", bad, 0, 7},
    {"0.1000000000000000055511151231257827021181583404541015625", fine, 57, 0.1},
};

void expect(std::from_chars_result (*read)(const char*, const char*, double&)) {
  for (const Case& c : cases) {
    double value = 7;
    const std::string longer = c.text + "3";  // the last character is not part of the text
    const auto r = read(longer.data(), longer.data() + c.text.size(), value);
    EXPECT_EQ(int(r.ec), int(c.error));
    EXPECT_EQ(std::size_t(r.ptr - longer.data()), c.read);
    EXPECT(value == c.value && std::signbit(value) == std::signbit(c.value));
  }
}
}  // namespace number_texts

TEST(a_number_is_read_by_the_standard_librarys_form_or_by_strtod_alike) {
  // Runs in a thread that does not flush denormal numbers, which would change strtod().
  std::thread([] {
    cpu::flush_denormals(false);
    number_texts::expect(read_number);
    number_texts::expect(read_number_by_strtod);
  }).join();
}
