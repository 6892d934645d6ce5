// SPDX-License-Identifier: MIT
// Lengths, numbers and arrays that differ between runs with other free lengths, as operators that compute them.
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

std::optional<Emitter::Line> Emitter::line(const Lengths& x, const Lengths& y) {
  std::size_t k = 1;
  while (k < x.size() && x[k] == x[0]) ++k;
  if (k >= x.size() || (y[k] - y[0]) % (x[k] - x[0])) return std::nullopt;
  const int64_t factor = (y[k] - y[0]) / (x[k] - x[0]);
  const Line l{factor, y[0] - factor * x[0]};
  for (k = 0; k < x.size(); ++k)
    if (l.factor * x[k] + l.offset != y[k]) return std::nullopt;
  return l;
}

// The free lengths, then those of earlier results that differ between the runs, then products of two and three.
std::vector<Emitter::Quantity> Emitter::known(bool products) const {
  constexpr std::size_t kMostFactors = 32;
  std::vector<Quantity> out;
  std::set<Lengths> seen;
  const auto add = [&](Quantity q) {
    if (seen.insert(q.in_runs).second) out.push_back(std::move(q));
  };
  for (const FreeLength& f : free_) add({f.in_runs, {{inputs_[f.input], f.axis}}});
  for (const auto& [key, name] : made_) {
    const auto shape = [&](std::size_t k) -> const Shape& {
      return runs_[k]->calls[key.first].outputs[key.second].shape;
    };
    for (int d = 0; d < shape(0).ndim(); ++d) {
      Lengths in_runs;
      for (std::size_t k = 0; k < runs_.size(); ++k) in_runs.push_back(d < shape(k).ndim() ? shape(k)[d] : 0);
      if (!all_equal(in_runs)) add({std::move(in_runs), {{name, d}}});
    }
  }
  if (!products) return out;
  const std::size_t single = std::min(out.size(), kMostFactors);
  std::size_t from = 0;
  for (int factors = 2; factors <= 3; ++factors) {
    const std::size_t end = factors == 2 ? single : out.size();
    for (std::size_t i = from; i < end; ++i)
      for (std::size_t j = 0; j < single; ++j) {
        Quantity q = out[i];
        for (std::size_t k = 0; k < q.in_runs.size(); ++k) q.in_runs[k] *= out[j].in_runs[k];
        q.factors.push_back(out[j].factors[0]);
        add(std::move(q));
      }
    from = end;
  }
  return out;
}

std::string Emitter::compute(const Quantity& q) {
  std::string product;
  for (const auto& [tensor, axis] : q.factors) {
    std::string& n = known_[text("length of axis ", axis, " of ", tensor)];
    if (n.empty())
      n = node("Gather", {node("Shape", {tensor}), constant(array(static_cast<int64_t>(axis)))},
               {attribute("axis", 0)});
    product = product.empty() ? n : node("Mul", {product, n});
  }
  return product;
}

template <class T>
std::string Emitter::differing(const std::vector<T>& v) const {
  std::size_t k = 1;
  while (v[k] == v[0]) ++k;
  std::string of, other;
  for (const FreeLength& f : free_) {
    of += text(of.empty() ? "" : ", ", f.name, " ", f.in_runs[0]);
    other += text(other.empty() ? "" : ", ", f.name, " ", f.in_runs[k]);
  }
  return text(v[0], " for ", of, " and ", v[k], " for ", other);
}

// Emits a length as a scalar, or as a list of one element.
std::string Emitter::length(const Lengths& v, bool axis) {
  std::string cached = axis ? "axis" : "length";
  for (const int64_t n : v) cached += text(" ", n);
  if (const auto it = known_.find(cached); it != known_.end()) return it->second;
  const auto keep = [&](std::string n) {
    if (axis) n = node("Reshape", {n, integers({1})});
    return known_[cached] = n;
  };
  for (const bool products : {false, true}) {
    const std::vector<Quantity> all = known(products);
    for (const Quantity& q : all)
      if (q.in_runs == v) return keep(compute(q));
    for (const Quantity& q : all) {
      const auto l = line(q.in_runs, v);
      if (!l) continue;
      std::string n = compute(q);
      if (l->factor != 1) n = node("Mul", {n, constant(array(l->factor))});
      if (l->offset != 0) n = node("Add", {n, constant(array(l->offset))});
      return keep(n);
    }
  }
  for (const Quantity& q : known(false))  // parts, rounded down or up
    for (const int64_t parts : {2, 3, 4, 8, 16, 32})
      for (const int64_t more : {int64_t(0), parts - 1}) {
        bool fits = true;
        for (std::size_t k = 0; fits && k < v.size(); ++k) fits = (q.in_runs[k] + more) / parts == v[k];
        if (!fits) continue;
        std::string n = compute(q);
        if (more) n = node("Add", {n, constant(array(more))});
        return keep(node("Div", {n, constant(array(parts))}));
      }
  throw FixedLengths{text("a length is ", differing(v))};
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
      if (r.size() != first.size()) throw FixedLengths{"the number of axes depends on a free length"};
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

// A fraction of a quantity (the factor of a mean), or a line over it.
std::string Emitter::number(const std::vector<double>& v, Dtype dtype) {
  if (all_equal(v)) return number(v[0], dtype);
  const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)); };
  const auto as = [&](const Quantity& q, Dtype d) {
    return node("Cast", {compute(q)}, {attribute("to", element_type(d))});
  };
  for (const Quantity& q : known(true)) {
    const auto x = [&](std::size_t k) { return static_cast<double>(q.in_runs[k]); };
    const auto is = [&](const auto& f) {
      for (std::size_t k = 0; k < v.size(); ++k)
        if (!near(v[k], f(x(k)))) return false;
      return true;
    };
    const double product = v[0] * x(0);
    if (is([&](double n) { return product / n; })) {
      // Half precision holds few integers: the quotient is made in float32.
      if (item_size(dtype) >= 4) return node("Div", {number(product, dtype), as(q, dtype)});
      return node("Cast", {node("Div", {number(product, float32), as(q, float32)})},
                  {attribute("to", element_type(dtype))});
    }
    std::size_t other = 1;
    while (other < v.size() && q.in_runs[other] == q.in_runs[0]) ++other;
    if (other == v.size()) continue;
    const double factor = (v[other] - v[0]) / (x(other) - x(0)), offset = v[0] - factor * x(0);
    if (!is([&](double n) { return factor * n + offset; })) continue;
    const std::string line = node("Mul", {as(q, dtype), number(factor, dtype)});
    return offset == 0 ? line : node("Add", {line, number(offset, dtype)});
  }
  throw FixedLengths{text("a number is ", differing(v))};
}

std::string Emitter::varying(const Arrays& in_runs) {
  const Array& a = in_runs[0];
  if (const auto it = varying_.find(a.body_ref().get()); it != varying_.end()) return it->second.second;
  const auto keep = [&](const std::string& name) {
    varying_[a.body_ref().get()] = {a, name};
    return name;
  };
  const auto give_up = [&]() -> std::string {
    throw FixedLengths{text("a constant of shape ", a.shape(), " depends on a free length")};
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
    for (const Quantity& q : known(true)) {
      const auto scaled = [&](std::size_t k) {
        return (in_runs[k].astype(float64) * static_cast<double>(q.in_runs[k])).astype(float32);
      };
      const Array first = scaled(0);
      bool fits = true;
      for (std::size_t k = 1; fits && k < in_runs.size(); ++k)
        fits = all(chainer::absolute(scaled(k) - first) <= chainer::absolute(first) * 1e-6f).item<bool>();
      if (!fits) continue;
      const std::string n = node("Cast", {compute(q)}, {attribute("to", element_type(a.dtype()))});
      return keep(
          node("Div", {constant((a.astype(float64) * static_cast<double>(q.in_runs[0])).astype(a.dtype())), n}));
    }
    return give_up();
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
  for (const FreeLength& f : free_)
    if (f.in_runs == in_runs) return {-1, f.name};
  return {-1, ""};
}

}  // namespace chainer::onnx
