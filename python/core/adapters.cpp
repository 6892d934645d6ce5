// Functions whose parameters have no caster. Their Python signatures stand in chainer/functions.
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

Mixed of_all(const Variables& vs) {
  Mixed mixed({});
  for (const Variable& v : vs)
    if (v.dtype() != vs[0].dtype()) mixed = Mixed({&vs[0], &v});
  return mixed;
}

}  // namespace

Mixed::Mixed(std::initializer_list<const Variable*> inputs) {
  const Variable* first = nullptr;
  for (const Variable* v : inputs) {
    if (!*v || !is_floating(v->dtype())) continue;
    if (!first) {
      first = v;
      common_ = v->dtype();
    }
    differ_ |= v->dtype() != first->dtype();
    if (differ_) common_ = promote(common_, v->dtype());
  }
}
Variable Mixed::operator()(const Variable& v) const { return v && is_floating(v.dtype()) ? back(v, common_) : v; }
Variable Mixed::back(Variable y, Dtype dtype) { return y.dtype() == dtype ? y : F::cast(y, dtype); }

void bind_adapters(nb::module_& m) {
  m.def(
      "get_item", [](const In& x, nb::handle slices) { return F::get_item(x, load_indices(slices.ptr())); }, "x"_a,
      "slices"_a.none());
  m.def(
      "scatter_add",
      [](const In& a, nb::handle slices, const In& b) { return F::scatter_add(a, load_indices(slices.ptr()), b); },
      "a"_a, "slices"_a.none(), "b"_a);
  m.def(
      "pad",
      [](const In& x, const std::vector<std::pair<int64_t, int64_t>>& width, const std::string& mode,
         const Pairs& constant_values, const Pairs& end_values) {
        return F::pad(x, width, mode, {.constant_values = constant_values, .end_values = end_values});
      },
      "x"_a, "pad_width"_a, "mode"_a, "constant_values"_a, "end_values"_a);
  m.def(
      "einsum",
      [](const std::string& subscripts, const Variables& operands) {
        const Mixed mixed = of_all(operands);
        if (!mixed) return F::einsum(subscripts, operands);
        Variables same;
        for (const Variable& v : operands) same.push_back(mixed(v));
        return F::einsum(subscripts, same);
      },
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
