// SPDX-License-Identifier: MIT
// oneDNN 2: memory descriptors are values, and primitives are created from operation descriptors.
#include "chainer/backend/cpu/onednn/version.h"
#include "chainer/core/error.h"

namespace chainer::cpu::onednn {
namespace {

#define CHAINER_ONEDNN_OWN(X)                       \
  X(memory_desc_init_by_strides)                    \
  X(memory_desc_init_by_tag)                        \
  X(post_ops_append_sum)                            \
  X(dilated_convolution_forward_desc_init)          \
  X(dilated_convolution_backward_data_desc_init)    \
  X(dilated_convolution_backward_weights_desc_init) \
  X(primitive_desc_iterator_create)                 \
  X(primitive_desc_iterator_next)                   \
  X(primitive_desc_iterator_fetch)                  \
  X(primitive_desc_iterator_destroy)
struct Functions {
  CHAINER_ONEDNN_OWN(CHAINER_ONEDNN_MEMBER)
};
Functions own;  // resolved before other calls

}  // namespace

bool find_own_functions(void* opened) { return CHAINER_ONEDNN_OWN(CHAINER_ONEDNN_FIND) true; }

Layout Layout::with_strides(const Dims& shape, const Dims& strides) {
  auto l = std::make_shared<dnnl_memory_desc_t>();
  if (own.memory_desc_init_by_strides(l.get(), shape.ndim(), shape.begin(), dnnl_f32, strides.begin()) != dnnl_success)
    throw RuntimeError("oneDNN: no layout of shape ", shape);
  Layout out;
  out.description_ = std::move(l);
  return out;
}
Layout Layout::of_any_order(const Dims& shape) {
  auto l = std::make_shared<dnnl_memory_desc_t>();
  if (own.memory_desc_init_by_tag(l.get(), shape.ndim(), shape.begin(), dnnl_f32, dnnl_format_tag_any) != dnnl_success)
    throw RuntimeError("oneDNN: no layout of shape ", shape);
  Layout out;
  out.description_ = std::move(l);
  return out;
}
Layout Layout::copy_of(Handle layout) {
  Layout out;
  out.description_ = std::make_shared<dnnl_memory_desc_t>(*layout);
  return out;
}

void append_sum(dnnl_post_ops_t operations) { own.post_ops_append_sum(operations, 1); }

void for_each_choice(const WantedConvolution& w, const_dnnl_primitive_attr_t attributes,
                     const std::function<bool(const_dnnl_primitive_desc_t)>& take) {
  dnnl_convolution_desc_t c;
  dnnl_status_t status = dnnl_success;
  switch (w.op) {
    case Convolution::forward:
      status = own.dilated_convolution_forward_desc_init(
          &c, dnnl_forward_training, dnnl_convolution_direct, w.x.handle(), w.W.handle(),
          w.bias ? w.bias->handle() : nullptr, w.y.handle(), w.stride, w.dilate, w.pad, w.pad_end);
      break;
    case Convolution::backward_data:
      status = own.dilated_convolution_backward_data_desc_init(&c, dnnl_convolution_direct, w.x.handle(), w.W.handle(),
                                                               w.y.handle(), w.stride, w.dilate, w.pad, w.pad_end);
      break;
    case Convolution::backward_weights:
      status = own.dilated_convolution_backward_weights_desc_init(&c, dnnl_convolution_direct, w.x.handle(),
                                                                  w.W.handle(), nullptr, w.y.handle(), w.stride,
                                                                  w.dilate, w.pad, w.pad_end);
      break;
  }
  dnnl_primitive_desc_iterator_t choices = nullptr;
  if (status != dnnl_success ||
      own.primitive_desc_iterator_create(&choices, &c, attributes, library()->engine, nullptr) != dnnl_success)
    return;
  bool enough = false;
  do {
    const dnnl_primitive_desc_t choice = own.primitive_desc_iterator_fetch(choices);
    enough = take(choice);
    library()->primitive_desc_destroy(choice);
  } while (!enough && own.primitive_desc_iterator_next(choices) == dnnl_success);
  own.primitive_desc_iterator_destroy(choices);
}

}  // namespace chainer::cpu::onednn
