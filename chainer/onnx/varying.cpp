// SPDX-License-Identifier: MIT
// Emits lengths, numbers and arrays that depend on the batch length as operators that compute them.
#include <algorithm>
#include <cmath>

#include "chainer/array/index.h"
#include "chainer/onnx/emitter.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"

namespace chainer::onnx {

bool same(const Array& a, const Array& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  if (a.body_ref().get() == b.body_ref().get() || a.size() == 0) return true;
  const Array equal = is_floating(a.dtype()) ? (a == b) | (isnan(a) & isnan(b)) : a == b;
  return all(equal).item<bool>();
}

namespace {

template <class T>
bool all_equal(const std::vector<T>& list) {
  return std::all_of(list.begin(), list.end(), [&](const T& v) { return v == list[0]; });
}

// Returns the first element along some axes, which are kept with length one.
Array first_of(const Array& a, const std::vector<int>& axes) {
  Indices cut(static_cast<std::size_t>(a.ndim()), Slice());
  for (const int d : axes) cut[static_cast<std::size_t>(d)] = Slice(0, 1);
  return get_item(a, cut);
}

}  // namespace

std::optional<Emitter::Line> Emitter::line(const Lengths& v) const {
  if (batches_.size() < 2) return std::nullopt;
  const int64_t run = batches_[1] - batches_[0], rise = v[1] - v[0];
  if (rise % run) return std::nullopt;
  const Line l{rise / run, v[0] - rise / run * batches_[0]};
  for (std::size_t k = 0; k < v.size(); ++k)
    if (l.factor * batches_[k] + l.offset != v[k]) return std::nullopt;
  return l;
}

const std::string& Emitter::batch() {
  if (batch_.empty())
    batch_ = node("Gather", {node("Shape", {inputs_[0]}), constant(array(int64_t(0)))}, {attribute("axis", 0)});
  return batch_;
}

// Emits a length as a scalar, or as a list of one element.
std::string Emitter::length(const Lengths& v, bool axis) {
  const auto l = line(v);
  if (!l)
    throw OneBatchOnly{
        text("a length is ", v[0], " for batch length ", batches_[0], " and ", v[1], " for ", batches_[1])};
  const std::string cached = text("length ", l->factor, " ", l->offset, axis);
  if (const auto it = known_.find(cached); it != known_.end()) return it->second;
  std::string n = batch();
  if (l->factor != 1) n = node("Mul", {n, constant(array(l->factor))});
  if (l->offset != 0) n = node("Add", {n, constant(array(l->offset))});
  if (axis) n = node("Reshape", {n, integers({1})});
  return known_[cached] = n;
}

std::string Emitter::lengths(const std::vector<Lengths>& in_runs) {
  const Lengths& first = in_runs[0];
  if (all_equal(in_runs)) return integers(first);
  std::vector<std::string> parts;
  Lengths fixed;
  const auto flush = [&] {
    if (!fixed.empty()) parts.push_back(integers(fixed));
    fixed.clear();
  };
  for (std::size_t d = 0; d < first.size(); ++d) {
    Lengths v;
    for (const Lengths& r : in_runs) {
      if (r.size() != first.size()) throw OneBatchOnly{"the number of axes depends on the batch length"};
      v.push_back(r[d]);
    }
    if (all_equal(v)) {
      fixed.push_back(v[0]);
    } else {
      flush();
      parts.push_back(length(v, true));
    }
  }
  flush();
  return parts.size() == 1 ? parts[0] : node("Concat", parts, {attribute("axis", 0)});
}

std::string Emitter::number(const std::vector<double>& v, Dtype dtype) {
  if (all_equal(v)) return number(v[0], dtype);
  const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)); };
  const auto is = [&](double factor, double power, double offset) {
    for (std::size_t k = 0; k < v.size(); ++k)
      if (!near(v[k], factor * std::pow(static_cast<double>(batches_[k]), power) + offset)) return false;
    return true;
  };
  const auto n = static_cast<double>(batches_[0]), m = static_cast<double>(batches_[1]);
  const auto length = [&] { return node("Cast", {batch()}, {attribute("to", element_type(dtype))}); };
  // Supported are c / n (the factor of a mean) and linear functions of n. For 16-bit dtypes, which represent few
  // integers, the quotient is computed in float32.
  if (is(v[0] * n, -1, 0)) {
    if (item_size(dtype) >= 4) return node("Div", {number(v[0] * n, dtype), length()});
    const std::string wide = node("Cast", {batch()}, {attribute("to", element_type(float32))});
    return node("Cast", {node("Div", {number(v[0] * n, float32), wide})}, {attribute("to", element_type(dtype))});
  }
  const double factor = (v[1] - v[0]) / (m - n), offset = v[0] - factor * n;
  if (!is(factor, 1, offset))
    throw OneBatchOnly{
        text("a number is ", v[0], " for batch length ", batches_[0], " and ", v[1], " for ", batches_[1])};
  const std::string line = node("Mul", {length(), number(factor, dtype)});
  return offset == 0 ? line : node("Add", {line, number(offset, dtype)});
}

std::string Emitter::varying(const Arrays& in_runs) {
  const Array& a = in_runs[0];
  if (const auto it = varying_.find(a.body_ref().get()); it != varying_.end()) return it->second.second;
  const auto keep = [&](const std::string& name) {
    varying_[a.body_ref().get()] = {a, name};
    return name;
  };
  const auto give_up = [&]() -> std::string {
    throw OneBatchOnly{text("a constant of shape ", a.shape(), " depends on the batch length")};
  };
  std::vector<Lengths> shapes;
  std::vector<int> axes;
  for (const Array& r : in_runs) {
    if (r.ndim() != a.ndim() || r.dtype() != a.dtype()) return give_up();
    shapes.emplace_back(r.shape().begin(), r.shape().end());
  }
  for (int d = 0; d < a.ndim(); ++d)
    if (std::any_of(in_runs.begin(), in_runs.end(), [&](const Array& r) { return r.shape()[d] != a.shape()[d]; }))
      axes.push_back(d);
  if (std::any_of(in_runs.begin(), in_runs.end(), [](const Array& r) { return r.size() == 0; })) return give_up();
  if (axes.empty()) {  // equal shapes: a single number, or numbers proportional to 1 / n
    if (a.size() == 1) {
      std::vector<double> v;
      for (const Array& r : in_runs) v.push_back(r.item<double>());
      const std::string n = number(v, a.dtype());
      return keep(a.ndim() ? node("Reshape", {n, integers(shapes[0])}) : n);
    }
    if (!is_floating(a.dtype())) return give_up();
    const auto scaled = [&](std::size_t k) {
      return (in_runs[k].astype(float64) * static_cast<double>(batches_[k])).astype(float32);
    };
    for (std::size_t k = 1; k < in_runs.size(); ++k)
      if (!all(chainer::absolute(scaled(k) - scaled(0)) <= chainer::absolute(scaled(0)) * 1e-6f).item<bool>())
        return give_up();
    const std::string n = node("Cast", {batch()}, {attribute("to", element_type(a.dtype()))});
    return keep(node("Div", {constant((a.astype(float64) * static_cast<double>(batches_[0])).astype(a.dtype())), n}));
  }
  // Constant along the axes that grow.
  const Array one = first_of(a, axes);
  if (std::all_of(in_runs.begin(), in_runs.end(), [&](const Array& r) {
        return same(first_of(r, axes), one) && same(chainer::broadcast_to(one, r.shape()), r);
      }))
    return keep(node("Expand", {constant(one), lengths(shapes)}));
  // An arithmetic sequence along one axis, constant along the others.
  if (axes.size() != 1) return give_up();
  const int axis = axes[0];
  std::vector<int> others;
  for (int d = 0; d < a.ndim(); ++d)
    if (d != axis) others.push_back(d);
  const std::vector<double> places = first_of(a, others).to_vector<double>();
  const double start = places[0], step = places.size() > 1 ? places[1] - places[0] : 1;
  Lengths counts;
  for (const Array& r : in_runs) {
    const Array line = first_of(r, others);
    const Array wanted = (arange(line.size()).astype(float64) * step + start).astype(a.dtype()).reshape(line.shape());
    if (!same(line, wanted) || !same(chainer::broadcast_to(line, r.shape()), r)) return give_up();
    counts.push_back(line.size());
  }
  const std::string count = length(counts, false);
  std::string y = node("Range", {constant(array(int64_t(0))), count, constant(array(int64_t(1)))});
  y = node("Cast", {y}, {attribute("to", element_type(a.dtype()))});
  if (step != 1) y = node("Mul", {y, number(step, a.dtype())});
  if (start != 0) y = node("Add", {y, number(start, a.dtype())});
  Dims along = Dims::filled(a.ndim(), 1);
  along[axis] = -1;
  y = node("Reshape", {y, integers(along)});
  return keep(first_of(a, others).shape() == a.shape() ? y : node("Expand", {y, lengths(shapes)}));
}

Dimension Emitter::dimension(const Lengths& in_runs) const {
  if (all_equal(in_runs)) return {in_runs[0], ""};
  const auto l = line(in_runs);
  if (!l) return {-1, ""};
  return {-1, l->factor == 1 && l->offset == 0 ? "batch" : ""};
}

}  // namespace chainer::onnx
