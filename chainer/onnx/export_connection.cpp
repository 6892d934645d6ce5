// SPDX-License-Identifier: MIT
// Exporters of convolutions, pooling, normalization and recurrent layers.
#include <algorithm>
#include <limits>

#include "chainer/array/operations/convolution.h"
#include "chainer/array/operations/pooling.h"
#include "chainer/functions/normalization.h"
#include "chainer/functions/rnn/packed.h"
#include "chainer/onnx/emitter.h"
#include "chainer/routines/creation.h"

namespace chainer::onnx {
namespace {

Dims spatial(const Shape& s) { return Dims(s.begin() + 2, s.end()); }
std::vector<std::string> all_inputs(const Emission& m) {
  std::vector<std::string> in;
  for (std::size_t i = 0; i < m.call.inputs.size(); ++i) in.push_back(m.in(i));
  return in;
}
Dims joined(const Dims& a, const Dims& b) {
  Dims out = a;
  for (const int64_t v : b) out.push_back(v);
  return out;
}

void linear(const Emission& m) { m.finish("Gemm", all_inputs(m), {attribute("transB", 1)}); }

// Replaces negative ids, which Gather would count from the end, by one that it rejects.
std::string without_negative(const Emission& m, const std::string& ids) {
  if (!m.e.refuses) return ids;
  const std::string zero = m.e.constant(full({}, 0, m.dtype())),
                    rows = m.e.constant(full({}, m.shape(1)[0], m.dtype()));
  return m.e.node("Where", {m.e.node("Less", {ids, zero}), rows, ids});
}

void embed_id(const Emission& m) {
  const auto& ignore = m.get<std::optional<int64_t>>("ignore_label");
  if (!ignore) return m.finish("Gather", {m.in(1), without_negative(m, m.in(0))});
  // Rows of the ignored id are zeros.
  const std::string label = m.e.constant(full({}, *ignore, m.dtype())), none = m.e.constant(full({}, 0, m.dtype()));
  const std::string ignored = m.e.node("Equal", {m.in(0), label});
  const std::string rows =
      m.e.node("Gather", {m.in(1), without_negative(m, m.e.node("Where", {ignored, none, m.in(0)}))});
  const std::string mask = m.e.node("Unsqueeze", {ignored, m.e.integers({m.shape(0).ndim()})});
  m.finish("Where", {mask, m.e.number(0, m.call.inputs[1].dtype), rows});
}

// The padding at the end of each axis, given that which the windows of each run need. Where it differs between runs
// with other lengths, it is that of windows which fit whole, or of windows which cover all.
Dims common_end(const std::vector<Dims>& in_runs, const Dims& pad, const Dims& stride) {
  Dims out;
  for (int d = 0; d < pad.ndim(); ++d) {
    int64_t least = in_runs[0][d], most = least;
    for (const Dims& end : in_runs) least = std::min(least, end[d]), most = std::max(most, end[d]);
    out.push_back(least == most ? std::max<int64_t>(0, most) : most <= pad[d] ? pad[d] : pad[d] + stride[d] - 1);
  }
  return out;
}

void convolution(const Emission& m) {
  const ConvolutionPlan& plan = m.get<ConvolutionPlan>("plan");
  const Dims kernel = spatial(m.shape(1));
  const std::vector<Dims> ends = m.each([&](const Emission& r) {
    const Dims in = spatial(r.shape(0)), out = spatial(r.result());
    Dims end;
    for (int d = 0; d < in.ndim(); ++d) end.push_back(plan.pad_end(d, in[d], kernel[d], out[d]));
    return end;
  });
  const Dims end = common_end(ends, plan.pad, plan.stride);
  m.finish("Conv", all_inputs(m),
           {attribute("kernel_shape", kernel), attribute("strides", plan.stride), attribute("dilations", plan.dilate),
            attribute("pads", joined(plan.pad, end)), attribute("group", plan.groups)});
}

void deconvolution(const Emission& m) {
  const ConvolutionPlan& plan = m.get<ConvolutionPlan>("plan");
  const Dims in = spatial(m.shape(0)), kernel = spatial(m.shape(1)), out = spatial(m.result());
  // A larger output than usual is output_padding; a smaller one is more padding at the end, which crops.
  Dims extra, end;
  for (int d = 0; d < in.ndim(); ++d) {
    const int64_t usual = (in[d] - 1) * plan.stride[d] + (kernel[d] - 1) * plan.dilate[d] + 1 - 2 * plan.pad[d];
    extra.push_back(std::max<int64_t>(0, out[d] - usual));
    end.push_back(plan.pad[d] + std::max<int64_t>(0, usual - out[d]));
  }
  m.finish(
      "ConvTranspose", all_inputs(m),
      {attribute("kernel_shape", kernel), attribute("strides", plan.stride), attribute("dilations", plan.dilate),
       attribute("pads", joined(plan.pad, end)), attribute("output_padding", extra), attribute("group", plan.groups)});
}

bool is_global(const Emission& m) {
  for (const bool whole : m.each([](const Emission& r) {
         const PoolingPlan& p = r.get<PoolingPlan>("plan");
         return p.ksize == p.size && p.out.product() == 1 && p.pad == Dims::filled(p.pad.ndim(), 0);
       }))
    if (!whole) return false;
  return true;
}

// Padding at the beginning and at the end such that exactly the windows of the plan fit.
Dims pads(const Emission& m) {
  const PoolingPlan& plan = m.get<PoolingPlan>("plan");
  const std::vector<Dims> ends = m.each([&](const Emission& r) {
    const PoolingPlan& p = r.get<PoolingPlan>("plan");
    if (p.ksize != plan.ksize || p.stride != plan.stride)
      throw FixedLengths{text("a window's size is ", plan.ksize, " or ", p.ksize)};
    Dims end;
    for (int d = 0; d < p.size.ndim(); ++d)
      end.push_back((p.out[d] - 1) * p.stride[d] + p.ksize[d] - p.size[d] - p.pad[d]);
    return end;
  });
  return joined(plan.pad, common_end(ends, plan.pad, plan.stride));
}
// Runtimes reject padding as wide as the window, so such images are padded by Pad.
void max_pooling(const Emission& m) {
  if (m.e.runs().size() > 1 && is_global(m)) return m.finish("GlobalMaxPool", {m.in(0)});
  const PoolingPlan& p = m.get<PoolingPlan>("plan");
  Dims widths = pads(m);
  std::string x = m.in(0);
  bool wide = false;
  for (int d = 0; d < widths.ndim(); ++d) wide |= widths[d] >= p.ksize[d % p.ksize.ndim()];
  if (wide) {
    std::vector<int64_t> both;
    const int axes = p.ksize.ndim();
    for (int half = 0; half < 2; ++half) {
      both.insert(both.end(), 2, 0);
      for (int d = 0; d < axes; ++d) both.push_back(widths[half * axes + d]);
    }
    x = m.e.node("Pad", {x, m.e.constant(array(both, Shape{static_cast<int64_t>(both.size())})),
                         m.e.number(-std::numeric_limits<double>::infinity(), m.dtype())});
    widths = Dims::filled(widths.ndim(), 0);
  }
  m.finish("MaxPool", {x},
           {attribute("kernel_shape", p.ksize), attribute("strides", p.stride), attribute("pads", widths)});
}

void average_pooling(const Emission& m) {
  const PoolingPlan& p = m.get<PoolingPlan>("plan");
  if (m.get<Pooling>("op") != Pooling::sum) m.fail("this kind of pooling");
  const bool include = p.weight != PoolingPlan::Weight::inside;
  if (m.e.runs().size() > 1 && p.weight != PoolingPlan::Weight::one && is_global(m))
    return m.finish("GlobalAveragePool", {m.in(0)});
  Dims widths = pads(m);
  std::string x = m.in(0);
  bool wide = false;
  for (int d = 0; d < widths.ndim(); ++d) wide |= widths[d] >= p.ksize[d % p.ksize.ndim()];
  if (wide && !include) m.fail("padding ", p.pad, " as wide as the window ", p.ksize);
  if (wide) {
    std::vector<int64_t> both;
    const int axes = p.ksize.ndim();
    for (int half = 0; half < 2; ++half) {
      both.insert(both.end(), 2, 0);
      for (int d = 0; d < axes; ++d) both.push_back(widths[half * axes + d]);
    }
    x = m.e.node("Pad", {x, m.e.constant(array(both, Shape{static_cast<int64_t>(both.size())}))});
    widths = Dims::filled(widths.ndim(), 0);
  }
  std::vector<Attribute> attributes = {attribute("kernel_shape", p.ksize), attribute("strides", p.stride),
                                       attribute("pads", widths), attribute("count_include_pad", include)};
  if (p.weight != PoolingPlan::Weight::one) return m.finish("AveragePool", {x}, attributes);
  const double volume = static_cast<double>(p.ksize.product());
  m.finish("Mul", {m.e.node("AveragePool", {x}, attributes), m.e.number(volume, m.dtype())});
}

void batch_normalization(const Emission& m) {
  const Dims& averaged = m.get<Dims>("averaged");
  const int n = m.shape(0).ndim();
  bool usual = m.shape(1).ndim() == 1 && n >= 2 && averaged.ndim() == n - 1;
  for (int i = 0; usual && i < averaged.ndim(); ++i) usual = averaged[i] == (i == 0 ? 0 : i + 1);
  if (usual) return m.finish("BatchNormalization", all_inputs(m), {attribute("epsilon", m.get<double>("eps"))});
  // Statistics of other axes: composed of operators, with parameters that broadcast.
  const std::string shape = m.integers([&](const Emission& r) {
    Dims out(r.shape(0));
    for (const int64_t d : averaged) out[d] = 1;
    return out;
  });
  const auto wide = [&](std::size_t i) { return m.e.node("Reshape", {m.in(i), shape}); };
  const std::string deviation =
      m.e.node("Sqrt", {m.e.node("Add", {wide(4), m.e.number(m.get<double>("eps"), m.call.inputs[4].dtype)})});
  const std::string y = m.e.node("Div", {m.e.node("Sub", {m.in(0), wide(3)}), deviation});
  m.finish("Add", {m.e.node("Mul", {y, wide(1)}), wide(2)});
}

void lrn(const Emission& m) {
  const auto& o = m.get<functions::LocalResponseNormalizationOptions>("options");
  const int64_t size = 2 * (o.n / 2) + 1;  // the number of channels in the sum, for odd and even n
  const std::vector<Attribute> attributes = {attribute("size", size),
                                             attribute("alpha", o.alpha * static_cast<double>(size)),
                                             attribute("beta", o.beta), attribute("bias", o.k)};
  const Dims shape(m.shape(0));
  if (shape.ndim() == 4) return m.finish("LRN", {m.in(0)}, attributes);
  // Runtimes support images only.
  const Dims image = shape.ndim() == 2 ? Dims{0, 0, 1, 1} : Dims{0, 0, -1, 1};
  Dims back{0, 0};
  for (int d = 2; d < shape.ndim(); ++d) back.push_back(shape[d]);
  const std::string y = m.e.node("LRN", {m.e.node("Reshape", {m.in(0), m.e.integers(image)})}, attributes);
  m.finish("Reshape", {y, m.e.integers(back)});
}

// Emits (rows - mean) / sqrt(variance).
void standardize(const Emission& m) {
  const double eps = m.get<double>("eps");
  const Dims last = {-1};
  const auto mean = [&](const std::string& x) {
    if (m.e.opset() >= 18) return m.e.node("ReduceMean", {x, m.e.integers(last)}, {attribute("keepdims", 1)});
    return m.e.node("ReduceMean", {x}, {attribute("axes", last), attribute("keepdims", 1)});
  };
  const std::string centred = m.e.node("Sub", {m.in(0), mean(m.in(0))});
  const std::string variance = mean(m.e.node("Mul", {centred, centred}));
  m.finish("Div", {centred, m.e.node("Sqrt", {m.e.node("Add", {variance, m.e.number(eps, m.dtype())})})});
}

// F::lstm interleaves the gates of each unit: a, i, f, o.
void lstm_cell(const Emission& m) {
  const int64_t units = m.shape(0)[1];
  if (m.shape(0).ndim() != 2 || m.shape(0)[0] != m.shape(1)[0])
    m.fail("cells of shape ", m.shape(0), " for inputs of shape ", m.shape(1));
  const std::string apart = m.e.node("Reshape", {m.in(1), m.e.integers({0, units, 4})});
  std::vector<std::string> gates;
  for (int64_t i = 0; i < 4; ++i)
    gates.push_back(m.e.node(i == 0 ? "Tanh" : "Sigmoid",
                             {m.e.node("Gather", {apart, m.e.constant(array(i))}, {attribute("axis", 2)})}));
  const std::string fresh = m.e.node("Mul", {gates[0], gates[1]}), old = m.e.node("Mul", {gates[2], m.in(0)});
  std::string cell = m.out(0);
  if (cell.empty()) cell = m.e.unique("t");
  m.e.node("Add", {fresh, old}, {}, cell);
  if (const std::string h = m.out(1); !h.empty()) m.e.node("Mul", {gates[3], m.e.node("Tanh", {cell})}, {}, h);
}

// Emits a recurrent layer in one direction for sequences of equal length.
void recurrent_layer(const Emission& m) {
  using functions::RnnKind;
  const RnnKind kind = m.get<RnnKind>("kind");
  const bool lstm = kind == RnnKind::lstm;
  const int64_t units = m.shape(1)[1];
  const std::string by_time = m.integers([](const Emission& r) {
    const auto& sizes = r.get<std::vector<int64_t>>("sizes");
    if (sizes.empty() || std::any_of(sizes.begin(), sizes.end(), [&](int64_t n) { return n != r.shape(1)[0]; }))
      r.fail("sequences of different lengths");
    return Lengths{static_cast<int64_t>(sizes.size()), -1, r.shape(0)[1]};
  });
  const std::size_t gates = static_cast<std::size_t>(weight_count(kind)) / 2, first = lstm ? 3 : 2;
  // The library's indices of ONNX's gates: i, o, f, c (LSTM) and z, r, h (GRU).
  const std::vector<std::size_t> order = lstm                   ? std::vector<std::size_t>{0, 3, 1, 2}
                                         : kind == RnnKind::gru ? std::vector<std::size_t>{1, 0, 2}
                                                                : std::vector<std::size_t>{0};
  const std::string front = m.e.integers({0});
  const auto stacked = [&](std::vector<std::string> parts) {
    const std::string one = parts.size() == 1 ? parts[0] : m.e.node("Concat", parts, {attribute("axis", 0)});
    return m.e.node("Unsqueeze", {one, front});
  };
  const auto part = [&](std::size_t from, std::vector<std::string> out = {}) {
    for (const std::size_t k : order) out.push_back(m.in(from + k));
    return out;
  };
  const std::string x = m.e.node("Reshape", {m.in(0), by_time});
  std::vector<std::string> in = {x,
                                 stacked(part(first)),
                                 stacked(part(first + gates)),
                                 stacked(part(first + 3 * gates, part(first + 2 * gates))),
                                 "",
                                 m.e.node("Unsqueeze", {m.in(1), front})};
  if (lstm) in.push_back(m.e.node("Unsqueeze", {m.in(2), front}));
  std::vector<Attribute> attributes = {
      attribute("hidden_size", units),
      attribute("direction", std::string(m.get<bool>("reverse") ? "reverse" : "forward"))};
  if (kind == RnnKind::gru) attributes.push_back(attribute("linear_before_reset", 1));
  if (kind == RnnKind::relu) {
    Attribute a;
    a.name = "activations";
    a.kind = Attribute::Kind::texts;
    a.texts = {"Relu"};
    attributes.push_back(a);
  }
  std::vector<std::string> made;
  for (std::size_t i = 0; i < (lstm ? 3u : 2u); ++i) made.push_back(m.e.unique("t"));
  m.e.node(lstm ? "LSTM" : kind == RnnKind::gru ? "GRU" : "RNN", in, made, attributes);
  if (const std::string y = m.out(0); !y.empty()) m.e.node("Reshape", {made[0], m.e.integers({-1, units})}, {}, y);
  for (std::size_t i = 1; i < made.size(); ++i)
    if (const std::string state = m.out(i); !state.empty()) m.e.node("Squeeze", {made[i], front}, {}, state);
}

constexpr Exporter kExporters[] = {
    {"LinearFunction", linear},
    {"EmbedIDFunction", embed_id},
    {"Convolution2DFunction", convolution},
    {"ConvolutionND", convolution},
    {"Deconvolution2DFunction", deconvolution},
    {"DeconvolutionND", deconvolution},
    {"MaxPooling2D", max_pooling},
    {"MaxPoolingND", max_pooling},
    {"AveragePooling2D", average_pooling},
    {"AveragePoolingND", average_pooling},
    {"NeighbouringChannels", average_pooling},
    {"FixedBatchNormalization", batch_normalization},
    {"LocalResponseNormalization", lrn},
    {"Standardize", standardize},
    {"LSTM", lstm_cell},
    {"NStepLSTM", recurrent_layer},
    {"NStepGRU", recurrent_layer},
    {"NStepRNN", recurrent_layer},
};

}  // namespace

std::span<const Exporter> connection_exporters() { return kExporters; }

}  // namespace chainer::onnx
