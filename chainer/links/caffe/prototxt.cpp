// SPDX-License-Identifier: MIT
// Caffe's text format.
#include "chainer/links/caffe/net.h"

namespace chainer::caffe {
namespace {

std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

class Writer {
 public:
  void open(std::string_view name) {
    line(text(name, " {"));
    ++depth_;
  }
  void close() {
    --depth_;
    line("}");
  }
  void field(std::string_view name, const std::string& value) { line(text(name, ": ", quoted(value))); }
  template <class T>
  requires(!std::is_convertible_v<T, std::string>) void field(std::string_view name, const T& value) {
    line(text(name, ": ", value));
  }
  void word(std::string_view name, std::string_view value) { line(text(name, ": ", value)); }
  std::string out;

 private:
  void line(const std::string& s) { out += std::string(static_cast<std::size_t>(2 * depth_), ' ') + s + "\n"; }
  int depth_ = 0;
};

void put_window(Writer& w, const Window& window) {
  const auto put = [&](std::string_view name, const std::array<int64_t, 2>& v) {
    w.field(text(name, "_h"), v[0]), w.field(text(name, "_w"), v[1]);
  };
  put("kernel", window.kernel), put("stride", window.stride), put("pad", window.pad);
}

void put_parameters(Writer& w, const Layer& l) {
  switch (type_of(l.type)) {
    case LayerType::input: {
      w.open("input_param"), w.open("shape");
      for (int64_t d : l.shape) w.field("dim", d);
      w.close(), w.close();
      break;
    }
    case LayerType::convolution:
    case LayerType::deconvolution: {
      w.open("convolution_param");
      w.field("num_output", l.num_output), w.field("bias_term", l.bias_term);
      put_window(w, l.window);
      w.field("group", l.group);
      if (l.window.dilation != std::array<int64_t, 2>{1, 1})
        for (int64_t d : l.window.dilation) w.field("dilation", d);
      w.close();
      break;
    }
    case LayerType::pooling: {
      w.open("pooling_param");
      w.word("pool", l.pool == Pool::max ? "MAX" : l.pool == Pool::average ? "AVE" : "STOCHASTIC");
      if (l.global_pooling)
        w.field("global_pooling", true);
      else
        put_window(w, l.window);
      if (l.round_down) w.word("round_mode", "FLOOR");
      w.close();
      break;
    }
    case LayerType::inner_product: {
      w.open("inner_product_param");
      w.field("num_output", l.num_output), w.field("bias_term", l.bias_term);
      if (l.transpose) w.field("transpose", true);
      w.close();
      break;
    }
    case LayerType::lrn: {
      w.open("lrn_param");
      w.field("local_size", l.local_size), w.field("alpha", l.alpha), w.field("beta", l.beta), w.field("k", l.k);
      w.close();
      break;
    }
    case LayerType::concat: w.open("concat_param"), w.field("axis", l.axis), w.close(); break;
    case LayerType::dropout: w.open("dropout_param"), w.field("dropout_ratio", l.dropout_ratio), w.close(); break;
    case LayerType::eltwise: {
      w.open("eltwise_param");
      w.word("operation", l.operation == Operation::sum ? "SUM" : l.operation == Operation::product ? "PROD" : "MAX");
      for (double c : l.coefficients) w.field("coeff", c);
      w.close();
      break;
    }
    case LayerType::relu:
      if (l.negative_slope != 0) w.open("relu_param"), w.field("negative_slope", l.negative_slope), w.close();
      break;
    case LayerType::softmax:
    case LayerType::softmax_with_loss: w.open("softmax_param"), w.field("axis", l.axis), w.close(); break;
    case LayerType::slice: {
      w.open("slice_param"), w.field("axis", l.axis);
      for (int64_t p : l.slice_points) w.field("slice_point", p);
      w.close();
      break;
    }
    case LayerType::reshape: {
      w.open("reshape_param"), w.open("shape");
      for (int64_t d : l.shape) w.field("dim", d);
      w.close();
      if (l.first_axis != 0) w.field("axis", l.first_axis);
      if (l.num_axes != -1) w.field("num_axes", l.num_axes);
      w.close();
      break;
    }
    case LayerType::batch_norm: {
      w.open("batch_norm_param");
      if (l.use_global_stats) w.field("use_global_stats", *l.use_global_stats);
      w.field("moving_average_fraction", l.moving_average_fraction), w.field("eps", l.eps);
      w.close();
      break;
    }
    case LayerType::scale:
      w.open("scale_param"), w.field("axis", l.axis), w.field("bias_term", l.bias_term), w.close();
      break;
    default: break;
  }
}

}  // namespace

std::string to_prototxt(const Net& net) {
  Writer w;
  w.field("name", net.name);
  for (const Layer& l : net.layers) {
    w.open("layer");
    w.field("name", l.name), w.field("type", l.type);
    for (const std::string& b : l.bottoms) w.field("bottom", b);
    for (const std::string& t : l.tops) w.field("top", t);
    if (l.type != "Input") w.word("phase", "TEST");
    put_parameters(w, l);
    w.close();
  }
  return w.out;
}

}  // namespace chainer::caffe
