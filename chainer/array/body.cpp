#include "chainer/array/body.h"

#include <cstring>
#include <utility>

#include "chainer/core/pool.h"

namespace chainer {

ArrayBody::~ArrayBody() {
  delete deferred;
  if (block.data) memory::release(block);
}

void ArrayBody::destroy(ArrayBody* b) {
  const std::size_t bytes = sizeof(ArrayBody) + b->tail;
  b->~ArrayBody();
  pool::release(b, bytes);
}

Ref<ArrayBody> ArrayBody::make(const Shape& shape, Dtype dtype, Device device) {
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
    return Ref<ArrayBody>(b, Ref<ArrayBody>::Adopt{});
  }
  memory::Block block = memory::allocate(bytes);
  auto b = make_ref<ArrayBody>(shape, dtype, device);
  b->block = block;
  b->data = static_cast<char*>(block.data);
  return b;
}

Ref<ArrayBody> ArrayBody::view(const Ref<ArrayBody>& of, const Shape& shape, const Strides& strides, int64_t offset) {
  force(*of);
  auto b = make_ref<ArrayBody>(shape, of->dtype, of->device);
  b->data = of->data + offset * item_size(of->dtype);
  b->base = of->base ? of->base : of;
  // Axes of length one or arrays without elements have no stride worth looking at.
  int64_t expected = 1;
  for (int i = shape.ndim() - 1; i >= 0 && b->size; --i) {
    if (shape[i] != 1 && strides[i] != expected) b->contiguous = false;
    expected *= shape[i];
  }
  if (!b->contiguous) b->strides = strides;
  return b;
}

void run_deferred(ArrayBody& body) {
  Deferred* d = std::exchange(body.deferred, nullptr);
  try {
    d->run(body);
  } catch (...) {
    body.deferred = d;  // nothing was lost: the next read tries again
    throw;
  }
  delete d;
}

void run_readers(ArrayBody& owner) {
  Deferred* d = std::exchange(owner.readers, nullptr);
  d->run(owner);
}

}  // namespace chainer
