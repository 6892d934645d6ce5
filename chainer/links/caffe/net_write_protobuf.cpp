// SPDX-License-Identifier: MIT
// Converts plain values to Caffe's messages.
#include "chainer/array/host.h"
#include "chainer/core/little_endian.h"
#include "chainer/core/protobuf_wire.h"
#include "chainer/links/caffe/net.h"
#include "chainer/links/caffe/net.pb.h"

namespace chainer::caffe {

using namespace wire;
namespace {

message::LayerParameter message_of(const Layer& l) {
  message::LayerParameter m;
  m.set_name(l.name);
  m.set_type(l.type);
  for (const std::string& b : l.bottoms) m.add_bottom(b);
  for (const std::string& t : l.tops) m.add_top(t);
  m.set_phase(1);  // TEST
  const auto unsigned_of = [](int64_t v) { return static_cast<uint32_t>(v); };
  const auto put_window = [&](auto& p) {
    p.set_kernel_h(unsigned_of(l.window.kernel[0])), p.set_kernel_w(unsigned_of(l.window.kernel[1]));
    p.set_stride_h(unsigned_of(l.window.stride[0])), p.set_stride_w(unsigned_of(l.window.stride[1]));
    p.set_pad_h(unsigned_of(l.window.pad[0])), p.set_pad_w(unsigned_of(l.window.pad[1]));
  };
  switch (type_of(l.type)) {
    case LayerType::convolution:
    case LayerType::deconvolution: {
      auto& p = *m.mutable_convolution_param();
      p.set_num_output(unsigned_of(l.num_output)), p.set_bias_term(l.bias_term), p.set_group(unsigned_of(l.group));
      if (l.axis != 1) p.set_axis(static_cast<int32_t>(l.axis));
      put_window(p);
      if (l.window.dilation != std::array<int64_t, 2>{1, 1})
        for (int64_t d : l.window.dilation) p.add_dilation(unsigned_of(d));
      break;
    }
    case LayerType::pooling: {
      auto& p = *m.mutable_pooling_param();
      p.set_pool(static_cast<message::PoolingParameter::Method>(l.pool));
      if (l.global_pooling)
        p.set_global_pooling(true);
      else
        put_window(p);
      if (l.round_down) p.set_round_mode(message::PoolingParameter::FLOOR);
      break;
    }
    case LayerType::inner_product: {
      auto& p = *m.mutable_inner_product_param();
      p.set_num_output(unsigned_of(l.num_output)), p.set_bias_term(l.bias_term);
      p.set_axis(static_cast<int32_t>(l.axis));
      if (l.transpose) p.set_transpose(true);
      break;
    }
    case LayerType::lrn: {
      auto& p = *m.mutable_lrn_param();
      p.set_local_size(unsigned_of(l.local_size)), p.set_alpha(static_cast<float>(l.alpha));
      p.set_beta(static_cast<float>(l.beta)), p.set_k(static_cast<float>(l.k));
      if (l.within_channel) p.set_norm_region(message::LRNParameter::WITHIN_CHANNEL);
      break;
    }
    case LayerType::concat: m.mutable_concat_param()->set_axis(static_cast<int32_t>(l.axis)); break;
    case LayerType::dropout: m.mutable_dropout_param()->set_dropout_ratio(static_cast<float>(l.dropout_ratio)); break;
    case LayerType::eltwise: {
      m.mutable_eltwise_param()->set_operation(static_cast<message::EltwiseParameter::Operation>(l.operation));
      for (double c : l.coefficients) m.mutable_eltwise_param()->add_coeff(static_cast<float>(c));
      break;
    }
    case LayerType::relu:
      if (l.negative_slope != 0) m.mutable_relu_param()->set_negative_slope(static_cast<float>(l.negative_slope));
      break;
    case LayerType::sigmoid:
      if (l.engine) m.mutable_sigmoid_param()->set_engine(l.engine);
      break;
    case LayerType::softmax:
    case LayerType::softmax_with_loss: {
      m.mutable_softmax_param()->set_axis(static_cast<int32_t>(l.axis));
      if (l.engine) m.mutable_softmax_param()->set_engine(l.engine);
      if (l.ignore_label) m.mutable_loss_param()->set_ignore_label(static_cast<int32_t>(*l.ignore_label));
      if (l.by_batch_size) m.mutable_loss_param()->set_normalization(message::LossParameter::BATCH_SIZE);
      break;
    }
    case LayerType::slice: {
      m.mutable_slice_param()->set_axis(static_cast<int32_t>(l.axis));
      for (int64_t p : l.slice_points) m.mutable_slice_param()->add_slice_point(unsigned_of(p));
      break;
    }
    case LayerType::reshape: {
      auto& p = *m.mutable_reshape_param();
      for (int64_t d : l.shape) p.mutable_shape()->add_dim(d);
      if (l.first_axis != 0) p.set_axis(static_cast<int32_t>(l.first_axis));
      if (l.num_axes != -1) p.set_num_axes(static_cast<int32_t>(l.num_axes));
      break;
    }
    case LayerType::batch_norm: {
      auto& p = *m.mutable_batch_norm_param();
      if (l.use_global_stats) p.set_use_global_stats(*l.use_global_stats);
      p.set_moving_average_fraction(static_cast<float>(l.moving_average_fraction)),
          p.set_eps(static_cast<float>(l.eps));
      break;
    }
    case LayerType::scale: {
      m.mutable_scale_param()->set_axis(static_cast<int32_t>(l.axis)),
          m.mutable_scale_param()->set_bias_term(l.bias_term);
      break;
    }
    default: break;
  }
  return m;
}

void put_field(std::string& out, uint32_t field, std::string_view bytes) {
  put_varint(out, field << 3 | kBytes);
  put_varint(out, bytes.size());
  out += bytes;
}

}  // namespace

std::string write_net(const Net& net) {
  std::string out;
  put_field(out, 1, net.name);
  for (const Layer& l : net.layers) {
    std::string layer = message_of(l).SerializeAsString();
    for (const Array& blob : l.blobs) {
      message::BlobShape shape;
      for (int64_t d : blob.shape()) shape.add_dim(d);
      const Array values = to_host(blob).astype(float32, false).contiguous();
      const LittleEndianBytes in_file(values.size() ? values.raw() : nullptr, values.nbytes(), sizeof(float));
      const std::string_view raw = in_file.view();
      std::string head;
      put_field(head, 7, shape.SerializeAsString());
      put_varint(head, 5 << 3 | kBytes);
      put_varint(head, raw.size());
      put_varint(layer, 7 << 3 | kBytes);
      put_varint(layer, head.size() + raw.size());
      layer += head;
      layer += raw;
    }
    put_field(out, 100, layer);
  }
  return out;
}

}  // namespace chainer::caffe
