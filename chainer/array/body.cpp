#include "chainer/array/body.h"

#include <cstring>
#include <utility>

#include "chainer/array/order.h"
#include "chainer/core/pool.h"

namespace chainer {

ArrayBody::~ArrayBody() {
  if (pending.load(std::memory_order_acquire)) deferred::drop(*this);
  if (block.data) memory::release(block);
}

void ArrayBody::destroy(ArrayBody* b) {
  const std::size_t bytes = sizeof(ArrayBody) + b->tail;
  b->~ArrayBody();
  pool::release(b, bytes);
}

Ref<ArrayBody> ArrayBody::make(const Shape& shape, Dtype dtype, Device device, const Dims& order) {
  for (int64_t n : shape)
    if (n < 0) throw DimensionError("negative dimensions are not allowed: ", shape);
  double elements = 1;
  for (int64_t n : shape) elements *= static_cast<double>(n);
  if (elements > 0x1p46) throw ValueError("an array of shape ", shape, " is too large");
  const auto bytes = static_cast<std::size_t>(shape.product() * item_size(dtype));
  if (bytes <= kInlineBytes) {
    constexpr std::size_t head = (sizeof(ArrayBody) + 63) / 64 * 64;
    char* memory = static_cast<char*>(pool::allocate(head + bytes));
    auto* b = new (memory) ArrayBody(shape, dtype, device);
    b->tail = static_cast<uint32_t>(head + bytes - sizeof(ArrayBody));
    b->data = memory + head;
    if (!order.empty()) b->set_strides(strides_in_order(shape, order));
    return Ref<ArrayBody>(b, Ref<ArrayBody>::Adopt{});
  }
  auto b = without_memory(shape, dtype, device, order);
  b->allocate();
  return b;
}

Ref<ArrayBody> ArrayBody::without_memory(const Shape& shape, Dtype dtype, Device device, const Dims& order) {
  auto b = make_ref<ArrayBody>(shape, dtype, device);
  if (!order.empty()) b->set_strides(strides_in_order(shape, order));
  return b;
}

void ArrayBody::set_strides(const Strides& s) {
  // Axes of length one or arrays without elements have no stride worth looking at.
  contiguous = true;
  int64_t expected = 1;
  for (int i = shape.ndim() - 1; i >= 0 && size; --i) {
    if (shape[i] != 1 && s[i] != expected) contiguous = false;
    expected *= shape[i];
  }
  if (!contiguous) strides = s;
}

void ArrayBody::allocate() {
  block = memory::allocate(static_cast<std::size_t>(size * item_size(dtype)));
  data = static_cast<char*>(block.data);
}

Ref<ArrayBody> ArrayBody::view(const Ref<ArrayBody>& of, const Shape& shape, const Strides& strides, int64_t offset) {
  auto b = make_ref<ArrayBody>(shape, of->dtype, of->device);
  b->base = of->base ? of->base : of;
  b->set_strides(strides);
  if (of->pending.load(std::memory_order_acquire)) [[unlikely]]
    deferred::attach_view(*b, *of, offset);
  else
    b->data = of->data + offset * item_size(of->dtype);
  return b;
}

}  // namespace chainer
