// SPDX-License-Identifier: MIT
// Products of bfloat16 matrices, compared with float64, for lengths that do and do not fill blocks, in every layout.
#include <chainer/chainer.h>

#include <cmath>

#include "bits.h"
#include "chainer/core/parallel.h"
#include "chainer/routines/linalg.h"
#include "test.h"

using namespace chainer;

namespace {

// A matrix whose rows, or columns if it is transposed, have a gap.
Array matrix(random::RandomState& draw, int64_t rows, int64_t columns, bool transposed, int64_t gap) {
  const Array all =
      draw.normal(0, 1, transposed ? Shape{columns, rows + gap} : Shape{rows, columns + gap}).astype(bfloat16);
  return transposed ? all[{Slice(), Slice(0, rows)}].T() : all[{Slice(), Slice(0, columns)}];
}

// The largest error, in units of what rounding of the sums and of the result allows.
double error(const Array& y, const Array& a, const Array& b, const Array& before, double alpha, double beta) {
  const Array x = a.astype(float64), w = b.astype(float64), start = before.astype(float64);
  const Array exact = alpha * matmul(x, w) + beta * start;
  const Array sums = std::abs(alpha) * matmul(absolute(x), absolute(w)) + std::abs(beta) * absolute(start);
  const double rounding = y.dtype() == bfloat16 ? 1.0 / 256 : 0;
  return max(absolute(y.astype(float64) - exact) / (rounding * absolute(exact) + 1e-6 * sums + 1e-30)).item<double>();
}

}  // namespace

TEST(bfloat_products_are_those_of_float64) {
  random::RandomState draw(5);
  const int before = cpu::thread_count();
  int count = 0;
  for (const int64_t m : {1, 4, 8, 9, 17, 33, 100})
    for (const int64_t n : {1, 5, 8, 15, 32, 70, 600})
      for (const int64_t k : {0, 1, 2, 7, 8, 9, 31, 64, 101, 300, 1024, 2085})
        for (const Dtype dtype : {bfloat16, float32}) {
          const int c = count++;
          const Array a = matrix(draw, m, k, c & 1, c % 3), b = matrix(draw, k, n, c & 2, c % 5);
          const Array start = draw.normal(0, 1, {m, n}).astype(dtype);
          const double alpha = c % 7 ? 1 : 0.5, beta = c % 4 == 0 ? 1 : c % 5 == 0 ? 2 : 0;
          Array first;
          for (const int threads : {1, 2, 5}) {
            cpu::set_thread_count(threads);
            Array y = start.copy();
            matmul_into(a, b, y, alpha, beta);
            if (threads == 1) {
              first = y;
              const double e = error(y, a, b, start, alpha, beta);
              ++test::expectations;
              if (!(e <= 1.01)) test::fail(__FILE__, __LINE__, text(m, " x ", k, " x ", n, " into ", dtype, ": ", e));
            }
            EXPECT(same_bits(y, first));
          }
        }
  cpu::set_thread_count(before);
}

// A row of a product does not depend on the number of rows.
TEST(bfloat_products_of_some_rows_have_the_same_bits) {
  random::RandomState draw(6);
  const Array a = draw.normal(0, 1, {70, 130}).astype(bfloat16), b = draw.normal(0, 1, {130, 90}).astype(bfloat16);
  const Array all = matmul(a, b), columns = matmul(a, b.T().copy().T());
  EXPECT(same_bits(all, columns));
  for (int64_t rows = 1; rows < 10; ++rows) {
    const Slice some(3, 3 + rows);
    EXPECT(same_bits(matmul(a[{some}], b.T().copy().T()), all[{some}]));
    EXPECT(same_bits(matmul(a, b[{Slice(), some}]), all[{Slice(), some}]));
    EXPECT(same_bits(matmul(a.T().copy().T(), b[{Slice(), some}]), all[{Slice(), some}]));
  }
  for (const int64_t rows : {1, 3, 16, 31, 32, 33, 64}) {
    EXPECT(same_bits(matmul(a[{Slice(0, rows)}], b), all[{Slice(0, rows)}]));
    EXPECT(same_bits(matmul(a[{Slice(5, 5 + std::min<int64_t>(rows, 60))}], b),
                     all[{Slice(5, 5 + std::min<int64_t>(rows, 60))}]));
  }
}

TEST(stacks_of_bfloat_matrices) {
  random::RandomState draw(7);
  const Array a = draw.normal(0, 1, {3, 5, 20, 40}).astype(bfloat16),
              b = draw.normal(0, 1, {3, 5, 40, 33}).astype(bfloat16);
  const Array y = matmul(a, b), z = matmul(swapaxes(a, 1, 2).copy().transpose({0, 2, 1, 3}), b);
  EXPECT(same_bits(y, z));
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 5; ++j) EXPECT(same_bits(y[{i, j}], matmul(a[{i, j}], b[{i, j}])));
}

// Infinities and NaN stay where they are: zeros of the padding are not multiplied by them.
TEST(bfloat_products_of_infinities) {
  for (const int64_t k : {1, 33, 64}) {
    Array a = ones({3, k}, bfloat16), b = ones({k, 40}, bfloat16);
    a.set({1, k - 1}, INFINITY);
    b.set({0, 7}, -INFINITY);
    const Array y = matmul(a, b).astype(float32);
    for (int64_t j = 0; j < 40; ++j) {
      EXPECT_EQ((y[{0, j}].item<float>()), j == 7 ? -INFINITY : float(k));
      if (j != 7) EXPECT_EQ((y[{1, j}].item<float>()), INFINITY);
    }
  }
}
