// SPDX-License-Identifier: MIT
#include "chainer/array/array.h"

#include <algorithm>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/index.h"
#include "chainer/array/operations/ops.h"
#include "chainer/array/order.h"
#include "chainer/array/deferred/deferred.h"

namespace chainer {

void Array::no_array() { throw TypeError("expected an array, but this handle is empty (None)"); }

void Array::wrong_access(Dtype d) const {
  if (!device().is_host())
    throw DeviceError("elements of an array on ", device(),
                      " were accessed from the host: move it with to_device() first");
  throw DtypeError("elements of dtype ", dtype(), " were accessed as ", d, ": cast with astype() first");
}

Scalar Array::scalar() const {
  if (size() != 1)
    throw ValueError("only an array of one element converts to a number; this array has shape ", shape());
  if (!device().is_host()) return to_host(*this).scalar();
  return visit(dtype(), "scalar", [&]<class T>() -> Scalar { return *static_cast<const T*>(raw()); });
}

template <class T>
std::vector<T> Array::to_vector() const {
  std::vector<T> out(static_cast<std::size_t>(size()));
  if (out.empty()) return out;
  const Array dense = to_host(*this).contiguous();
  visit(dtype(), "to_vector", [&]<class S>() {
    const S* p = dense.data<S>();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(p[i]);
  });
  return out;
}
template std::vector<float> Array::to_vector() const;
template std::vector<double> Array::to_vector() const;
template std::vector<int> Array::to_vector() const;
template std::vector<int64_t> Array::to_vector() const;
template std::vector<uint8_t> Array::to_vector() const;

Array Array::reshape(const Shape& wanted) const {
  Shape s = wanted;
  int unknown = -1;
  int64_t known = 1;
  bool overflow = false;
  for (int i = 0; i < s.ndim(); ++i) {
    if (s[i] == -1 && unknown < 0) {
      unknown = i;
      continue;
    }
    if (s[i] < 0)
      throw DimensionError("reshape: the shape ", wanted, " has a negative length; only one may be -1, for the rest");
    overflow |= __builtin_mul_overflow(known, s[i], &known) && s[i] != 0;
  }
  if (std::find(s.begin(), s.end(), 0) != s.end()) overflow = false, known = 0;
  const bool fits = overflow ? false : unknown < 0 ? known == size() : known > 0 && size() % known == 0;
  if (!fits) throw DimensionError("reshape: cannot reshape an array of shape ", shape(), " into ", wanted);
  if (unknown >= 0) s[unknown] = size() / known;
  if (s == shape()) return *this;
  if (is_contiguous()) return Array(ArrayBody::view(body_, s, contiguous_strides(s), 0));

  // A view works if every group of merged or split axes is evenly spaced in memory.
  Strides out = Dims::filled(s.ndim(), 0);
  Dims from_shape, from_strides;
  const Strides st = strides();
  for (int i = 0; i < ndim(); ++i)
    if (shape()[i] != 1) from_shape.push_back(shape()[i]), from_strides.push_back(st[i]);
  int i = 0, j = 0;
  bool viewable = size() > 0;
  while (viewable && i < from_shape.ndim() && j < s.ndim()) {
    int i1 = i + 1, j1 = j + 1;
    int64_t a = from_shape[i], b = s[j];
    while (a != b) {
      if (a < b)
        a *= from_shape[i1++];
      else
        b *= s[j1++];
    }
    for (int k = i; k + 1 < i1; ++k) viewable &= from_strides[k] == from_strides[k + 1] * from_shape[k + 1];
    out[j1 - 1] = from_strides[i1 - 1];
    for (int k = j1 - 2; k >= j; --k) out[k] = out[k + 1] * s[k + 1];
    i = i1;
    j = j1;
  }
  if (viewable) return Array(ArrayBody::view(body_, s, out, 0));
  return contiguous().reshape(s);
}

Array Array::transpose(const Axes& axes) const {
  const int n = ndim();
  Dims order;
  if (!axes.given()) {
    for (int i = n - 1; i >= 0; --i) order.push_back(i);
  } else {
    axes.normalized(n, "transpose");  // checks range and repetition
    if (axes.list().ndim() != n)
      throw ValueError("transpose: axes ", axes.list(), " do not match an array of shape ", shape());
    for (int64_t a : axes.list()) order.push_back(normalize_axis(a, n, "transpose"));
  }
  Shape s;
  Strides out;
  const Strides st = strides();
  for (int64_t a : order) s.push_back(shape()[a]), out.push_back(st[a]);
  return Array(ArrayBody::view(body_, s, out, 0));
}

Array Array::astype(Dtype d, bool copy) const {
  if (!copy && d == dtype()) return *this;
  if (Array later = d == dtype() ? Array() : deferred::cast(*this, d)) return later;
  const Array* const self[] = {this};
  Array out = empty_in_order(shape(), d, device(), result_order(self));
  copy_elements(*this, out);
  return out;
}

Array Array::contiguous() const {
  if (is_contiguous()) return *this;
  Array out(shape(), dtype(), device());
  copy_elements(*this, out);
  return out;
}

Array Array::copy() const { return astype(dtype()); }

void Array::fill(Scalar value) {
  if (size() == 0) return;
  device().backend().fill(*this, value);
}

Array Array::operator[](const Index& index) const { return get_item(*this, {index}); }
Array Array::operator[](std::initializer_list<Index> indices) const { return get_item(*this, indices); }
void Array::set(const Index& index, const Array& value) { set_item(*this, {index}, value); }
void Array::set(std::initializer_list<Index> indices, const Array& value) { set_item(*this, indices, value); }

namespace {
// Returns a 0-d array of the target's dtype, so that an assigned number does not widen the result.
Array constant(const Array& like, Scalar value) { return chainer::constant(value, like.dtype(), like.device()); }

// NumPy's order of kinds: a result can be stored in an array of the same or a later kind.
int kind_rank(Dtype d) { return kind(d) == 'b' ? 0 : kind(d) == 'u' ? 1 : kind(d) == 'i' ? 2 : 3; }

// Returns the dtype in which an in-place operation is computed. As in NumPy, throws DtypeError if the target cannot
// hold the result.
Dtype in_place_type(Elementwise op, Dtype target, Dtype common) {
  if (op == Elementwise::divide && !is_floating(common)) common = float64;
  if (kind_rank(common) > kind_rank(target))
    throw DtypeError("in-place ", name(op), ": the result has dtype ", common, ", which an array of ", target,
                     " cannot hold; write a = a ",
                     op == Elementwise::add        ? '+'
                     : op == Elementwise::subtract ? '-'
                     : op == Elementwise::multiply ? '*'
                                                   : '/',
                     " b");
  return common;
}

Array& in_place(Elementwise op, Array& a, const Array& b) {
  const Shape s = broadcast_shapes(a.shape(), b.shape(), name(op));
  if (s != a.shape())
    throw DimensionError("in-place ", name(op), ": an operand of shape ", b.shape(), " does not fit into ", a.shape());
  const Dtype compute = in_place_type(op, a.dtype(), promote(a.dtype(), b.dtype()));
  if (compute == Dtype::bool_) {  // arithmetic on booleans, as in NumPy
    if (op == Elementwise::subtract) throw TypeError("in-place subtract: not defined for bool; use logical_xor");
    op = op == Elementwise::add ? Elementwise::logical_or : Elementwise::logical_and;
  }
  // An operand that overlaps the target with another layout would be read after it was written.
  const Array* const both[] = {&a, &b};
  Array operand = on_several_devices(both) ? b.to_device(a.device()) : b;
  if (overlap(a, b) && !(b.shape() == a.shape() && b.strides() == a.strides() && b.body().data == a.body().data &&
                         item_size(a.dtype()) == item_size(b.dtype())))
    operand = b.copy();
  Strides st = Dims::filled(a.ndim(), 0);
  const Strides bs = operand.strides();
  for (int i = 0; i < b.ndim(); ++i) {
    const int at = a.ndim() - b.ndim() + i;
    if (b.shape()[i] == a.shape()[at]) st[at] = bs[i];
  }
  Array wide(ArrayBody::view(operand.body_ref(), a.shape(), st, 0));
  if (!deferred::is_small(a.size(), a.device())) wide = aligned(wide, memory_order(a));
  const Array* const inputs[] = {&a, &wide};
  a.device().backend().elementwise(op, inputs, a, compute);
  return a;
}
Array& in_place(Elementwise op, Array& a, Scalar b) {
  in_place_type(op, a.dtype(), b.promoted_with(a.dtype()));
  return in_place(op, a, constant(a, b));
}
}  // namespace

void Array::set(const Index& index, Scalar value) { set_item(*this, {index}, constant(*this, value)); }
void Array::set(std::initializer_list<Index> indices, Scalar value) {
  set_item(*this, indices, constant(*this, value));
}

Array& Array::operator+=(const Array& b) & { return in_place(Elementwise::add, *this, b); }
Array& Array::operator-=(const Array& b) & { return in_place(Elementwise::subtract, *this, b); }
Array& Array::operator*=(const Array& b) & { return in_place(Elementwise::multiply, *this, b); }
Array& Array::operator/=(const Array& b) & { return in_place(Elementwise::divide, *this, b); }
Array& Array::operator+=(Scalar b) & { return in_place(Elementwise::add, *this, b); }
Array& Array::operator-=(Scalar b) & { return in_place(Elementwise::subtract, *this, b); }
Array& Array::operator*=(Scalar b) & { return in_place(Elementwise::multiply, *this, b); }
Array& Array::operator/=(Scalar b) & { return in_place(Elementwise::divide, *this, b); }

int64_t len(const Array& a) {
  if (a.ndim() == 0) throw TypeError("len() of an array without axes");
  return a.shape()[0];
}

}  // namespace chainer
