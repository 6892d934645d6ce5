// Products with a matrix that many calls share (array/weights_stay.h), which is kept as the kernel reads it: packed
// into panels of columns, until somebody writes to it.
#include <algorithm>
#include <cstring>

#include "chainer/array/derived.h"
#include "chainer/array/weights_stay.h"
#include "chainer/backend/cpu/kernels/row_table.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

// More rows pay for packing at each call, which libraries do; more than kMostLength elements an axis do not fit into a
// form's number.
constexpr int64_t kMostRows = 512, kLeastColumns = 48, kLeastInner = 16, kMostLength = int64_t(1) << 20;
constexpr int64_t kLeastWork = 16384, kRows = 32;

// Panel after panel, of each the rows of its columns; zeros where the matrix ends within a panel.
void pack(float* to, const float* b, int64_t step, bool transposed, int64_t n, int64_t k) {
  const int64_t width = packed_kernels().panel_columns, panels = (n + width - 1) / width;
  parallel_ranges(panels, n * k, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t first = p * width, columns = std::min(width, n - first);
      float* const panel = to + first * k;
      if (columns < width) std::memset(panel, 0, static_cast<std::size_t>(width * k) * sizeof(float));
      if (transposed) {
        kernels().transpose[sizeof(float)](panel, width, b + first * step, step, columns, k);
        continue;
      }
      for (int64_t l = 0; l < k; ++l)
        std::memcpy(panel + l * width, b + l * step + first, static_cast<std::size_t>(columns) * sizeof(float));
    }
  });
}

// A choice by lengths only, so that each call has the same bits.
bool packing_pays(int64_t m, int64_t n, int64_t k) {
  return m > 1 && m <= kMostRows && n >= kLeastColumns && k >= kLeastInner && std::max(n, k) < kMostLength &&
         m * n * k > kLeastWork;
}

// Each element is one sum in the order of the inner axis: any number of threads, and of rows, gives the same bits.
bool packed_product(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_step, const Array& b, int64_t b_step,
                    bool b_transposed, float* out, bool add) {
  if (!packing_pays(m, n, k) || b_step >= kMostLength) return false;
  const int64_t width = packed_kernels().panel_columns, panels = (n + width - 1) / width;
  const uint64_t kind = uint64_t(1) << 63 | uint64_t(b_transposed) << 62 | static_cast<uint64_t>(n) << 40 |
                        static_cast<uint64_t>(k) << 20 | static_cast<uint64_t>(b_step);
  const auto packed = [&](void* to) { pack(static_cast<float*>(to), b.data<float>(), b_step, b_transposed, n, k); };
  const auto bytes = static_cast<std::size_t>(panels * width * k) * sizeof(float);
  const std::shared_ptr<const DerivedForm> form = derived_form(b, kind, bytes, packed);
  const PackedProduct p{.rows = m,
                        .columns = n,
                        .k = k,
                        .a = a,
                        .a_step = a_step,
                        .b = static_cast<const float*>(form->block.data),
                        .out = out,
                        .out_step = n,
                        .add = add};
  const int64_t chunks = (m + kRows - 1) / kRows;
  parallel_ranges(panels * chunks, m * n * k / 8, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      packed_kernels().product(p, i / chunks, i % chunks * kRows, std::min(m, (i % chunks + 1) * kRows));
  });
  return true;
}

}  // namespace
}  // namespace chainer::cpu

namespace chainer {
WeightsStay::WeightsStay() : before_(product_) { product_ = cpu::packed_product; }
}  // namespace chainer
