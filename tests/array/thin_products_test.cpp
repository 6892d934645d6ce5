// SPDX-License-Identifier: MIT
// Products with few rows or columns, which have separate kernels: values for every layout and length, the same bits for
// any number of threads, and no influence of elements next to a row.
#include <chainer/array/backend.h>
#include <chainer/chainer.h>
#include <chainer/core/parallel.h>

#include <limits>

#include "bits.h"
#include "test.h"

using namespace chainer;

namespace {

// Random numbers as columns of a wider array, perhaps transposed: rows of n elements with NaN between them.
Array amid_nan(int64_t rows, int64_t columns, bool transposed) {
  const Shape shape = transposed ? Shape{columns, rows + 3} : Shape{rows, columns + 3};
  Array wide = full(shape, std::numeric_limits<double>::quiet_NaN(), float32);
  const Slice used(1, shape[1] - 2);
  wide.set({Slice(), used}, random::uniform(-1, 1, {shape[0], shape[1] - 3}));
  const Array part = wide[{Slice(), used}];
  return transposed ? part.T() : part;
}
Array exactly(const Array& a, const Array& b) { return matmul(a.astype(float64), b.astype(float64)); }

}  // namespace

TEST(thin_products_have_the_values_of_float64) {
  random::RandomState draw(5);
  for (int i = 0; i < 400; ++i) {
    const int64_t few = draw.randint(1, 6, {}).item<int64_t>(), many = draw.randint(1, 150, {}).item<int64_t>(),
                  k = draw.randint(1, 80, {}).item<int64_t>();
    const bool flipped = i & 1, ta = i & 2, tb = i & 4;
    const Array a = amid_nan(flipped ? many : few, k, ta), b = amid_nan(k, flipped ? few : many, tb);
    EXPECT_CLOSE(matmul(a, b).astype(float64), exactly(a, b), {.atol = 1e-5, .rtol = 1e-5});
    Array out = random::uniform(-1, 1, {a.shape()[0], b.shape()[1]}).astype(float32);
    const Array sum = out.astype(float64) * 0.5 + exactly(a, b) * 2;
    out.device().backend().gemm(a, b, out, 2, 0.5);
    EXPECT_CLOSE(out.astype(float64), sum, {.atol = 1e-5, .rtol = 1e-5});
  }
}

// In parts that are converted to float32, for every length of a part, and one less and more.
TEST(thin_products_of_16_bits) {
  random::RandomState draw(6);
  int layout = 0;
  for (const Dtype dtype : {float16, bfloat16})
    for (const int64_t few : {1, 3, 4, 5})
      for (const int64_t many : {1, 63, 65, 511, 513, 1100})
        for (const int64_t k : {1, 7, 127, 128, 129, 700})
          for (const Dtype out_dtype : {dtype, float32}) {
            const bool flipped = ++layout & 1, ta = layout & 2, tb = layout & 4;
            const Array a = amid_nan(flipped ? many : few, k, ta).astype(dtype),
                        b = amid_nan(k, flipped ? few : many, tb).astype(dtype);
            const Array start = random::uniform(-1, 1, {a.shape()[0], b.shape()[1]}).astype(out_dtype);
            const double beta = layout % 3 == 0 ? 0.5 : 0, rounding = dtype == float16 ? 1e-3 : 8e-3;
            const Array sum = start.astype(float64) * beta + exactly(a, b) * 2;
            Array first;
            for (const int threads : {1, 3}) {
              cpu::set_thread_count(threads);
              Array out = start.copy();
              out.device().backend().gemm(a, b, out, 2, beta);
              EXPECT_CLOSE(out.astype(float64), sum, {.atol = 1e-4, .rtol = out_dtype == float32 ? 1e-5 : rounding});
              if (threads == 1) first = out;
              EXPECT(same_bits(out, first));
            }
          }
  cpu::set_thread_count(0);
}

// Products of integers are exact, and wrap.
TEST(thin_products_of_integers_of_16_bits) {
  const Array a = array({30001, -3, 7}).astype(int16).reshape({1, 3}),
              b = array({30011, 5, 32767}).astype(int16).reshape({3, 1});
  EXPECT_EQ(matmul(a, b).item<int64_t>(), static_cast<int16_t>(30001 * 30011 - 15 + 7 * 32767));
  EXPECT_EQ(matmul(a.astype(int64), b.astype(int64)).item<int64_t>(), 30001 * 30011 - 15 + 7 * 32767);
}

TEST(thin_products_have_the_same_bits_for_any_number_of_threads) {
  for (const auto& [m, k, n] : {std::tuple{1, 700, 3001}, {4, 2049, 515}, {3001, 700, 2}, {515, 2049, 3}})
    for (int layout = 0; layout < 4; ++layout) {
      const Array a = amid_nan(m, k, layout & 1), b = amid_nan(k, n, layout & 2);
      cpu::set_thread_count(1);
      const Array alone = matmul(a, b);
      for (int threads : {2, 3, 7}) {
        cpu::set_thread_count(threads);
        EXPECT(same_bits(matmul(a, b), alone));
      }
    }
  cpu::set_thread_count(0);
}

TEST(thin_products_of_nothing_and_of_millions) {
  EXPECT_CLOSE(matmul(ones({2, 0}), ones({0, 5})), zeros({2, 5}), {});
  EXPECT_CLOSE(matmul(ones({5, 0}), ones({0, 1})), zeros({5, 1}), {});
  EXPECT_CLOSE(matmul(ones({1, 3}), ones({3, 2000003})), full({1, 2000003}, 3), {});
  EXPECT_CLOSE(matmul(ones({2000003, 2}), ones({2, 4})), full({2000003, 4}, 2), {});
}

TEST(infinite_elements_stay_in_their_column) {
  Array a = ones({2, 21}), b = ones({21, 9});
  b.set({5, 3}, std::numeric_limits<double>::infinity());
  for (const Array& w : {b, b.T().contiguous().T()}) {
    const Array c = matmul(a, w);
    for (int64_t j = 0; j < 9; ++j)
      EXPECT_EQ(c[{1, j}].item<float>(), j == 3 ? std::numeric_limits<float>::infinity() : 21.f);
  }
}
