// SPDX-License-Identifier: MIT
#include "chainer/routines/manipulation.h"

#include <algorithm>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/index.h"
#include "chainer/array/order.h"

namespace chainer {

Array broadcast_to(const Array& a, const Shape& shape) {
  if (a.shape() == shape) return a;
  const int lead = shape.ndim() - a.ndim();
  bool fits = lead >= 0;
  for (int i = 0; fits && i < a.ndim(); ++i) fits = a.shape()[i] == 1 || a.shape()[i] == shape[lead + i];
  if (!fits) throw DimensionError("broadcast_to: an array of shape ", a.shape(), " cannot be broadcast to ", shape);
  Strides st = Dims::filled(shape.ndim(), 0);
  const Strides as = a.strides();
  for (int i = 0; i < a.ndim(); ++i)
    if (a.shape()[i] != 1) st[lead + i] = as[i];
  auto view = ArrayBody::view(a.body_ref(), shape, st, 0);
  view->mark(ArrayBody::kReadOnly);
  return Array(std::move(view));
}

namespace {
Indices along(int axis, Index i) {
  Indices out(static_cast<std::size_t>(axis), Slice());
  out.push_back(std::move(i));
  return out;
}
}  // namespace

Array concatenate(const Arrays& arrays, int64_t axis) {
  if (arrays.empty()) throw ValueError("concatenate: at least one array is needed");
  const int d = normalize_axis(axis, arrays[0].ndim(), "concatenate");
  Shape shape = arrays[0].shape();
  Dtype type = arrays[0].dtype();
  shape[d] = 0;
  for (const Array& a : arrays) {
    Shape other = a.shape();
    if (a.ndim() == shape.ndim()) other[d] = shape[d];
    if (other != shape)
      throw DimensionError("concatenate: shapes ", arrays[0].shape(), " and ", a.shape(), " differ outside axis ", d);
    shape[d] += a.shape()[d];
    type = promote(type, a.dtype());
  }
  SmallVector<const Array*, 4> operands;
  for (const Array& a : arrays) operands.push_back(&a);
  if (on_several_devices({operands.data(), operands.size()})) [[unlikely]]
    return concatenate(on_one_device("concatenate", {operands.data(), operands.size()}), axis);
  Array out = empty_in_order(shape, type, arrays[0].device(), result_order({operands.data(), operands.size()}));
  int64_t at = 0;
  Arrays parts;
  for (const Array& a : arrays) {
    Array part = get_item(out, along(d, Slice(at, at + a.shape()[d])));
    if (out.device().is_host())
      copy_elements(a, part);
    else
      parts.push_back(std::move(part));
    at += a.shape()[d];
  }
  if (!parts.empty()) out.device().backend().copy_all({arrays.data(), arrays.size()}, {parts.data(), parts.size()});
  return out;
}

Array stack(const Arrays& arrays, int64_t axis) {
  if (arrays.empty()) throw ValueError("stack: at least one array is needed");
  const int d = normalize_axis(axis, arrays[0].ndim() + 1, "stack");
  Arrays wide;
  for (const Array& a : arrays) {
    if (a.shape() != arrays[0].shape())
      throw DimensionError("stack: all arrays must have the same shape, not ", arrays[0].shape(), " and ", a.shape());
    wide.push_back(expand_dims(a, d));
  }
  return concatenate(wide, d);
}

Arrays split_at(const Array& a, const std::vector<int64_t>& positions, int64_t axis) {
  const int d = normalize_axis(axis, a.ndim(), "split");
  Arrays out;
  int64_t begin = 0;
  for (int64_t p : positions) {
    out.push_back(get_item(a, along(d, Slice(begin, p))));
    begin = p;
  }
  out.push_back(get_item(a, along(d, Slice(begin, std::nullopt))));
  return out;
}

Arrays array_split(const Array& a, int64_t sections, int64_t axis) {
  if (sections <= 0) throw ValueError("split: the number of sections must be positive, not ", sections);
  const int64_t n = a.shape(axis), whole = n / sections, longer = n % sections;
  std::vector<int64_t> positions;
  int64_t at = 0;
  for (int64_t i = 0; i + 1 < sections; ++i) positions.push_back(at += whole + (i < longer ? 1 : 0));
  return split_at(a, positions, axis);
}

Array expand_dims(const Array& a, int64_t axis) {
  Shape s = a.shape();
  s.insert(normalize_axis(axis, a.ndim() + 1, "expand_dims"), 1);
  return a.reshape(s);
}

Array squeeze(const Array& a, const Axes& axes) {
  Dims drop;
  if (axes.given()) {
    drop = axes.normalized(a.ndim(), "squeeze");
    for (int64_t d : drop)
      if (a.shape()[d] != 1) throw ValueError("squeeze: axis ", d, " of shape ", a.shape(), " is not of length one");
  } else {
    for (int d = 0; d < a.ndim(); ++d)
      if (a.shape()[d] == 1) drop.push_back(d);
  }
  Shape s;
  Strides st;
  const Strides as = a.strides();
  for (int d = 0; d < a.ndim(); ++d)
    if (std::find(drop.begin(), drop.end(), d) == drop.end()) s.push_back(a.shape()[d]), st.push_back(as[d]);
  return Array(ArrayBody::view(a.body_ref(), s, st, 0));
}

Array swapaxes(const Array& a, int64_t axis1, int64_t axis2) {
  Dims order;
  for (int i = 0; i < a.ndim(); ++i) order.push_back(i);
  std::swap(order[normalize_axis(axis1, a.ndim(), "swapaxes")], order[normalize_axis(axis2, a.ndim(), "swapaxes")]);
  return a.transpose(order);
}

Array moveaxis(const Array& a, const Axes& source, const Axes& destination) {
  const int n = a.ndim();
  source.normalized(n, "moveaxis");
  destination.normalized(n, "moveaxis");
  const Dims from = source.list(), to = destination.list();
  if (from.ndim() != to.ndim())
    throw ValueError("moveaxis: source ", from, " and destination ", to, " must have the same number of axes");
  Dims order = Dims::filled(n, -1);
  Dims rest;
  for (int i = 0; i < n; ++i) {
    bool moved = false;
    for (int64_t f : from) moved |= normalize_axis(f, n, "moveaxis") == i;
    if (!moved) rest.push_back(i);
  }
  for (int i = 0; i < from.ndim(); ++i)
    order[normalize_axis(to[i], n, "moveaxis")] = normalize_axis(from[i], n, "moveaxis");
  int next = 0;
  for (int64_t& o : order)
    if (o < 0) o = rest[next++];
  return a.transpose(order);
}

Array flip(const Array& a, int64_t axis) {
  return get_item(a, along(normalize_axis(axis, a.ndim(), "flip"), Slice(std::nullopt, std::nullopt, -1)));
}

Array take(const Array& a, const Array& indices, std::optional<int64_t> axis) {
  if (!axis) return a.ravel()[indices];
  return get_item(a, along(normalize_axis(*axis, a.ndim(), "take"), indices));
}

void put(Array& a, const Array& indices, const Array& values) {
  if (!a.is_contiguous()) {
    Array dense = a.contiguous();
    put(dense, indices, values);
    return copy_elements(dense, a);
  }
  Array flat = a.ravel();
  set_item(flat, {indices}, values);
}

Array repeat(const Array& a, int64_t repeats, std::optional<int64_t> axis) {
  if (repeats < 0) throw ValueError("repeat: the count must not be negative: ", repeats);
  const Array x = axis ? a : a.ravel();
  const int d = normalize_axis(axis.value_or(0), x.ndim(), "repeat");
  Shape wide = x.shape(), out = x.shape();
  wide.insert(d + 1, repeats);
  checked_size(wide, item_size(a.dtype()), "repeat");
  out[d] *= repeats;
  return broadcast_to(expand_dims(x, d + 1), wide).copy().reshape(out);
}

Array tile(const Array& a, const Dims& reps) {
  Shape shape = a.shape();
  Dims r = reps;
  while (r.ndim() < shape.ndim()) r.insert(0, 1);
  while (shape.ndim() < r.ndim()) shape.insert(0, 1);
  Array out = a.reshape(shape);
  for (int d = 0; d < shape.ndim(); ++d) {
    if (r[d] == 1) continue;
    Shape wide = out.shape(), merged = out.shape();
    wide.insert(d, r[d]);
    checked_size(wide, item_size(a.dtype()), "tile");
    merged[d] *= r[d];
    out = broadcast_to(expand_dims(out, d), wide).copy().reshape(merged);
  }
  return &out.body().owner() == &a.body().owner() ? out.copy() : out;
}

}  // namespace chainer
