#include "chainer/array/external.h"

namespace chainer {

Array external_array(void* data, const Shape& shape, Dtype dtype, std::function<void()> release,
                     const ExternalOptions& options) {
  // Whatever fails before the body has the function, the memory goes back.
  struct Guard {
    std::function<void()>* release;
    ~Guard() {
      if (release) (*release)();
    }
  } guard{&release};
  const int64_t size = checked_size(shape, item_size(dtype), "external_array");
  const auto width = static_cast<std::uintptr_t>(item_size(dtype));
  if (size && (!data || reinterpret_cast<std::uintptr_t>(data) % width != 0))
    throw ValueError("external_array: elements of ", dtype, " must lie at an address that is a multiple of ", width,
                     ", not at ", reinterpret_cast<std::uintptr_t>(data));
  if (options.strides && options.strides->ndim() != shape.ndim())
    throw DimensionError("external_array: ", options.strides->ndim(), " strides for shape ", shape);
  Ref<ArrayBody> body = make_ref<ArrayBody>(shape, dtype, Device(), size);
  if (options.strides) body->set_strides(*options.strides);
  body->data = static_cast<char*>(data);
  body->block.data = new std::function<void()>(std::move(release));
  guard.release = nullptr;
  body->block.size_class =
      memory::kExternal | (options.writable ? 0 : memory::kReadOnly) | (options.shared ? memory::kShared : 0);
  // Writes look at readers first: one that never ends makes them look at the block, too.
  if (!options.writable) body->pending_readers.fetch_add(1, std::memory_order_relaxed);
  return Array(std::move(body));
}

bool is_writable(const Array& a) { return !(a.body().owner().block.size_class & memory::kReadOnly); }

void share_memory(const Array& a) {
  force(a.body());
  ArrayBody& owner = a.body().owner();
  owner.block.size_class |= memory::kShared;
  if (is_writable(a)) before_write(a.body());
}

}  // namespace chainer
