// SPDX-License-Identifier: MIT
#include "chainer/links/caffe/caffe_function.h"

#include <algorithm>

#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"
#include "chainer/functions/loss.h"
#include "chainer/functions/math.h"
#include "chainer/functions/noise.h"
#include "chainer/functions/normalization.h"
#include "chainer/links/caffe/net.h"
#include "chainer/links/caffe/pooled.h"
#include "chainer/links/connection.h"
#include "chainer/links/convolution.h"
#include "chainer/links/normalization.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::links::caffe {
namespace {

namespace F = chainer::functions;
using chainer::caffe::Layer;
using chainer::caffe::LayerType;
using chainer::caffe::Operation;
using chainer::caffe::Pool;

PerAxis pair(const std::array<int64_t, 2>& v) { return PerAxis{v[0], v[1]}; }

Array blob(const Layer& l, std::size_t i, int64_t size, std::string_view what) {
  if (i >= l.blobs.size()) throw FileError("blob ", i, " (", what, ") is missing");
  const Array& b = l.blobs[i];
  if (size >= 0 && b.size() != size)
    throw FileError("blob ", i, " (", what, ") must have ", size, " elements, its shape is ", b.shape());
  return b;
}

// The filters (a, b, h, w) of a (de)convolution. Several groups become diagonal blocks of (a, groups * b, h, w).
Array filters(const Layer& l, int64_t first) {
  const Array W = blob(l, 0, -1, "the filters");
  if (W.ndim() != 4 || (first >= 0 && W.shape(0) != first))
    throw FileError("blob 0 (the filters) does not fit the layer: its shape is ", W.shape());
  if (l.group == 1) return W;
  const int64_t a = W.shape(0), b = W.shape(1);
  if (l.group < 1 || a % l.group != 0) throw FileError(l.group, " groups do not divide ", a, " channels");
  Array dense = zeros({a, b * l.group, W.shape(2), W.shape(3)});
  for (int64_t g = 0; g < l.group; ++g) {
    const Slice rows(g * a / l.group, (g + 1) * a / l.group);
    dense.set({rows, Slice(g * b, (g + 1) * b)}, W[rows]);
  }
  return dense;
}

void check_kernel(const Layer& l, const Array& W) {
  for (int i = 0; i < 2; ++i) {
    const int64_t k = l.window.kernel[static_cast<std::size_t>(i)];
    if (k != 0 && k != W.shape(2 + i))
      throw FileError("the kernel is ", k, " along axis ", 2 + i, " of filters of shape ", W.shape());
    if (l.window.stride[static_cast<std::size_t>(i)] < 1 || l.window.dilation[static_cast<std::size_t>(i)] < 1)
      throw FileError("strides and dilations must be positive");
  }
}

Variables combined(const Layer& l, const Variables& x) {
  Variable y = x[0];
  const auto scaled = [&](std::size_t i) { return l.coefficients.empty() ? x[i] : x[i] * l.coefficients[i]; };
  if (l.operation == Operation::sum) {
    if (!l.coefficients.empty() && l.coefficients.size() != x.size())
      throw ValueError(l.coefficients.size(), " coefficients for ", x.size(), " blobs");
    y = scaled(0);
  }
  for (std::size_t i = 1; i < x.size(); ++i)
    y = l.operation == Operation::product ? y * x[i]
        : l.operation == Operation::sum   ? y + scaled(i)
                                          : F::maximum(y, x[i]);
  return {y};
}

// The axes from the first on are replaced. As in Caffe, a length of 0 stands for that of x.
Variables reshaped(const Layer& l, const Variable& x) {
  const int64_t n = x.ndim(), first = l.first_axis < 0 ? l.first_axis + n + 1 : l.first_axis;
  const int64_t end = l.num_axes < 0 ? n : first + l.num_axes;
  if (first < 0 || first > n || end > n)
    throw ValueError("CaffeFunction: layer '", l.name, "' (Reshape): axis ", l.first_axis, " and num_axes ", l.num_axes,
                     " do not fit a blob of shape ", x.shape());
  std::vector<int64_t> shape(x.shape().begin(), x.shape().begin() + first);
  for (std::size_t i = 0; i < l.shape.size(); ++i) {
    const auto axis = static_cast<int>(first) + static_cast<int>(i);
    shape.push_back(l.shape[i] == 0 && axis < n ? x.shape(axis) : l.shape[i]);
  }
  shape.insert(shape.end(), x.shape().begin() + end, x.shape().end());
  return {F::reshape(x, Shape(shape))};
}

std::string cudnn_of(int engine) {
  if (engine == 0) return config().use_cudnn;
  return engine == 1 ? "never" : "always";
}

void expect_axis_1(const Layer& l) {
  if (l.axis != 1) throw ValueError("axis must be 1, not ", l.axis);
}

// Sets W and b of a link to those of the layer.
template <class T>
T filled(T link, const Layer& l, const Array& W) {
  link.W.set_array(W);
  if (l.bias_term) link.b->set_array(blob(l, 1, l.num_output, "the bias").ravel());
  return link;
}

template <class T>
T convolution(const Layer& l, int64_t first_length) {
  if (l.axis != -3) expect_axis_1(l);  // the same axis
  const Array W = filters(l, first_length);
  check_kernel(l, W);
  if (first_length < 0 && W.shape(1) != l.num_output)
    throw FileError("filters of shape ", W.shape(), " for ", l.num_output, " channels");
  return filled(T(std::nullopt, l.num_output, PerAxis{W.shape(2), W.shape(3)},
                  {.stride = pair(l.window.stride),
                   .pad = pair(l.window.pad),
                   .nobias = !l.bias_term,
                   .dilate = pair(l.window.dilation)}),
                l, W);
}

Linear inner_product(const Layer& l) {
  expect_axis_1(l);
  const Array W = blob(l, 0, -1, "the matrix");
  if (l.num_output < 1 || W.size() % l.num_output != 0)
    throw FileError("blob 0 (the matrix) must have ", l.num_output, l.transpose ? " columns" : " rows",
                    ", its shape is ", W.shape());
  const int64_t n = W.size() / l.num_output;
  return filled(Linear(std::nullopt, l.num_output, {.nobias = !l.bias_term}), l,
                l.transpose ? W.reshape({n, l.num_output}).transpose().copy() : W.reshape({l.num_output, n}));
}

// Caffe stores sums; the third blob is the number to divide them by.
BatchNormalization batch_norm(const Layer& l) {
  const Array mean = blob(l, 0, -1, "the mean").ravel();
  BatchNormalization link(
      mean.size(),
      {.decay = l.moving_average_fraction, .eps = l.eps, .dtype = float32, .use_gamma = false, .use_beta = false});
  const float divisor = l.blobs.size() > 2 ? blob(l, 2, 1, "the divisor").ravel()[0].item<float>() : 1;
  const double factor = divisor == 0 ? 0 : 1 / static_cast<double>(divisor);
  link.avg_mean = mean * factor;
  link.avg_var = blob(l, 1, mean.size(), "the variance").ravel() * factor;
  return link;
}

// The factor is the layer's first blob or, if the layer has two bottoms, the second bottom.
Scale scale(const Layer& l) {
  const bool given = l.bottoms.size() > 1;
  const auto shape = [](const Array& a) { return std::optional<Shape>(a.shape()); };
  Scale link = given ? Scale(l.axis, {},
                             {.bias_term = l.bias_term,
                              .bias_shape = l.bias_term ? shape(blob(l, 0, -1, "the bias")) : std::nullopt})
                     : Scale(l.axis, shape(blob(l, 0, -1, "the factor")), {.bias_term = l.bias_term});
  if (!given) link.W->set_array(l.blobs[0]);
  if (l.bias_term) {
    const Array b = blob(l, given ? 0 : 1, given ? -1 : l.blobs[0].size(), "the bias");
    link.bias->b->set_array(given ? b : b.reshape(l.blobs[0].shape()));
  }
  return link;
}

// A copy of the layer without its blobs, to save memory.
Layer parameters_of(const Layer& l) {
  Layer p = l;
  p.blobs.clear();
  return p;
}

}  // namespace

CHAINER_DEFINE_LINK(CaffeFunction)

template <class T>
CaffeFunction::Function CaffeFunction::adopt(const std::string& name, T link) {
  add_link(name, std::move(link));
  return [name](CaffeFunction& self, const Variables& x) { return Variables{dynamic_cast<T&>(self[name])(x[0])}; };
}

CaffeFunction::CaffeFunction(const std::filesystem::path& path)
    : CaffeFunction(chainer::caffe::read_net(path), path.string()) {}

CaffeFunction::CaffeFunction(chainer::caffe::Net net, const std::string& what) : what_(what) {
  for (Layer& l : net.layers) {
    try {
      add_layer(l);
    } catch (const FileError& e) {
      throw FileError(what, ": layer '", l.name, "' (", l.type, "): ", e.what());
    } catch (const KeyError& e) {
      throw FileError(what, ": layer '", l.name, "' (", l.type, "): ", e.what());
    } catch (const Error& e) { throw ValueError(what, ": layer '", l.name, "' (", l.type, "): ", e.what()); }
    l.blobs.clear();  // the links hold the values
  }
}

void CaffeFunction::add_layer(Layer& l) {
  const LayerType type = chainer::caffe::type_of(l.type);
  if (l.tops.empty() || type == LayerType::data || type == LayerType::input) return;
  if (type != LayerType::other && !l.unsupported.empty()) throw ValueError(l.unsupported);
  const Layer p = parameters_of(l);
  Function f;
  switch (type) {
    case LayerType::convolution: f = adopt(l.name, convolution<Convolution2D>(l, l.num_output)); break;
    case LayerType::deconvolution: f = adopt(l.name, convolution<Deconvolution2D>(l, -1)); break;
    case LayerType::inner_product: f = adopt(l.name, inner_product(l)); break;
    case LayerType::batch_norm: {
      f = [normalized = adopt(l.name, batch_norm(l)), global = l.use_global_stats.value_or(false)](CaffeFunction& self,
                                                                                                   const Variables& x) {
        const UsingConfig mode(&Config::train, config().train && !global);
        return normalized(self, x);
      };
      break;
    }
    case LayerType::scale: {
      add_link(l.name, scale(l));
      f = [name = l.name](CaffeFunction& self, const Variables& x) {
        auto& link = dynamic_cast<Scale&>(self[name]);
        return Variables{x.size() > 1 ? link(x[0], x[1]) : link(x[0])};
      };
      break;
    }
    case LayerType::pooling: {
      if (l.pool != Pool::max && l.pool != Pool::average) throw ValueError("stochastic pooling is not supported");
      f = [p](CaffeFunction&, const Variables& x) { return Variables{pooled(p, x[0])}; };
      break;
    }
    case LayerType::lrn: {
      if (l.within_channel) throw ValueError("normalization within channels is not supported, only across them");
      if (l.local_size < 1) throw ValueError("local_size must be positive, not ", l.local_size);
      const F::LocalResponseNormalizationOptions o{
          .n = l.local_size, .k = l.k, .alpha = l.alpha / static_cast<double>(l.local_size), .beta = l.beta};
      f = [o](CaffeFunction&, const Variables& x) { return Variables{F::local_response_normalization(x[0], o)}; };
      break;
    }
    case LayerType::relu: {
      f = [slope = l.negative_slope](CaffeFunction&, const Variables& x) {
        return Variables{slope != 0 ? F::leaky_relu(x[0], {.slope = slope}) : F::relu(x[0])};
      };
      break;
    }
    case LayerType::concat:
      f = [axis = l.axis](CaffeFunction&, const Variables& x) { return Variables{F::concat(x, axis)}; };
      break;
    case LayerType::dropout:
      f = [ratio = l.dropout_ratio](CaffeFunction&, const Variables& x) { return Variables{F::dropout(x[0], ratio)}; };
      break;
    case LayerType::eltwise: f = [p](CaffeFunction&, const Variables& x) { return combined(p, x); }; break;
    case LayerType::reshape: f = [p](CaffeFunction&, const Variables& x) { return reshaped(p, x[0]); }; break;
    case LayerType::slice: {
      f = [p](CaffeFunction&, const Variables& x) {
        if (!p.slice_points.empty()) return F::split_axis(x[0], p.slice_points, p.axis);
        return F::split_axis(x[0], static_cast<int64_t>(p.tops.size()), p.axis);
      };
      break;
    }
    case LayerType::softmax:
    case LayerType::sigmoid: {
      if (type == LayerType::softmax) expect_axis_1(l);
      f = [softmax = type == LayerType::softmax, engine = l.engine](CaffeFunction&, const Variables& x) {
        const UsingConfig choice(&Config::use_cudnn, cudnn_of(engine));
        return Variables{softmax ? F::softmax(x[0]) : F::sigmoid(x[0])};
      };
      break;
    }
    case LayerType::softmax_with_loss: {
      expect_axis_1(l);
      const F::SoftmaxCrossEntropyOptions o{.normalize = !l.by_batch_size, .ignore_label = l.ignore_label.value_or(-1)};
      f = [o](CaffeFunction&, const Variables& x) {
        if (x.size() != 2) throw ValueError("SoftmaxWithLoss needs two blobs, values and labels, not ", x.size());
        return Variables{F::softmax_cross_entropy(x[0], x[1], o)};
      };
      break;
    }
    case LayerType::split: {
      if (l.bottoms.empty()) throw FileError("the layer has no bottom blob to split");
      const auto source = split_map.find(l.bottoms[0]);
      const std::string from = source == split_map.end() ? l.bottoms[0] : source->second;
      for (const std::string& top : l.tops) split_map[top] = from;
      return;
    }
    default:
      warn(text("CaffeFunction: ", what_, ": layer '", l.name, "' of type '", l.type,
                "' is not supported and is skipped"));
      return;
  }
  if (l.bottoms.empty()) throw FileError("the layer has no bottom blob");
  LayerInfo info{l.name, l.bottoms, l.tops};
  for (std::string& b : info.bottoms)
    if (const auto it = split_map.find(b); it != split_map.end()) b = it->second;
  forwards[l.name] = std::move(f);
  layers.push_back(std::move(info));
}

Variables CaffeFunction::forward(const NamedVariables& inputs, const std::vector<std::string>& outputs,
                                 const CaffeFunctionOptions& options) {
  variables = inputs;
  for (const LayerInfo& l : layers) {
    if (std::find(options.disable.begin(), options.disable.end(), l.name) != options.disable.end()) continue;
    const auto f = forwards.find(l.name);
    Variables x;
    for (const std::string& b : l.bottoms)
      if (const auto it = variables.find(b); it != variables.end()) x.push_back(it->second);
    if (f == forwards.end() || x.size() != l.bottoms.size()) continue;
    const Variables y = f->second(*this, x);
    for (std::size_t i = 0; i < std::min(y.size(), l.tops.size()); ++i) variables[l.tops[i]] = y[i];
  }
  Variables result;
  for (const std::string& name : outputs) {
    const auto split = split_map.find(name);
    const auto it = variables.find(split == split_map.end() ? name : split->second);
    if (it == variables.end())
      throw KeyError("CaffeFunction: blob '", name, "' was neither given nor computed in ", what_);
    result.push_back(it->second);
  }
  return result;
}

}  // namespace chainer::links::caffe
