// SPDX-License-Identifier: MIT
// Weights of few bits (chainer/inference/quantize_weights.h). Links of Python hold such an object instead of ndarrays,
// so that the library can keep the integers in the form that its products read.
#include "chainer/array/host_kernels/quantized_matrix.h"

#include <nanobind/stl/tuple.h>

#include "chainer/functions/quantized_linear.h"
#include "python/core/casters.h"
#include "python/core/device_array.h"
#include "python/core/operators.h"

namespace chainer::python {
namespace {

// Returns a copy that no ndarray shares.
Array own(const Array& a, const Array& like, const char* name) {
  if (a.shape() != like.shape() || a.dtype() != like.dtype())
    throw ValueError("quantized weight: ", name, " must be ", like.dtype(), " of shape ", like.shape(), ", not ",
                     a.dtype(), " of shape ", a.shape());
  return a.to_device(like.device()).copy();
}

using State = std::tuple<int, int64_t, int64_t, Array, Array>;

}  // namespace

void bind_quantized_matrix(nb::module_& m) {
  nb::class_<QuantizedMatrix>(m, "QuantizedMatrix", "A matrix of integers of 4 or 8 bits with a scale for each group.")
      .def("__init__",
           [](QuantizedMatrix* self, const Array& W, int bits, int64_t group, Flag search, const std::string& what) {
             QuantizedMatrix q =
                 host_kernels::quantized_matrix(W.to_device(Device()), bits, group, search, what.c_str());
             q.values = q.values.to_device(W.device()), q.scales = q.scales.to_device(W.device());
             new (self) QuantizedMatrix(std::move(q));
           })
      .def_ro("bits", &QuantizedMatrix::bits)
      .def_ro("group", &QuantizedMatrix::group)
      .def_prop_ro("shape", [](const QuantizedMatrix& q) { return nb::make_tuple(q.rows(), q.columns); })
      .def_prop_ro("nbytes",
                   [](const QuantizedMatrix& q) {
                     return q.values.size() + q.scales.size() * static_cast<int64_t>(sizeof(float));
                   })
      .def_prop_ro(
          "values", [](const QuantizedMatrix& q) { return q.values.copy(); }, "A copy of the integers.")
      .def_prop_ro(
          "scales", [](const QuantizedMatrix& q) { return q.scales.copy(); }, "A copy of the scales.")
      .def(
          "replaced",
          [](const QuantizedMatrix& q, const Array& values, const Array& scales) {
            return QuantizedMatrix{
                q.bits, q.group, q.columns, own(values, q.values, "W_values"), own(scales, q.scales, "W_scales"),
                q.dtype};
          },
          "values"_a, "scales"_a, "Returns a matrix of the same kind with other integers and scales.")
      .def(
          "to_float", [](const QuantizedMatrix& q) { return host_kernels::to_float(q.on_host()); },
          "Returns the rounded matrix as float32.")
      .def(
          "to_device",
          [](const QuantizedMatrix& q, int id) {
            const Device d = get_device(id);
            return QuantizedMatrix{q.bits, q.group, q.columns, q.values.to_device(d), q.scales.to_device(d), q.dtype};
          },
          "id"_a, "Returns a copy on a device, or on the host for -1.")
      .def(
          "linear",
          [](const QuantizedMatrix& q, const Variable& x, const std::optional<Variable>& b, int64_t n_batch_axes) {
            const Unlocked unlocked(x);
            return functions::quantized_linear(x, q, b.value_or(Variable()), n_batch_axes);
          },
          "x"_a, "b"_a.none(), "n_batch_axes"_a, "Returns x W^T + b.")
      .def(
          "embed_id",
          [](const QuantizedMatrix& q, const Variable& ids, std::optional<int64_t> ignore_label) {
            return functions::quantized_rows(ids, q, ignore_label);
          },
          "x"_a, "ignore_label"_a.none(), "Returns rows of W.")
      .def("__copy__", [](nb::object self) { return self; })  // nothing changes a matrix
      .def("__deepcopy__", [](nb::object self, nb::handle) { return self; })
      .def("__getstate__",
           [](const QuantizedMatrix& q) {
             return State(q.bits, q.group, q.columns, q.values.to_device(Device()).copy(),
                          q.scales.to_device(Device()).copy());
           })
      .def("__setstate__", [](QuantizedMatrix& q, const State& s) {
        const auto& [bits, group, columns, values, scales] = s;
        new (&q) QuantizedMatrix{bits, group, columns, values.copy(), scales.copy()};
      });
}

}  // namespace chainer::python
