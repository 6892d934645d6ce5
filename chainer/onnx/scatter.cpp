// SPDX-License-Identifier: MIT
#include "chainer/onnx/scatter.h"

#include <algorithm>

#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

// Returns the places of updates in the flattened array.
Array places_of(const Array& x, const Indices& indices) {
  return get_item(arange(x.size()).reshape(x.shape()), indices);
}

// Combines updates with x in order.
template <class T>
Array combined(const Call& c, const Indices& indices, const std::string& reduction) {
  const Array& x = c.array(0);
  const Array places = places_of(x, indices);
  const std::vector<int64_t> at = places.to_vector<int64_t>();
  const std::vector<T> u = broadcast_to(c.array(2), places.shape()).to_vector<T>();
  std::vector<T> y = x.to_vector<T>();
  for (std::size_t i = 0; i < at.size(); ++i) {
    T& to = y[static_cast<std::size_t>(at[i])];
    if (reduction == "mul")
      to = static_cast<T>(to * u[i]);
    else if (reduction == "max")
      to = std::max(to, u[i]);
    else
      to = std::min(to, u[i]);
  }
  return array(y, x.shape()).astype(x.dtype());
}

// Returns x, with an element of `updates` (of one axis) at each place that has a `source` of 0 or more.
Variable replaced(const Variable& x, const Variable& updates, const Array& source) {
  const Array given = source >= 0;
  return F::where(Variable(given, false), F::get_item(updates, {chainer::where(given, source, zeros_like(source))}), x);
}

// Returns for each place which update is the extreme one, or -1 for the element of x.
Array extremes(const Array& x, const Array& updates, const std::vector<int64_t>& at, bool greatest) {
  std::vector<double> y = x.to_vector<double>();
  const std::vector<double> u = updates.to_vector<double>();
  std::vector<int64_t> source(y.size(), -1);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const std::size_t to = static_cast<std::size_t>(at[i]);
    if (greatest ? y[to] < u[i] : u[i] < y[to]) y[to] = u[i], source[to] = static_cast<int64_t>(i);
  }
  return array(source, x.shape());
}

// Multiplies x by updates (of one axis). Neighbours among the factors of a place are multiplied until one is left.
Variable multiplied(const Variable& x, const Variable& updates, const std::vector<int64_t>& at) {
  std::vector<int64_t> order(at.size());
  for (std::size_t i = 0; i < at.size(); ++i) order[i] = static_cast<int64_t>(i);
  const auto place = [&](int64_t i) { return at[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return place(a) < place(b); });
  const auto list = [](const std::vector<int64_t>& l) { return array(l, Shape{static_cast<int64_t>(l.size())}); };
  std::vector<int64_t> places;
  for (const int64_t i : order) places.push_back(place(i));
  const Variable one(ones({1}, x.dtype()), false);
  Variable factors = F::get_item(updates, {list(order)});
  for (std::vector<int64_t> rest;; places = std::move(rest), rest.clear()) {
    const int64_t n = static_cast<int64_t>(places.size());
    std::vector<int64_t> left, right;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const bool pair = i + 1 < places.size() && places[i] == places[i + 1];
      rest.push_back(places[i]);
      left.push_back(static_cast<int64_t>(i));
      right.push_back(pair ? static_cast<int64_t>(++i) : n);
    }
    if (rest.size() == places.size()) break;
    factors = F::get_item(factors, {list(left)}) * F::get_item(F::concat({factors, one}, 0), {list(right)});
  }
  std::vector<int64_t> source(static_cast<std::size_t>(x.size()), static_cast<int64_t>(places.size()));
  for (std::size_t i = 0; i < places.size(); ++i) source[static_cast<std::size_t>(places[i])] = static_cast<int64_t>(i);
  return x * F::get_item(F::concat({factors, one}, 0), {array(source, x.shape())});
}

// The same with gradients.
Variable differentiable(const Call& c, const Indices& indices, const std::string& reduction) {
  const Variable& x = c[0];
  if (reduction == "add") return F::scatter_add(x, indices, c[2]);
  const Array places = places_of(x.array(), indices);
  if (places.size() == 0) return x;
  const Variable updates = F::reshape(F::broadcast_to(c[2], places.shape()), {places.size()});
  if (reduction == "none") {
    Array source = full(x.shape(), -1, int64);
    set_item(source, indices, arange(places.size()).reshape(places.shape()));
    return replaced(x, updates, source);
  }
  const std::vector<int64_t> at = places.to_vector<int64_t>();
  if (reduction == "mul") return multiplied(x, updates, at);
  return replaced(x, updates, extremes(x.array(), updates.array(), at, reduction == "max"));
}

}  // namespace

Variable scattered(const Call& c, const Indices& indices) {
  const Variable &x = c[0], &updates = c[2];
  const std::string reduction = c.text("reduction", "none");
  const bool none = reduction == "none", add = reduction == "add";
  if (!none && !add && reduction != "mul" && reduction != "max" && reduction != "min")
    c.fail("unknown reduction '", reduction, "'");
  if (c.floating() && (x.requires_grad() || updates.requires_grad())) return differentiable(c, indices, reduction);
  if (none || add) {
    Array y = x.array().copy();
    if (add)
      add_at(y, indices, updates.array());
    else
      set_item(y, indices, updates.array());
    return Variable(y, false);
  }
  return Variable(c.floating() ? combined<double>(c, indices, reduction) : combined<int64_t>(c, indices, reduction),
                  false);
}

}  // namespace chainer::onnx
