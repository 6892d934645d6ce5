// SPDX-License-Identifier: MIT
// Functions whose parameters have no caster. Their Python signatures are in chainer/functions/_adapters.py.
#include "chainer/functions/functions.h"
#include "python/core/calls.h"
#include "python/core/operators.h"

namespace chainer::python {
namespace {

using Pairs = std::vector<std::pair<double, double>>;

utils::CooMatrix coo_matrix(const Variable& data, const Array& row, const Array& col, const Shape& shape,
                            const std::string& order) {
  utils::CooMatrix m(data.array(), row, col, shape, {.order = order});
  m.data = data;
  return m;
}

}  // namespace

void bind_adapters(nb::module_& m) {
  m.def(
      "get_item", [](const In& x, nb::handle slices) { return F::get_item(x, load_indices(slices.ptr())); }, "x"_a,
      "slices"_a.none(), "Returns x[slices], for integers, slices, None, Ellipsis, lists and arrays.");
  m.def(
      "copy",
      [](const In& x, int dst) {
        const Device device = get_device(dst);
        return as_one(
            {"copy", "Copy", false}, pointers(x.get()),
            [&] { return x.get().array().device() == device ? F::identity(x) : F::copy(x, device); },
            [=](nb::dict& d) { d["dst"] = dst; });
      },
      "x"_a, "dst"_a, "Returns a copy on a device.");
  m.def(
      "scatter_add",
      [](const In& a, nb::handle slices, const In& b) {
        return as_one(
            {"scatter_add", "ScatterAdd", false}, pointers(a.get(), b.get()),
            [&] { return F::scatter_add(a, load_indices(slices.ptr()), b); },
            [s = load_indices(slices.ptr())](nb::dict& d) { d["slices"] = give(s); });
      },
      "a"_a, "slices"_a.none(), "b"_a, "Returns a copy of a with b added to a[slices]; repeated elements accumulate.");
  m.def(
      "scatter_max",
      [](const In& a, nb::handle slices, const In& b) { return F::scatter_max(a, load_indices(slices.ptr()), b); },
      "a"_a, "slices"_a.none(), "b"_a, "A copy of a with the largest of its elements and those of b put at a[slices].");
  m.def(
      "scatter_mean",
      [](const In& a, nb::handle slices, const In& b) { return F::scatter_mean(a, load_indices(slices.ptr()), b); },
      "a"_a, "slices"_a.none(), "b"_a, "A copy of a with the means of the elements of b that are put at a[slices].");
  m.def(
      "pad",
      [](const In& x, const std::vector<std::pair<int64_t, int64_t>>& width, const std::string& mode,
         const Pairs& constant_values, const Pairs& end_values) {
        return as_one(
            {"pad", "Pad", false}, pointers(x.get()),
            [&] { return F::pad(x, width, mode, {.constant_values = constant_values, .end_values = end_values}); },
            [=](nb::dict& d) {
              d["pad_width"] = nb::cast(width);
              d["mode"] = nb::str(mode.c_str());
              d["constant_values"] = nb::cast(constant_values);
              d["end_values"] = nb::cast(end_values);
            });
      },
      "x"_a, "pad_width"_a, "mode"_a, "constant_values"_a, "end_values"_a);
  m.def(
      "einsum",
      [](const std::string& subscripts, const Variables& operands) {
        return as_one(
            {"einsum", "EinSum", true}, pointers(operands), [&] { return F::einsum(subscripts, operands); },
            [=](nb::dict& d) { d["subscripts"] = nb::str(subscripts.c_str()); });
      },
      "subscripts"_a, "operands"_a);
  m.def(
      "sparse_matmul",
      [](const In& data, const Array& row, const Array& col, const Shape& shape, const std::string& order,
         const In& dense, bool left, bool transa, bool transb) {
        const utils::CooMatrix sparse = coo_matrix(data, row, col, shape, order);
        const functions::MatmulOptions options{.transa = transa, .transb = transb};
        return as_one(
            {"sparse_matmul", "CooMatMul", false}, pointers(data.get(), dense.get()),
            [&] {
              return left ? F::sparse_matmul(sparse, dense.get(), options)
                          : F::sparse_matmul(dense.get(), sparse, options);
            },
            [=](nb::dict& d) {
              d["row"] = give(row);
              d["col"] = give(col);
              d["shape"] = give(shape);
              d["order"] = nb::str(order.c_str());
              d["left"] = left;
              d["transa"] = transa;
              d["transb"] = transb;
            });
      },
      "data"_a, "row"_a, "col"_a, "shape"_a, "order"_a, "dense"_a, "left"_a, "transa"_a, "transb"_a);
}

}  // namespace chainer::python
