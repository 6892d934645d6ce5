// SPDX-License-Identifier: MIT
// Matrix products and singular values.
#include <chainer/chainer.h>

#include "test.h"

using namespace chainer;

TEST(matrix_products_of_stacks_over_two_axes) {
  random::RandomState r(3);
  struct Sizes {
    int64_t outer, inner, m, k, n;
  };
  for (const Sizes& s :
       {Sizes{2, 3, 5, 4, 7}, Sizes{3, 4, 64, 32, 64}, Sizes{2, 2, 190, 180, 150}, Sizes{1, 3, 1, 40, 9}})
    for (const Dtype d : {float32, float64, float16, int64}) {
      // Views as heads of attention are: the inner axis of the stack lies between the axes of the matrices.
      const Array a = (r.randn({s.outer, s.m, s.inner, s.k}) * 2).astype(d).transpose({0, 2, 1, 3}),
                  b = (r.randn({s.outer, s.n, s.inner, s.k}) * 2).astype(d).transpose({0, 2, 3, 1});
      const Array y = matmul(a, b), left = matmul(a[{Slice(), Slice(0, 1)}], b), right = matmul(a, b[{Slice(0, 1)}]);
      EXPECT_EQ(y.shape(), (Shape{s.outer, s.inner, s.m, s.n}));
      const double rtol = d == float16 ? 2e-3 : d == float32 ? 1e-5 : 1e-12;
      const testing::AllcloseOptions close{.atol = rtol * 50, .rtol = rtol};
      for (int64_t i = 0; i < s.outer; ++i)
        for (int64_t j = 0; j < s.inner; ++j) {
          const Array one = b[{i, j}].copy();
          EXPECT_CLOSE(y[{i, j}], matmul(a[{i, j}].copy(), one), close);
          EXPECT_CLOSE(left[{i, j}], matmul(a[{i, 0}].copy(), one), close);
          EXPECT_CLOSE(right[{i, j}], matmul(a[{i, j}].copy(), b[{0, j}].copy()), close);
        }
    }
  EXPECT_EQ(matmul(zeros({2, 3, 4, 0}), zeros({2, 3, 0, 5})).shape(), (Shape{2, 3, 4, 5}));
  EXPECT_EQ(max(matmul(zeros({3, 4, 0}), zeros({0, 5}))).item<double>(), 0);
  EXPECT_EQ(matmul(zeros({3, 4, 0}), zeros({0, 5})).shape(), (Shape{3, 4, 5}));
  EXPECT_EQ(matmul(zeros({3, 4, 0}), zeros({0})).shape(), (Shape{3, 4}));
  EXPECT_EQ(dot(zeros({2, 0}), zeros({3, 0, 4})).shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(matmul(zeros({3, 0, 2}), zeros({2, 5})).shape(), (Shape{3, 0, 5}));
  EXPECT_EQ(matmul(zeros({2, 0, 4, 3}), zeros({2, 0, 3, 5})).shape(), (Shape{2, 0, 4, 5}));
  EXPECT_THROW(DimensionError, "do not fit", matmul(zeros({2, 3, 4, 5}), zeros({2, 3, 6, 5})));
}

TEST(matrix_products) {
  random::RandomState r(0);
  for (Dtype d : {float64, float32, float16, int32}) {
    const Array a = (r.randn({5, 7}) * 4).astype(d), b = (r.randn({7, 6}) * 4).astype(d);
    Array expected = zeros({5, 6}, float64);
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 6; ++j)
        expected.set({i, j}, sum(a[i].astype(float64) * b[{Slice(), j}].astype(float64)).item<double>());
    const double rtol = d == float16 ? 1e-2 : 1e-5;
    EXPECT_CLOSE(matmul(a, b), expected, {.atol = rtol * 50, .rtol = rtol});
    EXPECT_CLOSE(matmul(a.T().contiguous().T(), b.T().contiguous().T()), expected, {.atol = rtol * 50, .rtol = rtol});
  }
  EXPECT_EQ(matmul(zeros({3, 1, 4, 5}), zeros({2, 5, 6})).shape(), (Shape{3, 2, 4, 6}));
  EXPECT_EQ(matmul(array({1., 2.}), array({3., 4.})).item<double>(), 11.);
  EXPECT_EQ(dot(zeros({2, 3}), zeros({4, 3, 5})).shape(), (Shape{2, 4, 5}));
  EXPECT_EQ(dot(zeros({2, 3}), ones({})).shape(), (Shape{2, 3}));
  EXPECT_EQ(dot(full({}, 2), full({}, 3)).item<double>(), 6.);
  EXPECT_CLOSE(matmul(zeros({2, 0}), zeros({0, 3})), zeros({2, 3}));
  EXPECT_THROW(DimensionError, "do not fit", matmul(zeros({2, 3}), zeros({2, 3})));
  const Array big = r.randn({200, 300}, float32), other = r.randn({300, 100}, float32);
  EXPECT_CLOSE(matmul(big, other), matmul(big.astype(float64), other.astype(float64)), {.atol = 1e-3});
  const Array s = r.randn({4, 6});
  const Svd d = svd(s);
  EXPECT_CLOSE(matmul(d.u * d.s, d.vt), s, {.atol = 1e-10});
  EXPECT_CLOSE(matmul(d.vt, d.vt.T()), eye(4, {}, 0, float64), {.atol = 1e-10});
}

TEST(singular_values_of_stacks_of_matrices) {
  const Array a = random::RandomState(1).randn({2, 3, 5, 4});
  const Svd all = svd(a);
  EXPECT_EQ(all.u.shape(), (Shape{2, 3, 5, 4}));
  EXPECT_EQ(all.s.shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(all.vt.shape(), (Shape{2, 3, 4, 4}));
  const Svd one = svd(a[{1, 2}]);
  EXPECT_CLOSE(all.u[{1, 2}], one.u, {.atol = 0, .rtol = 0});
  EXPECT_CLOSE(all.s[{1, 2}], one.s, {.atol = 0, .rtol = 0});
  EXPECT_CLOSE(all.vt[{1, 2}], one.vt, {.atol = 0, .rtol = 0});
  EXPECT_THROW(DimensionError, "svd: expected non-empty matrices, got shape (3,)", svd(ones({3})));
  EXPECT_THROW(DimensionError, "svd: expected non-empty matrices, got shape (2, 0, 3)", svd(ones({2, 0, 3})));
}

TEST(products_with_a_bias) {
  const Array a = random::RandomState(1).randn({3, 4}), b = random::RandomState(2).randn({4, 5}), bias = arange(5);
  Array out({3, 5}, float64);
  matmul_bias_into(a, b, bias.astype(float64), out);
  EXPECT_CLOSE(out, matmul(a, b) + bias, {.atol = 1e-12});
  matmul_bias_into(a[{Slice(), Slice(0, 0)}], b[Slice(0, 0)], bias.astype(float64), out);
  EXPECT_CLOSE(out, broadcast_to(bias, {3, 5}).astype(float64), {.atol = 0, .rtol = 0});
  EXPECT_THROW(DimensionError, "matmul: a bias of shape (4,) does not fit a result of shape (3, 5)",
               matmul_bias_into(a, b, ones({4}, float64), out));
  EXPECT_THROW(DtypeError, "matmul: a bias of dtype float32 for a result of dtype float64",
               matmul_bias_into(a, b, ones({5}, float32), out));
  EXPECT_THROW(DimensionError, "matmul: shapes (3, 4) and (5, 4) do not fit a result of shape (3, 5)",
               matmul_bias_into(a, b.T(), bias.astype(float64), out));
}
