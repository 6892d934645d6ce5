// SPDX-License-Identifier: MIT
// Products with a matrix in panels, compared with float64, for lengths that do and do not fill vectors, panels and
// rows.
#include <chainer/chainer.h>

#include <cmath>
#include <cstring>

#include "chainer/array/backend.h"
#include "chainer/backend/cpu/products/panel_product.h"
#include "chainer/core/parallel.h"
#include "test.h"

using namespace chainer;

namespace {

std::vector<float> normal(random::RandomState& draw, int64_t n) {
  const Array a = draw.normal(0, 1, {n}, float32);
  return {a.data<float>(), a.data<float>() + n};
}

// Packs the matrix in the first elements of `b`, whose rows or columns are `step` apart.
std::vector<float> packed(const cpu::Panels& panels, const std::vector<float>& b, int64_t step, bool transposed,
                          int64_t n, int64_t k) {
  std::vector<float> to(static_cast<std::size_t>(panels.size()), 7.0f);
  cpu::pack_panels(panels, b.data(), step, transposed, n, k, to.data());
  return to;
}

}  // namespace

TEST(products_with_panels_are_those_of_matrices) {
  random::RandomState draw(11);
  const int before = cpu::thread_count();
  for (const int64_t m : {1, 3, 5, 8, 33, 70})
    for (const int64_t n : {1, 7, 16, 49, 100, 193})
      for (const int64_t k : {1, 16, 61, 1025, 2100}) {
        const bool transposed_a = (m + n) % 2, transposed_b = (n + k) % 2, add = (m + k) % 2;
        const int64_t a_step = (transposed_a ? m : k) + 3, b_step = (transposed_b ? k : n) + 2, out_step = n + 1;
        const auto a = normal(draw, a_step * (transposed_a ? k : m)), b = normal(draw, b_step * (transposed_b ? n : k)),
                   start = normal(draw, out_step * m);
        const int64_t a_row = transposed_a ? 1 : a_step, a_inner = transposed_a ? a_step : 1;
        const cpu::Panels panels(n, k);
        const auto at = [](const std::vector<float>& v, int64_t i) { return v[static_cast<std::size_t>(i)]; };
        std::vector<float> first;
        for (const int threads : {1, 2, 5}) {
          cpu::set_thread_count(threads);
          std::vector<float> out = start;
          cpu::multiply_panels(panels, m, k, a.data(), a_row, a_inner,
                               packed(panels, b, b_step, transposed_b, n, k).data(), out.data(), out_step, add);
          if (threads == 1) {
            first = out;
            double off = 0;
            for (int64_t i = 0; i < m; ++i)
              for (int64_t j = 0; j < out_step; ++j) {
                double sum = add || j == n ? at(start, i * out_step + j) : 0.0;
                for (int64_t l = 0; j < n && l < k; ++l)
                  sum += double(at(a, i * a_row + l * a_inner)) *
                         double(at(b, transposed_b ? j * b_step + l : l * b_step + j));
                off = std::max(off, std::abs(sum - double(at(out, i * out_step + j))));
              }
            ++test::expectations;
            if (!(off < 1e-5 * std::sqrt(double(k)) * 4))
              test::fail(__FILE__, __LINE__, text(m, " x ", k, " x ", n, ": ", off));
          }
          ++test::expectations;
          if (std::memcmp(first.data(), out.data(), out.size() * sizeof(float)) != 0)
            test::fail(__FILE__, __LINE__, text(m, " x ", k, " x ", n, ", ", threads, " threads"));
        }
        // A product that is added has the same bits as the product alone.
        std::vector<float> alone(start.size()), sum = start;
        const auto matrix = packed(panels, b, b_step, transposed_b, n, k);
        cpu::multiply_panels(panels, m, k, a.data(), a_row, a_inner, matrix.data(), alone.data(), out_step, false);
        cpu::multiply_panels(panels, m, k, a.data(), a_row, a_inner, matrix.data(), sum.data(), out_step, true);
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j)
            EXPECT_EQ(at(sum, i * out_step + j), at(start, i * out_step + j) + at(alone, i * out_step + j));
      }
  cpu::set_thread_count(before);
}

// Numbers of rows that fill vectors, and that leave rows to a library or to padding; columns that fill chunks or not;
// matrices with gaps; results that are added to.
TEST(products_by_transposed_matrices_are_those_in_float64) {
  random::RandomState draw(12);
  const int before = cpu::thread_count();
  for (const int64_t m : {12, 13, 16, 20, 29, 32, 47, 100, 255, 256, 300})
    for (const int64_t n : {31, 32, 33, 70, 257})
      for (const int64_t k : {16, 61, 700, 2100}) {
        const int64_t gap = (m + k) % 5;
        const Array a = draw.normal(0, 1, {m, k + gap}, float32)[{Slice(), Slice(0, k)}],
                    b = draw.normal(0, 1, {n, k + gap}, float32)[{Slice(), Slice(0, k)}],
                    start = draw.normal(0, 1, {m, n}, float32);
        const double beta = static_cast<double>((m + n) % 2);
        const Array want = dot(a.astype(float64), b.astype(float64).transpose({1, 0})) + start.astype(float64) * beta;
        Array first;
        for (const int threads : {1, 2, 5}) {
          cpu::set_thread_count(threads);
          Array out = beta == 0 ? full({m, n}, std::nan(""), float32) : start.copy();
          out.device().backend().gemm(a, b.transpose({1, 0}), out, 1, beta);
          if (threads == 1) first = out;
          const double off = max(absolute(out.astype(float64) - want)).item<double>();
          ++test::expectations;
          if (!(off < 1e-5 * (1 + std::sqrt(static_cast<double>(k)))))
            test::fail(__FILE__, __LINE__, text(m, " x ", n, " x ", k, ": off by ", off));
          ++test::expectations;
          if (std::memcmp(out.raw(), first.raw(), static_cast<std::size_t>(m * n) * sizeof(float)) != 0)
            test::fail(__FILE__, __LINE__, text(m, " x ", n, " x ", k, ": other bits with ", threads, " threads"));
        }
      }
  cpu::set_thread_count(before);
}
