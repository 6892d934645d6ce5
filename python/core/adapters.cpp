// SPDX-License-Identifier: MIT
// Functions whose parameters have no caster. Their Python signatures are in chainer/functions/_adapters.py.
#include "chainer/functions/functions.h"
#include "python/core/casters.h"
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
      "scatter_add",
      [](const In& a, nb::handle slices, const In& b) { return F::scatter_add(a, load_indices(slices.ptr()), b); },
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
        return F::pad(x, width, mode, {.constant_values = constant_values, .end_values = end_values});
      },
      "x"_a, "pad_width"_a, "mode"_a, "constant_values"_a, "end_values"_a);
  m.def(
      "einsum",
      [](const std::string& subscripts, const Variables& operands) { return F::einsum(subscripts, operands); },
      "subscripts"_a, "operands"_a);
  m.def(
      "sparse_matmul",
      [](const In& data, const Array& row, const Array& col, const Shape& shape, const std::string& order,
         const In& dense, bool left, bool transa, bool transb) {
        const utils::CooMatrix sparse = coo_matrix(data, row, col, shape, order);
        const functions::MatmulOptions options{.transa = transa, .transb = transb};
        return left ? F::sparse_matmul(sparse, dense.get(), options) : F::sparse_matmul(dense.get(), sparse, options);
      },
      "data"_a, "row"_a, "col"_a, "shape"_a, "order"_a, "dense"_a, "left"_a, "transa"_a, "transb"_a);
}

}  // namespace chainer::python
