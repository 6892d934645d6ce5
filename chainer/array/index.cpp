// SPDX-License-Identifier: MIT
#include "chainer/array/index.h"

#include <algorithm>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/operations/indices.h"
#include "chainer/array/order.h"
#include "chainer/array/positions.h"
#include "chainer/array/recording/step.h"

namespace chainer {
namespace {

// A resolved index: `view` has the axes selected by index arrays first, `rows` lists the selected combinations of their
// positions, `at` is the position of the axes of `rows` in NumPy's result. Positions are computed on the device of the
// array if an index array is there, else on the host.
struct Selection {
  Array view;
  bool advanced = false;
  int axes = 0;  // leading axes of view covered by `rows`
  Array rows;    // int64, flat positions in those axes
  int at = 0;
};

[[noreturn]] void out_of_bounds(int64_t i, int64_t n, int axis) {
  throw IndexError("index ", i, " is out of bounds for axis ", axis, " with size ", n);
}
int64_t resolve(int64_t i, int64_t n, int axis) {
  if (i < -n || i >= n) out_of_bounds(i, n, axis);
  return i < 0 ? i + n : i;
}

// Returns the length of a slice of n elements, and makes `start` non-negative.
int64_t slice_length(const Slice& s, int64_t n, int64_t& start) {
  if (s.step == 0) throw ValueError("slice step cannot be zero");
  const auto bound = [&](int64_t v) {
    if (v < 0) v += n;
    return std::clamp<int64_t>(v, s.step > 0 ? 0 : -1, s.step > 0 ? n : n - 1);
  };
  start = s.start ? bound(*s.start) : s.step > 0 ? 0 : n - 1;
  const int64_t stop = s.stop ? bound(*s.stop) : s.step > 0 ? n : -1;
  const int64_t span = s.step > 0 ? stop - start : start - stop;
  const uint64_t step = s.step > 0 ? static_cast<uint64_t>(s.step) : -static_cast<uint64_t>(s.step);  // of any size
  return span <= 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(span - 1) / step) + 1;
}

// For a 0-d mask, which selects all or nothing: the positions along a new axis of length one.
Array position_of_all(bool chosen) {
  Array out(Shape{chosen ? 1 : 0}, int64);
  if (chosen) out.fill(0);
  return out;
}

// Returns an index array's positions along an axis of length n, on its device, which checks them.
Array positions_there(const Array& index, int64_t n, int axis) {
  Array out(index.shape(), int64, index.device());
  const auto fail = [](int64_t i, int64_t, const IndexCheck& c) { out_of_bounds(i, c.size, c.axis); };
  index.device().backend().check_indices({.size = n, .wraps = true, .axis = axis, .fail = fail}, index, out);
  return out;
}

Selection select(const Array& a, const Indices& indices) {
  int consumed = 0, ellipses = 0;
  bool any_array = false, there = false;  // there: positions are computed on the device of a
  for (const Index& i : indices) {
    if (const Array* x = i.get<Array>()) {
      any_array = true;
      there = there || (!x->device().is_host() && x->device() == a.device());
      if (x->dtype() == Dtype::bool_)
        consumed += x->ndim();
      else if (is_floating(x->dtype()))
        throw IndexError("arrays used as indices must be of integer or boolean type, not ", x->dtype());
      else
        ++consumed;
    } else if (i.get<Ellipsis>()) {
      ++ellipses;
    } else if (!i.get<NewAxis>()) {
      ++consumed;
    }
  }
  if (ellipses > 1) throw IndexError("an index can have only a single ellipsis");
  if (consumed > a.ndim())
    throw IndexError("too many indices: the array has shape ", a.shape(), ", but ", consumed, " axes were indexed");

  Shape shape;
  Strides strides;
  int64_t offset = 0;
  int axis = 0;
  std::vector<int> picked;       // axes of the view covered by index arrays
  std::vector<Array> positions;  // the index arrays
  bool gap = false;              // a slice, newaxis or ellipsis is between index arrays
  int last_array = -1;
  const Strides from = a.strides();
  const auto keep = [&](int64_t n, int64_t step) { shape.push_back(n), strides.push_back(step); };
  const auto pick_from = [&](int64_t n, int64_t step, const Array& x, int item) {
    if (last_array >= 0 && item - last_array > 1) gap = true;
    last_array = item;
    picked.push_back(shape.ndim());
    positions.push_back(there ? x.to_device(a.device()) : to_host(x));
    keep(n, step);
  };
  const auto pick = [&](const Array& x, int item) {
    pick_from(a.shape()[axis], from[axis], x, item);
    ++axis;
  };
  const auto skip_rest = [&](int until) {
    for (; axis < until; ++axis) keep(a.shape()[axis], from[axis]);
  };
  int item = 0;
  for (const Index& i : indices) {
    if (const int64_t* n = i.get<int64_t>()) {
      const int64_t at = resolve(*n, a.shape()[axis], axis);
      if (any_array) {
        Array one(Shape{}, int64);
        *one.mutable_data<int64_t>() = at;
        pick(one, item);
      } else {
        offset += at * from[axis++];
      }
    } else if (const Slice* s = i.get<Slice>()) {
      int64_t start = 0;
      const int64_t n = slice_length(*s, a.shape()[axis], start);
      if (n > 0) offset += start * from[axis];
      keep(n, n > 1 ? from[axis] * s->step : from[axis]);  // (a step longer than the axis could overflow)
      ++axis;
    } else if (i.get<NewAxis>()) {
      keep(1, 0);
    } else if (i.get<Ellipsis>()) {
      skip_rest(axis + a.ndim() - consumed);
    } else {
      const Array& x = *i.get<Array>();
      if (x.dtype() != Dtype::bool_) {
        pick(x, item);
      } else {
        for (int d = 0; d < x.ndim(); ++d)
          if (x.shape()[d] != a.shape()[axis + d])
            throw IndexError("boolean index of shape ", x.shape(), " does not match an array of shape ", a.shape());
        for (const Array& p : nonzero_positions(x)) pick(p, item);
        if (x.ndim() == 0) pick_from(1, 0, position_of_all(x.item<bool>()), item);
      }
    }
    ++item;
  }
  skip_rest(a.ndim());
  Selection out{Array(ArrayBody::view(a.body_ref(), shape, strides, offset)), any_array, 0, {}, 0};
  if (!any_array) return out;

  // Flat positions: the index arrays broadcast together, combined in C order.
  Shape rows_shape;
  for (const Array& x : positions) rows_shape = broadcast_shapes(rows_shape, x.shape(), "index");
  const auto broadcast = [&](const Array& x) {
    Strides st = Dims::filled(rows_shape.ndim(), 0);
    const Strides xs = x.strides();
    for (int d = 0; d < x.ndim(); ++d) {
      const int to = rows_shape.ndim() - x.ndim() + d;
      if (x.shape()[d] != 1) st[to] = xs[d];
    }
    return Array(ArrayBody::view(x.body_ref(), rows_shape, st, 0));
  };
  Array rows(rows_shape, int64, there ? a.device() : Device());
  if (there)
    rows.fill(0);
  else
    std::fill_n(rows.mutable_data<int64_t>(), rows.size(), 0);
  for (std::size_t k = 0; k < positions.size(); ++k) {
    if (there) {
      const Array at = positions_there(positions[k], shape[picked[k]], picked[k]);
      if (positions.size() == 1) {
        rows = broadcast(at);
      } else {
        rows *= shape[picked[k]];
        rows += broadcast(at);
      }
      continue;
    }
    Array full(rows_shape, int64);
    copy_elements(broadcast(positions[k]), full);
    recording::step(
        "positions", {&full, 1}, {&rows, 1},
        [n = shape[picked[k]], along = picked[k]](std::span<const Array> in, std::span<Array> out) {
          const int64_t* p = in[0].data<int64_t>();
          int64_t* r = out[0].mutable_data<int64_t>();
          for (int64_t i = 0; i < out[0].size(); ++i) r[i] = r[i] * n + resolve(p[i], n, along);
        },
        true);
  }
  Dims order;
  for (int d : picked) order.push_back(d);
  for (int d = 0; d < shape.ndim(); ++d)
    if (std::find(picked.begin(), picked.end(), d) == picked.end()) order.push_back(d);
  out.view = out.view.transpose(order);
  out.axes = static_cast<int>(picked.size());
  out.rows = rows;
  out.at = gap || picked.empty() ? 0 : picked[0];
  return out;
}

// Returns the view with its selected axes flattened into one; a copy if the view is not dense.
Array as_rows(const Selection& s) {
  Shape shape{1};
  for (int d = 0; d < s.view.ndim(); ++d) {
    if (d < s.axes)
      shape[0] *= s.view.shape()[d];
    else
      shape.push_back(s.view.shape()[d]);
  }
  return s.view.contiguous().reshape(shape);
}

// Moves the first `count` axes after the following `at` axes, or back.
Array move_axes(const Array& a, int count, int at, bool back) {
  if (at == 0) return a;
  Dims order;
  const int first = back ? at : count, second = back ? count : at;
  for (int i = 0; i < second; ++i) order.push_back(first + i);
  for (int i = 0; i < first; ++i) order.push_back(i);
  for (int i = first + second; i < a.ndim(); ++i) order.push_back(i);
  return a.transpose(order);
}

Array broadcast_view(const Array& value, const Shape& shape) {
  Array a = value;
  while (a.ndim() > shape.ndim() && a.shape()[0] == 1) a = a[0];
  if (broadcast_shapes(a.shape(), shape, "assignment") != shape)
    throw DimensionError("cannot assign an array of shape ", a.shape(), " to a selection of shape ", shape);
  Strides st = Dims::filled(shape.ndim(), 0);
  const Strides as = a.strides();
  for (int i = 0; i < a.ndim(); ++i) {
    const int to = shape.ndim() - a.ndim() + i;
    if (a.shape()[i] != 1) st[to] = as[i];
  }
  return Array(ArrayBody::view(a.body_ref(), shape, st, 0));
}

void write(Array& a, const Indices& indices, const Array& value, bool accumulate) {
  before_write(a.body());
  Selection s = select(a, indices);
  // A value that overlaps the written memory is copied first.
  const Array safe = overlap(value, a) ? value.copy() : value.to_device(a.device());
  if (!s.advanced) {
    const Array from = broadcast_view(safe, s.view.shape());
    if (accumulate)
      s.view += from;
    else
      copy_elements(from, s.view);
    return;
  }
  Array rows = as_rows(s);
  Shape shape = s.rows.shape();
  for (int d = 1; d < rows.ndim(); ++d) shape.push_back(rows.shape()[d]);
  // The value has the result's order of axes.
  Shape result = shape;
  if (s.at) {
    Dims moved;
    for (int i = 0; i < s.at; ++i) moved.push_back(shape[s.rows.ndim() + i]);
    for (int i = 0; i < s.rows.ndim(); ++i) moved.push_back(shape[i]);
    for (int i = s.rows.ndim() + s.at; i < shape.ndim(); ++i) moved.push_back(shape[i]);
    result = moved;
  }
  const Array ordered = move_axes(broadcast_view(safe, result), s.rows.ndim(), s.at, true);
  a.device().backend().scatter_rows(rows, s.rows.to_device(a.device()), ordered, accumulate);
  if (!s.view.is_contiguous()) copy_elements(rows.reshape(s.view.shape()), s.view);
}

}  // namespace

Array get_item(const Array& a, const Indices& indices) {
  Selection s = select(a, indices);
  if (!s.advanced) return s.view;
  const Array rows = as_rows(s);
  Shape shape = s.rows.shape();
  for (int d = 1; d < rows.ndim(); ++d) shape.push_back(rows.shape()[d]);
  Array out(shape, a.dtype(), a.device());
  a.device().backend().take_rows(rows, s.rows.to_device(a.device()), out);
  return move_axes(out, s.rows.ndim(), s.at, false);
}

void set_item(Array& a, const Indices& indices, const Array& value) { write(a, indices, value, false); }
void add_at(Array& a, const Indices& indices, const Array& value) { write(a, indices, value, true); }

}  // namespace chainer
