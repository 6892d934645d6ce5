// SPDX-License-Identifier: MIT
// Kernels of devices written as text (chainer/routines/text_kernels.h).
#include "chainer/routines/text_kernels.h"

#include "python/core/casters.h"
#include "python/core/device_array.h"

namespace chainer::python {
namespace {

namespace gpu = backends::cuda;
using Options = std::vector<std::string>;

// The type of a number in a raw kernel: that of a NumPy number, int64 and float64 for Python's.
gpu::NumberType type_of_number(nb::handle o, const Scalar& s) {
  if (PyFloat_Check(o.ptr()) && o.type().is(nb::handle(reinterpret_cast<PyObject*>(&PyFloat_Type))))
    return gpu::NumberType::float64;
  if (!nb::hasattr(o, "dtype"))
    return s.kind() == 'f'   ? gpu::NumberType::float64
           : s.kind() == 'b' ? gpu::NumberType::bool_
                             : gpu::NumberType::int64;
  const nb::object dtype = o.attr("dtype");
  const std::string name = nb::cast<std::string>(nb::str(dtype));
  for (int k = 0; k <= static_cast<int>(gpu::NumberType::bfloat16); ++k)
    if (name == gpu::name(static_cast<gpu::NumberType>(k))) return static_cast<gpu::NumberType>(k);
  throw TypeError("a kernel takes no numbers of ", name);
}

std::vector<gpu::KernelArgument> arguments_of(std::string_view kernel, nb::handle args) {
  std::vector<gpu::KernelArgument> all;
  for (nb::handle o : args) {
    Scalar s{0};
    if (const Array* a = as_device_array(o.ptr()))
      all.emplace_back(*a);
    else if (load_scalar(o.ptr(), s))
      all.emplace_back(s, type_of_number(o, s));
    else
      throw TypeError("kernel '", kernel, "': argument ", all.size(), " must be an array on a device or a number, not ",
                      nb::cast<std::string>(nb::str(o.type())), "; to_gpu(a) copies a NumPy array to the device");
  }
  return all;
}

// Calls a kernel without the interpreter's lock, since it may be compiled.
template <class F>
nb::list results_of(F&& call) {
  Arrays out;
  {
    const nb::gil_scoped_release unlocked;
    out = call();
  }
  nb::list all;
  for (const Array& a : out) all.append(nb::steal(wrap_device_array(a)));
  return all;
}

Dims sizes_of(const char* what, nb::handle o) {
  Dims d;
  if (!load_dims(o.ptr(), d))
    throw TypeError(what, " must be a tuple of up to three integers, not ", nb::cast<std::string>(nb::repr(o)));
  return d;
}

}  // namespace

void bind_text_kernels(nb::module_& m) {
  nb::class_<gpu::ElementwiseKernel>(m, "Elementwise")
      .def(
          "__init__",
          [](gpu::ElementwiseKernel* made, const std::string& in, const std::string& out, const std::string& operation,
             const std::string& name, const std::string& preamble, const std::string& loop_prep,
             const std::string& after_loop, const Options& options, bool reduce_dims) {
            new (made) gpu::ElementwiseKernel(in, out, operation, name,
                                              {preamble, loop_prep, after_loop, options, reduce_dims});
          },
          "in_params"_a, "out_params"_a, "operation"_a, "name"_a, "preamble"_a, "loop_prep"_a, "after_loop"_a,
          "options"_a, "reduce_dims"_a)
      .def(
          "call",
          [](const gpu::ElementwiseKernel& k, nb::args args, std::optional<int64_t> size, int block_size) {
            const auto given = arguments_of(k.name(), args);
            return results_of([&] { return k.call(given, {size, block_size}); });
          },
          "args"_a, "size"_a.none(), "block_size"_a);
  nb::class_<gpu::ReductionKernel>(m, "Reduction")
      .def(
          "__init__",
          [](gpu::ReductionKernel* made, const std::string& in, const std::string& out, const std::string& map,
             const std::string& reduce, const std::string& post_map, const std::string& identity,
             const std::string& name, const std::string& preamble, const std::string& reduce_type,
             const Options& options, bool reduce_dims) {
            new (made) gpu::ReductionKernel(in, out, map, reduce, post_map, identity, name,
                                            {preamble, reduce_type, options, reduce_dims});
          },
          "in_params"_a, "out_params"_a, "map_expr"_a, "reduce_expr"_a, "post_map_expr"_a, "identity"_a, "name"_a,
          "preamble"_a, "reduce_type"_a, "options"_a, "reduce_dims"_a)
      .def(
          "call",
          [](const gpu::ReductionKernel& k, nb::args args, const AnyAxes& axis, bool keepdims) {
            const auto given = arguments_of(k.name(), args);
            return results_of([&] { return k.call(given, {axis, keepdims}); });
          },
          "args"_a, nb::arg("axis").none(), "keepdims"_a);
  nb::class_<gpu::RawKernel>(m, "Raw")
      .def(
          "__init__",
          [](gpu::RawKernel* made, const std::string& code, const std::string& name, const Options& options) {
            new (made) gpu::RawKernel(code, name, options);
          },
          "code"_a, "name"_a, "options"_a)
      .def(
          "call",
          [](const gpu::RawKernel& k, nb::handle grid, nb::handle block, nb::handle args, int64_t shared_mem) {
            const auto given = arguments_of(k.name(), args);
            const gpu::RawLaunch launch{sizes_of("grid", grid), sizes_of("block", block), shared_mem};
            const nb::gil_scoped_release unlocked;
            k.call(launch, given);
          },
          "grid"_a, "block"_a, "args"_a, "shared_mem"_a);
}

}  // namespace chainer::python
