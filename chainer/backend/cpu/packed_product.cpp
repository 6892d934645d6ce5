// Products with a matrix that many calls share (array/weights_stay.h), which is kept as the kernel reads it: packed
// into panels of columns, until somebody writes to it.
#include <algorithm>

#include "chainer/array/derived.h"
#include "chainer/array/weights_stay.h"
#include "chainer/backend/cpu/panel_product.h"

namespace chainer::cpu {
namespace {

// More rows pay for packing at each call, which libraries do; more than kMostLength elements an axis do not fit into a
// form's number.
constexpr int64_t kMostRows = 512, kLeastColumns = 48, kLeastInner = 16, kMostLength = int64_t(1) << 20;
constexpr int64_t kLeastWork = 16384;

// A choice by lengths only, so that each call has the same bits.
bool packing_pays(int64_t m, int64_t n, int64_t k) {
  return m > 1 && m <= kMostRows && n >= kLeastColumns && k >= kLeastInner && std::max(n, k) < kMostLength &&
         m * n * k > kLeastWork;
}

// Each element is one sum in the order of the inner axis: any number of threads, and of rows, gives the same bits.
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
WeightsStay::WeightsStay() : before_(product_) { product_ = cpu::packed_product; }
}  // namespace chainer
