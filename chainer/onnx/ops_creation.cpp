// SPDX-License-Identifier: MIT
// Operators that create arrays: constants, ranges, masks and random numbers.
#include <cmath>

#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/onnx/call.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/random.h"
#include "chainer/routines/reduction.h"

namespace chainer::onnx {
namespace {

Variables constant(const Call& c) {
  if (c.contains("value")) return {Variable(c.tensor("value"), false)};
  if (c.contains("value_float")) return {array(static_cast<float>(c.real("value_float")))};
  if (c.contains("value_int")) return {array(c.integer("value_int"))};
  const auto one_axis = [](auto list) { return array(list, Shape{static_cast<int64_t>(list.size())}); };
  if (c.contains("value_floats")) return {one_axis(c.reals("value_floats")).astype(float32)};
  if (c.contains("value_ints")) return {one_axis(c.integers("value_ints"))};
  c.fail("the attribute must be a number, a list of numbers or a tensor");
}

Variables constant_of_shape(const Call& c) {
  const Shape shape(c.values(0));
  if (!c.contains("value")) return {Variable(zeros(shape, float32), false)};
  const Array& value = c.tensor("value");
  if (value.size() != 1) c.fail("expected one value, got ", value.size());
  return {Variable(full(shape, value.scalar(), value.dtype()), false)};
}

Variables range(const Call& c) {
  const double start = c[0].item<double>(), limit = c[1].item<double>(), delta = c[2].item<double>();
  const double count = std::ceil((limit - start) / delta);
  if (!(count < 1e15)) c.fail("invalid range from ", start, " to ", limit, " in steps of ", delta);
  const Array steps = arange(static_cast<int64_t>(std::max(count, 0.0)));
  if (c[0].requires_grad() || c[2].requires_grad()) {
    const auto number = [&](std::size_t i) { return functions::cast(functions::reshape(c[i], {}), float64); };
    return {functions::cast(Variable(steps.astype(float64), false) * number(2) + number(0), c.dtype())};
  }
  if (is_floating(c.dtype())) return {Variable((steps.astype(float64) * delta + start).astype(c.dtype()), false)};
  return {Variable((steps * c[2].item<int64_t>() + c[0].item<int64_t>()).astype(c.dtype()), false)};
}

Variables eye_like(const Call& c) {
  const Array& x = c.array(0);
  if (x.ndim() != 2) c.fail("expected a matrix, got shape ", x.shape());
  const Dtype dtype = c.contains("dtype") ? dtype_of_element(c.integer("dtype"), c.where()) : x.dtype();
  return {Variable(eye(x.shape()[0], x.shape()[1], c.integer("k", 0), dtype), false)};
}

// Returns the lower or upper triangle of the last two axes, with zeros elsewhere.
Variables trilu(const Call& c) {
  const Variable& x = c[0];
  if (x.ndim() < 2) c.fail("expected matrices, got shape ", x.shape());
  const int64_t k = c.has(1) ? c[1].item<int64_t>() : 0;
  const Array places = arange(x.shape(-1)).reshape({1, x.shape(-1)}) - arange(x.shape(-2)).reshape({x.shape(-2), 1});
  const Array kept = c.integer("upper", 1) ? places >= k : places <= k;
  if (c.floating()) return {functions::where(Variable(kept, false), x, Variable(zeros({}, x.dtype()), false))};
  return {Variable(chainer::where(kept, x.array(), zeros({}, x.dtype())).astype(x.dtype(), false), false)};
}

Variables one_hot(const Call& c) {
  const Array& indices = c.array(0);
  const int64_t depth = c[1].item<int64_t>();
  const Variable& values = c[2];
  if (values.size() != 2) c.fail("expected two values (off and on), got ", values.size());
  const int axis = c.axis(c.integer("axis", -1), indices.ndim() + 1);
  Shape along = Shape(Dims::filled(indices.ndim() + 1, 1));
  along[axis] = depth;
  const Array at = expand_dims(indices.astype(int64), axis);
  const Array hit = arange(depth).reshape(along) == chainer::where(at < 0, at + depth, at);
  if (values.requires_grad()) {
    const Variable flat = functions::reshape(values, {2});
    return {functions::where(Variable(hit, false), functions::get_item(flat, {1}), functions::get_item(flat, {0}))};
  }
  const Array flat = values.array().ravel();
  return {Variable(chainer::where(hit, flat[1], flat[0]).astype(values.dtype(), false), false)};
}

Dtype dtype_of(const Call& c, Dtype otherwise) {
  return c.contains("dtype") ? dtype_of_element(c.integer("dtype"), c.where()) : otherwise;
}
Variables normal(const Call& c, const Shape& shape, Dtype dtype) {
  return {Variable(random::normal(c.real("mean", 0.0), c.real("scale", 1.0), shape, dtype), false)};
}
Variables uniform(const Call& c, const Shape& shape, Dtype dtype) {
  return {Variable(random::uniform(c.real("low", 0.0), c.real("high", 1.0), shape, dtype), false)};
}
Variables random_normal(const Call& c) { return normal(c, Shape(c.integers("shape")), dtype_of(c, float32)); }
Variables random_uniform(const Call& c) { return uniform(c, Shape(c.integers("shape")), dtype_of(c, float32)); }
Variables random_normal_like(const Call& c) { return normal(c, c[0].shape(), dtype_of(c, c.dtype())); }
Variables random_uniform_like(const Call& c) { return uniform(c, c[0].shape(), dtype_of(c, c.dtype())); }
Variables bernoulli(const Call& c) {
  const Array draws = random::rand(c[0].shape());
  return {Variable((draws < c.array(0).astype(float64, false)).astype(dtype_of(c, c.dtype())), false)};
}

// Draws numbers of classes, given logarithms of their probabilities up to a constant: the largest of these plus noise
// of Gumbel's distribution.
Variables multinomial(const Call& c) {
  const Array& x = c.array(0);
  const int64_t samples = c.integer("sample_size", 1);
  if (x.ndim() != 2 || x.shape()[1] < 1 || samples < 0) c.fail("expected (N, classes), got shape ", x.shape());
  const Shape shape{x.shape()[0], samples, x.shape()[1]};
  checked_size(shape, 8, "Multinomial");
  const Array u = clip(random::rand(shape).astype(float64), 1e-300, 1);
  const Array scores = x.astype(float64).reshape({shape[0], 1, shape[2]}) - chainer::log(-chainer::log(u));
  const Dtype dtype = dtype_of_element(c.integer("dtype", 6), c.where());
  return {Variable(argmax(scores, 2).astype(dtype), false)};
}

// Window functions of signal processing: sums of cosines with period n (periodic) or n - 1 (symmetric).
Variables window(const Call& c, const std::vector<double>& factors) {
  const int64_t n = c[0].item<int64_t>();
  const double intervals = static_cast<double>(c.integer("periodic", 1) ? n : n - 1);
  const Array place = arange(n).astype(float64) * (2 * M_PI / intervals);
  Array y = zeros(place.shape(), float64);
  for (std::size_t k = 0; k < factors.size(); ++k) y = y + chainer::cos(place * static_cast<double>(k)) * factors[k];
  return {Variable(y.astype(dtype_of_element(c.integer("output_datatype", 1), c.where())), false)};
}
Variables hann(const Call& c) { return window(c, {0.5, -0.5}); }
Variables hamming(const Call& c) { return window(c, {25.0 / 46, -21.0 / 46}); }
Variables blackman(const Call& c) { return window(c, {0.42, -0.5, 0.08}); }

constexpr Operator kOperators[] = {
    {"Bernoulli", 15, bernoulli},
    {"BlackmanWindow", 17, blackman},
    {"Constant", 1, constant},
    {"ConstantOfShape", 9, constant_of_shape},
    {"EyeLike", 9, eye_like},
    {"HammingWindow", 17, hamming},
    {"HannWindow", 17, hann},
    {"Multinomial", 7, multinomial},
    {"OneHot", 9, one_hot},
    {"RandomNormal", 1, random_normal},
    {"RandomNormalLike", 1, random_normal_like},
    {"RandomUniform", 1, random_uniform},
    {"RandomUniformLike", 1, random_uniform_like},
    {"Range", 11, range},
    {"Trilu", 14, trilu},
};

}  // namespace

std::span<const Operator> creation_operators() { return kOperators; }

namespace {

void make_initializers_of(Graph& graph) {
  std::vector<Node> rest;
  const Variables nothing{};
  for (Node& n : graph.nodes) {
    for (Attribute& a : n.attributes)
      if (a.graph) make_initializers_of(*a.graph);
    bool held = n.op_type == "Constant" && n.domain.empty() && n.outputs.size() == 1;
    try {
      if (held) graph.initializers.emplace_back(n.outputs[0], constant(Call(n, 0, nothing))[0].array());
    } catch (const Error&) { held = false; }  // strings
    if (!held) rest.push_back(std::move(n));
  }
  graph.nodes = std::move(rest);
}

}  // namespace

void make_initializers(ModelFile& file) { make_initializers_of(file); }

}  // namespace chainer::onnx
