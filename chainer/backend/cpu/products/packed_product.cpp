// SPDX-License-Identifier: MIT
// Products with a matrix that many calls share (array/host_kernels/constant_weights_scope.h), which is kept as the
// kernel reads it: packed into panels of columns, until the matrix is written to.
#include <algorithm>

#include "chainer/array/derived.h"
#include "chainer/array/host_kernels/constant_weights_scope.h"
#include "chainer/backend/cpu/products/panel_product.h"

namespace chainer::cpu {
namespace {

// With more rows, packing at each call pays, as libraries do; more than kMostLength elements along an axis do not fit
// in the identifier of a form.
constexpr int64_t kMostRows = 512, kLeastColumns = 48, kLeastInner = 16, kMostLength = int64_t(1) << 20;
constexpr int64_t kLeastWork = 16384;

// Depends on lengths only, so that equal calls give equal bits.
bool packing_pays(int64_t m, int64_t n, int64_t k) {
  return m > 1 && m <= kMostRows && n >= kLeastColumns && k >= kLeastInner && std::max(n, k) < kMostLength &&
         m * n * k > kLeastWork;
}

// Each element is one sum in the order of the inner axis, so that results do not depend on the numbers of threads and
// rows.
bool packed_product(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_step, const Array& b, int64_t b_step,
                    bool b_transposed, float* out, bool add) {
  if (!packing_pays(m, n, k) || b_step >= kMostLength) return false;
  const Panels panels(n, k);
  const uint64_t kind = uint64_t(1) << 63 | uint64_t(b_transposed) << 62 | static_cast<uint64_t>(n) << 40 |
                        static_cast<uint64_t>(k) << 20 | static_cast<uint64_t>(b_step);
  const auto pack = [&](void* to) {
    pack_panels(panels, b.data<float>(), b_step, b_transposed, n, k, static_cast<float*>(to));
  };
  const auto bytes = static_cast<std::size_t>(panels.size()) * sizeof(float);
  const std::shared_ptr<const DerivedForm> form = derived_form(b, kind, bytes, pack);
  multiply_panels(panels, m, k, a, a_step, 1, static_cast<const float*>(form->block.data), out, n, add);
  return true;
}

}  // namespace
}  // namespace chainer::cpu

namespace chainer {
ConstantWeightsScope::ConstantWeightsScope() : before_(product_) { product_ = cpu::packed_product; }
}  // namespace chainer
