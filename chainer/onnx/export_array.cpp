// SPDX-License-Identifier: MIT
// Exporters of shape functions, indexing and activations.
#include <algorithm>
#include <limits>

#include "chainer/array/index.h"
#include "chainer/onnx/emitter.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::onnx {
namespace {

// For free lengths, Reshape copies the input's (0) or infers one (-1).
void reshape(const Emission& m) {
  const std::vector<Shape> from = m.each([](const Emission&r) { return r.shape(0); }),
                           to = m.each([](const Emission&r) { return r.result(); });
  const bool empty = std::any_of(to.begin(), to.end(), [](const Shape& s) { return s.product() == 0; });
  if (empty) {
    if (m.e.opset() < 14) m.fail("an empty array of shape ", m.result(), " needs operator set 14");
    const std::string lengths = m.integers([](const Emission& r) { return r.result(); });
    return m.finish("Reshape", {m.in(0), lengths}, {attribute("allowzero", 1)});
  }
  Dims lengths = m.result();
  int unknown = 0;
  for (int d = 0; d < lengths.ndim(); ++d) {
    const auto varies = [&](const auto& other) {
      for (std::size_t k = 0; k < to.size(); ++k)
        if (to[k].ndim() != lengths.ndim() || other(k) != to[k][d]) return true;
      return false;
    };
    if (!varies([&](std::size_t) { return lengths[d]; })) continue;
    const bool copied = !varies([&](std::size_t k) { return d < from[k].ndim() ? from[k][d] : -1; });
    lengths[d] = copied ? 0 : -1;
    unknown += !copied;
  }
  m.finish("Reshape",
           {m.in(0), unknown <= 1 ? m.e.integers(lengths) : m.integers([](const Emission& r) { return r.result(); })});
}

void broadcast(const Emission& m) {
  // Expand keeps the input's length for a length of one.
  const int added = m.result().ndim() - m.shape(0).ndim();
  std::vector<bool> kept(m.result().size(), true);
  m.each([&](const Emission& r) {
    for (int d = 0; d < r.result().ndim(); ++d)
      if (d < added || r.shape(0)[d - added] != r.result()[d]) kept[static_cast<std::size_t>(d)] = false;
    return 0;
  });
  m.finish("Expand", {m.in(0), m.integers([&](const Emission& r) {
                        Dims lengths = r.result();
                        for (int d = 0; d < lengths.ndim(); ++d)
                          if (kept[static_cast<std::size_t>(d)]) lengths[d] = 1;
                        return lengths;
                      })});
}

void sum_to(const Emission& m) {
  const Shape &from = m.shape(0), &to = m.result();
  Dims axes, gone;
  for (int d = 0; d < from.ndim(); ++d) {
    const int at = d - (from.ndim() - to.ndim());
    if (at < 0) gone.push_back(d);
    if (at < 0 || (to[at] == 1 && from[d] != 1)) axes.push_back(d);
  }
  if (axes.empty()) return m.finish("Identity", {m.in(0)});
  const std::string summed = m.e.node("ReduceSum", {m.in(0), m.e.integers(axes)}, {attribute("keepdims", 1)});
  if (gone.empty()) return m.finish("Identity", {summed});
  m.finish("Squeeze", {summed, m.e.integers(gone)});
}

void transpose(const Emission& m) {
  const Axes& axes = m.get<Axes>("axes");
  Dims order;
  const int n = m.shape(0).ndim();
  for (int i = 0; i < n; ++i)
    order.push_back(axes.given() ? normalize_axis(axes.list()[i], n, "transpose") : n - 1 - i);
  m.finish("Transpose", {m.in(0)}, {attribute("perm", order)});
}

void concat(const Emission& m) {
  std::vector<std::string> in;
  for (std::size_t i = 0; i < m.call.inputs.size(); ++i) in.push_back(m.in(i));
  m.finish("Concat", in, {attribute("axis", m.get<int64_t>("axis"))});
}

void split(const Emission& m) {
  const int axis = normalize_axis(m.get<int64_t>("axis"), m.shape(0).ndim(), "split_axis");
  const std::string sizes = m.integers([axis](const Emission& r) {
    Lengths out, ends = r.get<Lengths>("positions");
    ends.push_back(r.shape(0)[axis]);
    for (std::size_t i = 0; i < ends.size(); ++i) out.push_back(ends[i] - (i ? ends[i - 1] : 0));
    return out;
  });
  std::vector<std::string> outputs;
  for (std::size_t i = 0; i < m.call.outputs.size(); ++i) {
    const std::string name = m.out(i);
    outputs.push_back(name.empty() ? m.e.unique("unused") : name);
  }
  m.e.node("Split", {m.in(0), sizes}, outputs, {attribute("axis", axis)});
}

void cast(const Emission& m) { m.finish("Cast", {m.in(0)}, {attribute("to", element_type(m.call.outputs[0].dtype))}); }

// The parts of an index: slices, removed and added axes, and index arrays by axis, which are additional inputs.
struct Slices {
  Dims starts, ends, axes, steps, squeezed, added;
  std::vector<std::pair<int, std::size_t>> arrays;
};

Slices slices_of(const Emission& m) {
  const Indices& given = m.get<Indices>("slices");
  int used = 0;
  for (const Index& i : given) {
    if (const Array* a = i.get<Array>(); a && a->dtype() == bool_)
      used += a->ndim();
    else
      used += !i.get<NewAxis>() && !i.get<Ellipsis>();
  }
  Slices s;
  int axis = 0, out = 0;
  std::size_t positions = m.call.index_from;
  for (const Index& i : given) {
    if (const int64_t* at = i.get<int64_t>()) {
      const int64_t n = m.shape(0)[axis], from = *at < 0 ? *at + n : *at;
      s.starts.push_back(from), s.ends.push_back(from + 1), s.steps.push_back(1), s.axes.push_back(axis);
      s.squeezed.push_back(axis++);
    } else if (const Slice* slice = i.get<Slice>()) {
      const bool all = !slice->start && !slice->stop && slice->step == 1;
      constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
      if (!all) {
        const bool down = slice->step < 0;
        s.starts.push_back(slice->start.value_or(down ? kEnd : 0));
        s.ends.push_back(slice->stop.value_or(down ? -kEnd : kEnd));
        s.steps.push_back(slice->step), s.axes.push_back(axis);
      }
      ++axis, ++out;
    } else if (i.get<NewAxis>()) {
      s.added.push_back(out++);
    } else if (i.get<Ellipsis>()) {
      const int rest = m.shape(0).ndim() - used;
      axis += rest, out += rest;
    } else {
      const Array& a = *i.get<Array>();
      for (int k = 0; k < (a.dtype() == bool_ ? a.ndim() : 1); ++k) s.arrays.emplace_back(axis++, positions++);
    }
  }
  return s;
}

// Emits an index without arrays: slices, then removed axes, then added axes.
std::string basic(const Emission& m, const std::string& x, const Slices& s, bool last) {
  const auto list = [&](Dims Slices::*part) {
    return m.integers([part](const Emission& r) { return slices_of(r).*part; });
  };
  std::string y = x;
  std::vector<std::pair<std::string_view, std::vector<std::string>>> steps;
  if (!s.axes.empty())
    steps.emplace_back("Slice", std::vector<std::string>{list(&Slices::starts), list(&Slices::ends),
                                                         list(&Slices::axes), list(&Slices::steps)});
  if (!s.squeezed.empty()) steps.emplace_back("Squeeze", std::vector<std::string>{m.e.integers(s.squeezed)});
  if (!s.added.empty()) steps.emplace_back("Unsqueeze", std::vector<std::string>{m.e.integers(s.added)});
  if (steps.empty()) steps.emplace_back("Identity", std::vector<std::string>{});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::vector<std::string> in = {y};
    in.insert(in.end(), steps[i].second.begin(), steps[i].second.end());
    y = m.e.node(steps[i].first, in, {}, last && i + 1 == steps.size() ? m.out() : "");
  }
  return y;
}

void get_item(const Emission& m) {
  const Slices s = slices_of(m);
  if (s.arrays.empty()) {
    basic(m, m.in(0), s, true);
    return;
  }
  // With index arrays, the rest of the index must be slices.
  if (!s.squeezed.empty() || !s.added.empty()) m.fail("indices that mix arrays with integers or new axes");
  const std::string x = s.axes.empty() ? m.in(0) : basic(m, m.in(0), s, false);
  if (s.arrays.size() == 1)
    return m.finish("Gather", {x, m.in(s.arrays[0].second)}, {attribute("axis", s.arrays[0].first)});
  const auto common = [&](const Emission& r) {
    Shape shape;
    for (const auto& [d, i] : s.arrays) shape = broadcast_shapes(shape, r.shape(i), "get_item");
    return shape;
  };
  for (std::size_t i = 0; i < s.arrays.size(); ++i)
    if (s.arrays[i].first != static_cast<int>(i)) m.fail("index arrays after axes without one");
  // Adds an axis to each index array, so that they can be joined to index tuples.
  std::vector<std::string> columns;
  for (const auto& [d, input] : s.arrays) {
    const std::string i = m.e.node("Cast", {m.in(input)}, {attribute("to", element_type(int64))});
    const std::string wide = m.e.node("Expand", {i, m.integers(common)});
    columns.push_back(m.e.node("Unsqueeze", {wide, m.e.integers({common(m).ndim()})}));
  }
  m.finish("GatherND", {x, m.e.node("Concat", columns, {attribute("axis", -1)})});
}

void where(const Emission& m) {
  std::string mask = m.in(0);
  if (m.dtype() != bool_) mask = m.e.node("Cast", {mask}, {attribute("to", element_type(bool_))});
  m.finish("Where", {mask, m.in(1), m.in(2)});
}

void pad(const Emission& m) {
  using Widths = std::vector<std::pair<int64_t, int64_t>>;
  const Widths& widths = m.get<Widths>("widths");
  const std::string& mode = m.get<std::string>("mode");
  if (mode != "constant" && mode != "reflect" && mode != "edge") m.fail("mode '", mode, "'");
  const auto n = static_cast<std::size_t>(m.shape(0).ndim());
  std::vector<int64_t> both(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    both[i] = widths[widths.size() == 1 ? 0 : i].first;
    both[i + n] = widths[widths.size() == 1 ? 0 : i].second;
  }
  // Modes other than constant repeat elements, which must exist for every batch.
  for (std::size_t i = 0; mode != "constant" && i < n; ++i) {
    if (!both[i] && !both[i + n]) continue;
    const auto d = static_cast<int64_t>(i);
    for (const int64_t length : m.each([d](const Emission& r) { return r.shape(0)[d]; }))
      if (i == 0 && length != m.shape(0)[d]) throw FixedLengths{"the batch axis is padded with its own elements"};
    if (mode == "reflect" && std::max(both[i], both[i + n]) >= m.shape(0)[d])
      m.fail("reflection by ", both[i], " and ", both[i + n], " elements of an axis of length ", m.shape(0)[d]);
  }
  const std::string list = m.e.constant(array(both, Shape{static_cast<int64_t>(both.size())}));
  m.finish("Pad", {m.in(0), list, m.e.number(m.get<double>("value"), m.dtype())}, {attribute("mode", mode)});
}

void softmax(const Emission& m, std::string_view op) {
  m.finish(op, {m.in(0)}, {attribute("axis", m.get<int64_t>("axis"))});
}
void clipped_relu(const Emission& m) {
  m.finish("Clip", {m.in(0), m.e.number(0, m.dtype()), m.e.number(m.get<double>("z"), m.dtype())});
}
void softplus(const Emission& m) {
  const double beta = m.get<double>("beta");
  if (beta == 1) return m.finish("Softplus", {m.in(0)});
  const std::string b = m.e.number(beta, m.dtype());
  m.finish("Div", {m.e.node("Softplus", {m.e.node("Mul", {m.in(0), b})}), b});
}
// Reshapes a parameter of channels so that it broadcasts over images.
std::string over_channels(const Emission& m, std::size_t i) {
  Dims along = Dims::filled(m.shape(0).ndim(), 1);
  for (int d = 0; d < m.shape(i).ndim(); ++d)
    along[d + (along.ndim() > 1 && m.shape(i).ndim() < along.ndim())] = m.shape(i)[d];
  return m.e.node("Reshape", {m.in(i), m.e.integers(along)});
}
void prelu(const Emission& m) { m.finish("PRelu", {m.in(0), over_channels(m, 1)}); }
void swish(const Emission& m) {
  m.finish("Mul", {m.in(0), m.e.node("Sigmoid", {m.e.node("Mul", {m.in(0), over_channels(m, 1)})})});
}
void hard_sigmoid(const Emission& m) {
  m.finish("HardSigmoid", {m.in(0)}, {attribute("alpha", 0.2), attribute("beta", 0.5)});
}

// Uses Resize where it computes the same as the function. For older operator sets, and dtypes that not all runtimes
// resize, uses products with the matrices of weights.
void resize_images(const Emission& m) {
  if (m.e.opset() >= 11 && m.dtype() == float32) {
    const std::string sizes = m.integers([](const Emission& r) { return r.result(); });
    return m.finish("Resize", {m.in(0), "", "", sizes},
                    {attribute("mode", std::string("linear")),
                     attribute("coordinate_transformation_mode", std::string("align_corners"))});
  }
  const Array rows = m.get<Array>("rows").astype(m.dtype()), columns = m.get<Array>("columns").astype(m.dtype());
  const std::string wide = m.e.node("MatMul", {m.in(0), m.e.constant(columns.T().copy())});
  m.finish("MatMul", {m.e.constant(rows), wide});
}

// The coordinates of a point are the second axis here, and the last one in the operator.
void sampler(const Emission& m) {
  if (m.e.opset() < 16) m.fail("needs operator set 16");
  const std::string grid = m.e.node("Transpose", {m.in(1)}, {attribute("perm", Dims{0, 2, 3, 1})});
  m.finish("GridSample", {m.in(0), grid},
           {attribute("align_corners", 1), attribute("mode", std::string(m.e.opset() < 20 ? "bilinear" : "linear")),
            attribute("padding_mode", std::string("zeros"))});
}

constexpr Exporter kExporters[] = {
    {"Reshape", reshape},
    {"BroadcastTo", broadcast},
    {"SumTo", sum_to},
    {"Transpose", transpose},
    {"Concat", concat},
    {"SplitAxis", split},
    {"Cast", cast},
    {"GetItem", get_item},
    {"Where", where},
    {"Pad", pad},
    {"ResizeImages", resize_images},
    {"ReLU", [](const Emission& m) { m.finish("Relu", {m.in(0)}); }},
    {"Sigmoid", [](const Emission& m) { m.finish("Sigmoid", {m.in(0)}); }},
    {"Tanh", [](const Emission& m) { m.finish("Tanh", {m.in(0)}); }},
    {"Softmax", [](const Emission& m) { softmax(m, "Softmax"); }},
    {"LogSoftmax", [](const Emission& m) { softmax(m, "LogSoftmax"); }},
    {"ELU", [](const Emission& m) { m.finish("Elu", {m.in(0)}, {attribute("alpha", m.get<double>("alpha"))}); }},
    {"LeakyReLU",
     [](const Emission& m) { m.finish("LeakyRelu", {m.in(0)}, {attribute("alpha", m.get<double>("slope"))}); }},
    {"ClippedReLU", clipped_relu},
    {"Softplus", softplus},
    {"PReLUFunction", prelu},
    {"Swish", swish},
    {"HardSigmoid", hard_sigmoid},
    {"SpatialTransformerSampler", sampler},
};

}  // namespace

std::span<const Exporter> array_exporters() { return kExporters; }

}  // namespace chainer::onnx
