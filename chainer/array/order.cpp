// SPDX-License-Identifier: MIT
#include "chainer/array/order.h"

#include <atomic>
#include <functional>
#include <utility>

#include "chainer/array/backend.h"

namespace chainer {
namespace {

std::atomic<int64_t> copies{0};

bool broadcast_axis(const ArrayBody& a, int d) { return a.shape[d] != 1 && !a.contiguous && a.strides[d] == 0; }

bool is_broadcast(const ArrayBody& a) {
  for (int d = 0; d < a.shape.ndim(); ++d)
    if (broadcast_axis(a, d)) return true;
  return false;
}

}  // namespace

Dims memory_order(const Dims& shape, const Strides& strides) {
  Dims order;
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    int at = axis;
    // Insertion sort that skips axes without a significant stride and stops at one that belongs before this axis.
    for (int k = axis - 1; k >= 0 && shape[axis] != 1 && strides[axis] != 0; --k) {
      const int64_t other = order[k];
      if (shape[other] == 1 || strides[other] == 0) continue;
      if (std::abs(strides[axis]) <= std::abs(strides[other])) break;
      at = k;
    }
    order.insert(at, axis);
  }
  return order;
}

Dims memory_order(const Array& a) { return memory_order(a.shape(), a.strides()); }

bool is_c_order(const Dims& order) {
  for (int i = 0; i < order.ndim(); ++i)
    if (order[i] != i) return false;
  return true;
}

Strides strides_in_order(const Dims& shape, const Dims& order) {
  if (order.empty()) return contiguous_strides(shape);
  Strides out = Dims::filled(shape.ndim(), 1);
  int64_t step = 1;
  for (int i = shape.ndim() - 1; i >= 0; --i) {
    out[order[i]] = step;
    step *= shape[order[i]];
  }
  return out;
}

Dims permuted(const Dims& d, const Dims& order) {
  if (order.empty()) return d;
  Dims out;
  for (int64_t i : order) out.push_back(d[i]);
  return out;
}

Array empty_in_order(const Shape& shape, Dtype dtype, Device device, const Dims& order, const char* operation) {
  return Array(ArrayBody::make(shape, dtype, device, order, operation));
}

Array in_order(const Array& a, const Dims& order) {
  const ArrayBody& body = a.body();
  if (is_c_order(order)) return a.contiguous();
  const Strides wanted = strides_in_order(body.shape, order), strides = body.effective_strides();
  bool same = true;
  for (int d = 0; d < body.shape.ndim(); ++d) same = same && (body.shape[d] == 1 || strides[d] == wanted[d]);
  if (same || body.size == 0) return a;
  Array out = empty_in_order(body.shape, body.dtype, body.device, order);
  copy_elements(a, out);
  return out;
}

bool follows(const ArrayBody& a, const Dims& order) {
  if (a.contiguous && order.empty()) return true;
  const Strides strides = a.effective_strides();
  int64_t least = 0;
  for (int i = a.shape.ndim() - 1; i >= 0; --i) {
    const int64_t d = order.empty() ? i : order[i];
    if (a.shape[d] == 1 || strides[d] == 0) continue;
    if (std::abs(strides[d]) < least) return false;
    least = std::abs(strides[d]);
  }
  return true;
}

Array aligned(const Array& a, const Dims& order) {
  const ArrayBody& body = a.body();
  if (body.size == 0 || follows(body, order)) return a;
  Shape narrow = body.shape;
  for (int d = 0; d < narrow.ndim(); ++d)
    if (broadcast_axis(body, d)) narrow[d] = 1;
  const Array once(ArrayBody::view(a.body_ref(), narrow, body.effective_strides(), 0));
  Array copy = empty_in_order(narrow, body.dtype, body.device, order);
  copy_elements(once, copy);
  if (narrow == body.shape) return copy;
  Strides strides = copy.strides();
  for (int d = 0; d < narrow.ndim(); ++d)
    if (narrow[d] != body.shape[d]) strides[d] = 0;
  return Array(ArrayBody::view(copy.body_ref(), body.shape, strides, 0));
}

bool is_dense(const ArrayBody& a) {
  if (a.contiguous) return true;
  const Strides dense = strides_in_order(a.shape, memory_order(a.shape, a.strides));
  for (int d = 0; d < a.shape.ndim(); ++d)
    if (a.shape[d] != 1 && a.strides[d] != dense[d]) return false;
  return true;
}

bool same_layout(const ArrayBody& a, const ArrayBody& b) {
  if (a.contiguous != b.contiguous || a.shape != b.shape) return false;
  if (a.contiguous) return true;
  for (int d = 0; d < a.shape.ndim(); ++d)
    if (a.shape[d] != 1 && a.strides[d] != b.strides[d]) return false;
  return true;
}

namespace {
// Returns the addresses of the first element and of the end of the last one.
std::pair<const char*, const char*> stretch(const Array& a) {
  ArrayBody& b = a.body();
  force(b);
  const char* const first = b.data;  // without raw(), because no element is read
  const int64_t item = item_size(b.dtype);
  if (b.contiguous) return {first, first + b.size * item};
  int64_t low = 0, high = 0;
  for (int d = 0; d < b.shape.ndim(); ++d) (b.strides[d] < 0 ? low : high) += (b.shape[d] - 1) * b.strides[d];
  return {first + low * item, first + (high + 1) * item};
}
}  // namespace

bool overlap(const Array& a, const Array& b) {
  ArrayBody &x = a.body().owner(), &y = b.body().owner();
  if (&x != &y && !x.marked(ArrayBody::kExternal) && !y.marked(ArrayBody::kExternal)) return false;
  if (a.device() != b.device() || a.size() == 0 || b.size() == 0) return false;
  const auto [a_first, a_end] = stretch(a);
  const auto [b_first, b_end] = stretch(b);
  return std::less<>()(a_first, b_end) && std::less<>()(b_first, a_end);
}

Dims result_order(std::span<const Array* const> operands) {
  bool whole = false;
  for (const Array* a : operands) {
    const ArrayBody& b = a->body();
    if (is_broadcast(b)) continue;
    whole = true;
    if (b.contiguous) continue;
    if (const Dims order = memory_order(b.shape, b.strides); !is_c_order(order)) return order;
  }
  if (whole) return {};
  for (const Array* a : operands)
    if (const Dims order = memory_order(*a); !is_c_order(order)) return order;
  return {};
}

int64_t order_copies() { return copies.load(std::memory_order_relaxed); }
void count_order_copy() { copies.fetch_add(1, std::memory_order_relaxed); }

}  // namespace chainer
