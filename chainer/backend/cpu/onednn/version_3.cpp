// SPDX-License-Identifier: MIT
// oneDNN 3: memory descriptors are opaque objects, and there are no operation descriptors.
#include "chainer/backend/cpu/onednn/version.h"
#include "chainer/core/error.h"

namespace chainer::cpu::onednn {
namespace {

#define CHAINER_ONEDNN_OWN(X)                           \
  X(memory_desc_create_with_strides)                    \
  X(memory_desc_create_with_tag)                        \
  X(memory_desc_clone)                                  \
  X(memory_desc_destroy)                                \
  X(post_ops_append_sum)                                \
  X(convolution_forward_primitive_desc_create)          \
  X(convolution_backward_data_primitive_desc_create)    \
  X(convolution_backward_weights_primitive_desc_create) \
  X(primitive_desc_next_impl)
struct Functions {
  CHAINER_ONEDNN_OWN(CHAINER_ONEDNN_MEMBER)
};
Functions own;  // resolved before other calls

std::shared_ptr<const void> owned(dnnl_memory_desc_t layout) {
  return {layout,
          [](const void* p) { own.memory_desc_destroy(static_cast<dnnl_memory_desc_t>(const_cast<void*>(p))); }};
}

}  // namespace

bool find_own_functions(void* opened) { return CHAINER_ONEDNN_OWN(CHAINER_ONEDNN_FIND) true; }

Layout Layout::with_strides(const Dims& shape, const Dims& strides) {
  dnnl_memory_desc_t l = nullptr;
  if (own.memory_desc_create_with_strides(&l, shape.ndim(), shape.begin(), dnnl_f32, strides.begin()) != dnnl_success)
    throw RuntimeError("oneDNN: no layout of shape ", shape);
  Layout out;
  out.description_ = owned(l);
  return out;
}
Layout Layout::of_any_order(const Dims& shape) {
  dnnl_memory_desc_t l = nullptr;
  if (own.memory_desc_create_with_tag(&l, shape.ndim(), shape.begin(), dnnl_f32, dnnl_format_tag_any) != dnnl_success)
    throw RuntimeError("oneDNN: no layout of shape ", shape);
  Layout out;
  out.description_ = owned(l);
  return out;
}
Layout Layout::copy_of(Handle layout) {
  dnnl_memory_desc_t l = nullptr;
  if (own.memory_desc_clone(&l, layout) != dnnl_success) throw RuntimeError("oneDNN: cannot copy a layout");
  Layout out;
  out.description_ = owned(l);
  return out;
}

void append_sum(dnnl_post_ops_t operations) { own.post_ops_append_sum(operations, 1, 0, dnnl_data_type_undef); }

void for_each_choice(const WantedConvolution& w, const_dnnl_primitive_attr_t attributes,
                     const std::function<bool(const_dnnl_primitive_desc_t)>& take) {
  const dnnl_engine_t engine = library()->engine;
  dnnl_primitive_desc_t choice = nullptr;
  dnnl_status_t status = dnnl_success;
  switch (w.op) {
    case Convolution::forward:
      status = own.convolution_forward_primitive_desc_create(
          &choice, engine, dnnl_forward_training, dnnl_convolution_direct, w.x.handle(), w.W.handle(),
          w.bias ? w.bias->handle() : nullptr, w.y.handle(), w.stride, w.dilate, w.pad, w.pad_end, attributes);
      break;
    case Convolution::backward_data:
      status = own.convolution_backward_data_primitive_desc_create(&choice, engine, dnnl_convolution_direct,
                                                                   w.x.handle(), w.W.handle(), w.y.handle(), w.stride,
                                                                   w.dilate, w.pad, w.pad_end, nullptr, attributes);
      break;
    case Convolution::backward_weights:
      status = own.convolution_backward_weights_primitive_desc_create(
          &choice, engine, dnnl_convolution_direct, w.x.handle(), w.W.handle(), nullptr, w.y.handle(), w.stride,
          w.dilate, w.pad, w.pad_end, nullptr, attributes);
      break;
  }
  if (status != dnnl_success) return;
  while (!take(choice) && own.primitive_desc_next_impl(choice) == dnnl_success) {}
  library()->primitive_desc_destroy(choice);
}

}  // namespace chainer::cpu::onednn
