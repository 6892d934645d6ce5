// SPDX-License-Identifier: MIT
#include "chainer/array/body.h"

#include <cstring>
#include <utility>

#include "chainer/array/backend.h"
#include "chainer/array/deferred/deferred.h"
#include "chainer/array/derived.h"
#include "chainer/array/external.h"
#include "chainer/array/order.h"
#include "chainer/core/pool.h"

namespace chainer {

ArrayBody::~ArrayBody() {
  if (marked(kForms)) [[unlikely]]
    derived::drop(*this);
  if (block.data) device.backend().release(block, device.index());
}

void ArrayBody::destroy(ArrayBody* b) {
  const std::size_t bytes = sizeof(ArrayBody) + b->tail;
  if (b->recorded) [[unlikely]]
    recording::gone(*b);
  if (b->marked(kExternal)) [[unlikely]]
    static_cast<ExternalBody*>(b)->~ExternalBody();
  else
    b->~ArrayBody();
  pool::release(b, bytes);
}

Ref<ArrayBody> ArrayBody::make(const Shape& shape, Dtype dtype, Device device, const Dims& order,
                               const char* operation) {
  const int64_t size = checked_size(shape, item_size(dtype), operation);
  const auto bytes = static_cast<std::size_t>(size * item_size(dtype));
  if (bytes <= kInlineBytes && device.is_host()) {
    constexpr std::size_t head = (sizeof(ArrayBody) + 63) / 64 * 64;
    char* memory = static_cast<char*>(pool::allocate(head + bytes));
    auto* b = new (memory) ArrayBody(shape, dtype, device, size);
    b->tail = static_cast<uint32_t>(head + bytes - sizeof(ArrayBody));
    b->data = memory + head;
    if (!order.empty()) b->set_strides(strides_in_order(shape, order));
    if (recording::any()) [[unlikely]]
      recording::made(*b);
    return Ref<ArrayBody>(b, Ref<ArrayBody>::Adopt{});
  }
  auto b = without_memory(shape, dtype, device, order, operation);
  b->allocate(operation);
  return b;
}

Ref<ArrayBody> ArrayBody::without_memory(const Shape& shape, Dtype dtype, Device device, const Dims& order,
                                         const char* operation) {
  const int64_t size = checked_size(shape, item_size(dtype), operation);
  if (device.is_host()) memory::expect_possible(size * item_size(dtype), shape, dtype, operation);
  auto b = make_ref<ArrayBody>(shape, dtype, device, size);
  if (!order.empty()) b->set_strides(strides_in_order(shape, order));
  if (recording::any()) [[unlikely]]
    recording::made(*b);
  return b;
}

void ArrayBody::set_strides(const Strides& s) {
  // Strides of axes of length one, and of arrays without elements, are irrelevant.
  contiguous = true;
  int64_t expected = 1;
  for (int i = shape.ndim() - 1; i >= 0 && size; --i) {
    if (shape[i] != 1 && s[i] != expected) contiguous = false;
    expected *= shape[i];
  }
  if (!contiguous) strides = s;
}

void ArrayBody::allocate(std::string_view operation) {
  const int64_t bytes = size * item_size(dtype);
  const auto request = [&] { return device.backend().allocate(static_cast<std::size_t>(bytes), device.index()); };
  block = request();
  while (!block.data && deferred::make_room(device)) block = request();
  if (!block.data) memory::refuse(bytes, shape, dtype, operation, device.name(), device.memory_statistics());
  data = static_cast<char*>(block.data);
}

Ref<ArrayBody> ArrayBody::view(const Ref<ArrayBody>& of, const Shape& shape, const Strides& strides, int64_t offset,
                               const char* operation) {
  auto b = make_ref<ArrayBody>(shape, of->dtype, of->device, checked_size(shape, item_size(of->dtype), operation));
  b->base = of->base ? of->base : of;
  if (of->marked(kReadOnly)) [[unlikely]]
    b->mark(kReadOnly);
  b->set_strides(strides);
  if (of->pending.load(std::memory_order_acquire)) [[unlikely]]
    deferred::attach_view(*b, *of, offset);
  else
    b->data = of->data + offset * item_size(of->dtype);
  return b;
}

}  // namespace chainer
