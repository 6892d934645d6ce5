// SPDX-License-Identifier: MIT
// The routines of chainer/routines on arrays of devices. The names of operations come from the lists of elementwise
// operations; chainer/backends/device_arrays gives them NumPy's signatures.
#include "chainer/array/host.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/linalg.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"
#include "chainer/routines/sorting.h"
#include "python/core/casters.h"
#include "python/core/device_array.h"

namespace chainer::python {
namespace {

using Row = std::pair<const char*, Elementwise>;
#define CHAINER_ROW(NAME, ...) {#NAME, Elementwise::NAME},
constexpr Row kUnary[] = {CHAINER_UNARY_OPS(CHAINER_ROW) CHAINER_TEST_OPS(CHAINER_ROW)};
constexpr Row kBinary[] = {CHAINER_BINARY_OPS(CHAINER_ROW) CHAINER_COMPARE_OPS(CHAINER_ROW)};
#undef CHAINER_ROW

Array compute(const Row& row, nb::handle a, nb::handle b) {
  const Operand x = operand(row.first, a), y = operand(row.first, b);
  if (!y.array) return binary(row.second, x.get(), y.number);
  return x.array ? binary(row.second, *x.array, *y.array) : binary(row.second, x.number, *y.array);
}

Arrays arrays_of(const char* operation, nb::handle list) {
  Arrays all;
  for (nb::handle o : list) all.push_back(array_operand(operation, o));
  return all;
}

void bind_elementwise(nb::module_& m) {
  nb::list unary_names, binary_names;
  for (const Row& row : kUnary) {
    m.def(row.first, [&row](nb::handle x) { return unary(row.second, array_operand(row.first, x)); });
    unary_names.append(row.first);
  }
  for (const Row& row : kBinary) {
    m.def(row.first, [&row](nb::handle a, nb::handle b) { return compute(row, a, b); });
    binary_names.append(row.first);
  }
  m.attr("UNARY") = unary_names;
  m.attr("BINARY") = binary_names;
  m.def("where", [](nb::handle condition, nb::handle a, nb::handle b) {
    const Array c = array_operand("where", condition);
    const Operand x = operand("where", a), y = operand("where", b);
    // A number takes the other operand's dtype.
    const Array left = x.array || !y.array ? x.get() : scalar_array(x.number, *y.array);
    const Array right = y.array || !x.array ? y.get() : scalar_array(y.number, *x.array);
    return where(c.dtype() == bool_ ? c : c != 0, left, right);
  });
}

using Reduce = Array (*)(const Array&, const Axes&, bool);
void bind_reductions(nb::module_& m) {
  static constexpr std::pair<const char*, Reduce> kReductions[] = {
      {"prod", prod},
      {"max", max},
      {"min", min},
      {"mean", mean},
      {"count_nonzero", count_nonzero},
      {"all", [](const Array& a, const Axes& x, bool keep) -> Array { return all(a, x, keep); }},
      {"any", [](const Array& a, const Axes& x, bool keep) -> Array { return any(a, x, keep); }}};
  for (const auto& row : kReductions)
    m.def(
        row.first,
        [&row](nb::handle a, const AnyAxes& axis, bool keepdims) {
          return row.second(array_operand(row.first, a), axis, keepdims);
        },
        nb::arg("a"), nb::arg("axis").none(), nb::arg("keepdims"));
  m.def(
      "sum",
      [](nb::handle a, const AnyAxes& axis, bool keepdims, std::optional<Dtype> dtype) {
        return sum(array_operand("sum", a), axis, keepdims, dtype);
      },
      nb::arg("a"), nb::arg("axis").none(), nb::arg("keepdims"), nb::arg("dtype").none());
  m.def(
      "var",
      [](nb::handle a, const AnyAxes& axis, bool keepdims, int64_t ddof) {
        return var(array_operand("var", a), axis, keepdims, ddof);
      },
      nb::arg("a"), nb::arg("axis").none(), nb::arg("keepdims"), nb::arg("ddof"));
  using Along = Array (*)(const Array&, std::optional<int64_t>);
  static constexpr std::pair<const char*, Along> kAlong[] = {
      {"argmax", argmax}, {"argmin", argmin}, {"cumsum", cumsum}, {"cumprod", cumprod}};
  for (const auto& row : kAlong)
    m.def(
        row.first,
        [&row](nb::handle a, std::optional<int64_t> axis) { return row.second(array_operand(row.first, a), axis); },
        nb::arg("a"), nb::arg("axis").none());
}

void bind_creation(nb::module_& m) {
  m.def("empty", [](const Shape& shape, Dtype dtype) { return empty(shape, dtype, device_of_new_arrays()); });
  m.def("full", [](const Shape& shape, nb::handle value, Dtype dtype) {
    const Operand v = operand("full", value);
    return full(shape, v.array ? v.array->scalar() : v.number, dtype, device_of_new_arrays());
  });
  // Returns a copy of a NumPy array on the device with this number.
  m.def("send", [](nb::handle ndarray, int id) {
    const Array a = from_numpy(ndarray.ptr());
    return a.to_device(get_device(id));
  });
}

void bind_manipulation(nb::module_& m) {
  m.def("broadcast_to",
        [](nb::handle a, const Shape& shape) { return broadcast_to(array_operand("broadcast_to", a), shape); });
  m.def("concatenate", [](nb::handle list, int64_t axis) { return concatenate(arrays_of("concatenate", list), axis); });
  m.def("stack", [](nb::handle list, int64_t axis) { return stack(arrays_of("stack", list), axis); });
  m.def("array_split", [](nb::handle a, int64_t sections, int64_t axis) {
    return array_split(array_operand("array_split", a), sections, axis);
  });
  m.def("split_at", [](nb::handle a, const IntList& positions, int64_t axis) {
    return split_at(array_operand("split", a), positions, axis);
  });
  m.def("expand_dims", [](nb::handle a, int64_t axis) { return expand_dims(array_operand("expand_dims", a), axis); });
  m.def(
      "squeeze", [](nb::handle a, const AnyAxes& axis) { return squeeze(array_operand("squeeze", a), axis); },
      nb::arg("a"), nb::arg("axis").none());
  m.def("swapaxes", [](nb::handle a, int64_t first, int64_t second) {
    return swapaxes(array_operand("swapaxes", a), first, second);
  });
  m.def("moveaxis", [](nb::handle a, const AnyAxes& source, const AnyAxes& destination) {
    return moveaxis(array_operand("moveaxis", a), source, destination);
  });
  m.def("flip", [](nb::handle a, int64_t axis) { return flip(array_operand("flip", a), axis); });
  m.def(
      "take",
      [](nb::handle a, nb::handle indices, std::optional<int64_t> axis) {
        return take(array_operand("take", a), array_operand("take", indices), axis);
      },
      nb::arg("a"), nb::arg("indices"), nb::arg("axis").none());
  m.def(
      "repeat",
      [](nb::handle a, int64_t repeats, std::optional<int64_t> axis) {
        return repeat(array_operand("repeat", a), repeats, axis);
      },
      nb::arg("a"), nb::arg("repeats"), nb::arg("axis").none());
  m.def("tile", [](nb::handle a, const Dims& reps) { return tile(array_operand("tile", a), reps); });
}

}  // namespace

void bind_device_routines(nb::module_& m) {
  bind_elementwise(m);
  bind_reductions(m);
  bind_creation(m);
  bind_manipulation(m);
  m.def("matmul",
        [](nb::handle a, nb::handle b) { return matmul(array_operand("matmul", a), array_operand("matmul", b)); });
  m.def("dot", [](nb::handle a, nb::handle b) { return dot(array_operand("dot", a), array_operand("dot", b)); });
  m.def("inv", [](nb::handle a) { return inv(array_operand("inv", a)); });
  m.def("det", [](nb::handle a) { return det(array_operand("det", a)); });
  m.def("svd", [](nb::handle a) {
    const Svd s = svd(array_operand("svd", a));
    return nb::make_tuple(s.u, s.s, s.vt);
  });
  m.def("sort", [](nb::handle a, int64_t axis) { return sort(array_operand("sort", a), axis); });
  m.def("argsort", [](nb::handle a, int64_t axis) { return argsort(array_operand("argsort", a), axis); });
  m.def("unique", [](nb::handle a) {
    const Unique u = unique(array_operand("unique", a));
    return nb::make_tuple(u.values, u.inverse, u.counts);
  });
  m.def("nonzero", [](nb::handle a) { return nonzero(array_operand("nonzero", a)); });
}

}  // namespace chainer::python
