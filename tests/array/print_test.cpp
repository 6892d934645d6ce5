// SPDX-License-Identifier: MIT
// Texts of arrays, as NumPy prints them.
#include <chainer/chainer.h>

#include <cmath>
#include <limits>

#include "test.h"

using namespace chainer;

TEST(printing_follows_numpy) {
  EXPECT_EQ(repr(arange(6).reshape({2, 3})), "array([[0, 1, 2],\n       [3, 4, 5]])");
  EXPECT_EQ(repr(array({1.f, 2.5f})), "array([1. , 2.5], dtype=float32)");
  EXPECT_EQ(repr(array({1e-5, 1.0})), "array([1.e-05, 1.e+00])");
  EXPECT_EQ(repr(array({1.5, -2.0, 1e10})), "array([ 1.5e+00, -2.0e+00,  1.0e+10])");
  EXPECT_EQ(repr(array({std::nan(""), 1.0, -HUGE_VAL})), "array([ nan,   1., -inf])");
  EXPECT_EQ(repr(array({true, false}).astype(bool_)), "array([ True, False])");
  EXPECT_EQ(repr(zeros({0, 3})), "array([], shape=(0, 3), dtype=float32)");
  EXPECT_EQ(repr(zeros({0}, bool_)), "array([], dtype=bool)");
  EXPECT_EQ(repr(zeros({0}, float64)), "array([], dtype=float64)");
  EXPECT_EQ(repr(arange(17).astype(int32)),
            "array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16],\n      dtype=int32)");
  EXPECT_EQ(repr(arange(16).astype(int32)),
            "array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15],\n      dtype=int32)");
  EXPECT_EQ(repr(array(3.f)), "array(3., dtype=float32)");
  EXPECT_EQ(repr(arange(2000)), "array([   0,    1,    2, ..., 1997, 1998, 1999])");
  EXPECT_EQ(to_string(arange(8).reshape({2, 2, 2})), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
  EXPECT_EQ(repr(Variable(array({{1.f, 2.f}}))), "variable([[1., 2.]])");
  // The last character of a line, in nested lists of each, is left for a bracket.
  const std::string line = "[1234 1234 1234 1234 1234 1234 1234 1234 1234 1234 1234 1234 1234 1234";
  EXPECT_EQ(to_string(full({15}, 1234, int64)), line + "\n 1234]");
  EXPECT_EQ(to_string(full({1, 24}, 10, int64)),
            "[[10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10]]");
  EXPECT_EQ(to_string(full({12}, 12345, int64)),
            "[12345 12345 12345 12345 12345 12345 12345 12345 12345 12345 12345 12345]");
  EXPECT_EQ(repr(full({2}, true, bool_)), "array([ True,  True])");
  // Arrays without axes are printed as scalars, with all digits.
  EXPECT(to_string(array(15.)) == "15.0" && to_string(array(1e16)) == "1e+16" &&
         to_string(array(-1.5e-5)) == "-1.5e-05");
  EXPECT(to_string(array(1 / 3.)) == "0.3333333333333333" && to_string(array(0.1f)) == "0.1");
  EXPECT(to_string(array(123456789.125)) == "123456789.125" && to_string(array(1e15)) == "1000000000000000.0");
  EXPECT(to_string(array(-0.)) == "-0.0" && to_string(array(std::nan(""))) == "nan" &&
         to_string(array(true)) == "True");
  EXPECT(to_string(full({}, 65504, float16)) == "65500.0" && repr(array(15.)) == "array(15.)");
}
