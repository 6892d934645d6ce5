// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <mutex>
#include <unordered_map>

#include "chainer/routines/text_kernels/operands.h"

namespace chainer::backends::cuda {

struct ReductionKernel::Definition {
  std::string name, map, reduce, post_map, identity;
  ReductionOptions options;
  std::vector<Parameter> parameters;
  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const KernelText>> texts;  // by types and layouts

  std::shared_ptr<const KernelText> text_for(const Launcher& launcher, const CallTypes& types, const std::string& in,
                                             const std::string& out);
};

namespace {

constexpr int64_t kThreads = 256, kMostGroups = 132 * 16;

// The arrays of a reduction, and its loops over the elements and over the outputs.
struct ReductionOfCall {
  Shape shape, kept, result;
  Dims reduced_axes, kept_axes;
  AxesOfLoop elements, outputs;
  int64_t reduced = 1;

  ReductionOfCall(const Shape& all, const ReductionCall& o, std::string_view kernel) : shape(all) {
    reduced_axes = o.axis.normalized(all.ndim(), text("kernel '", kernel, "'"));
    for (int d = 0; d < all.ndim(); ++d) {
      const bool is_reduced = std::find(reduced_axes.begin(), reduced_axes.end(), d) != reduced_axes.end();
      if (!is_reduced) kept.push_back(all[d]), kept_axes.push_back(d);
      if (!is_reduced || o.keepdims) result.push_back(is_reduced ? 1 : all[d]);
    }
    for (const int64_t d : reduced_axes) {
      reduced *= all[d];
      elements.axes.push_back({all[d], {}});
    }
    for (const int64_t n : kept) elements.axes.push_back({n, {}}), outputs.axes.push_back({n, {}});
  }
  void add_input(const Array& a) {
    const Strides strides = broadcast_strides(a, shape);
    std::size_t at = 0;
    for (const Dims& axes : {reduced_axes, kept_axes})
      for (const int64_t d : axes) elements.axes[at++].strides.push_back(strides[d]);
  }
  // `result` with keepdims has axes of length one in place of the reduced ones.
  void add_output(const Array& a) {
    const Strides strides = a.strides();
    const bool keeps = result.ndim() == shape.ndim();
    for (int k = 0; k < kept.ndim(); ++k)
      outputs.axes[static_cast<std::size_t>(k)].strides.push_back(strides[keeps ? kept_axes[k] : k]);
  }
  // Returns the number of outputs that a block computes at a time, a power of two: as many as leave enough threads for
  // the elements of each, and at least 32 if outputs are neighbours in memory.
  int64_t outputs_of_block() const {
    const auto lanes = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(reduced, 1))));
    int64_t many = kThreads / std::min(lanes, kThreads);
    const std::vector<Axis>& axes = elements.axes;
    const bool neighbours = !kept.empty() && !axes.back().strides.empty() && axes.back().strides[0] == 1;
    if (neighbours) many = std::max<int64_t>(many, std::min<int64_t>(32, std::bit_floor(uint64_t(axes.back().length))));
    return many;
  }
};

// Returns the name in CUDA C++ if the text is the name of a dtype.
std::string cpp_of_type(const std::string& type) {
  for (int k = 0; k <= static_cast<int>(NumberType::bfloat16); ++k)
    if (type == cuda::name(static_cast<NumberType>(k))) return std::string(cpp_name(static_cast<NumberType>(k)));
  return type;
}

}  // namespace

// Lane number _lane of an output combines the elements _lane, _lane + _lanes, ...; then lanes are combined by halves.
std::shared_ptr<const KernelText> ReductionKernel::Definition::text_for(const Launcher& launcher,
                                                                        const CallTypes& types, const std::string& in,
                                                                        const std::string& out) {
  std::string letters;
  for (const auto& [letter, type] : types.letters)
    letters += text("typedef ", cpp_name(type), " ", std::string(1, letter), ";\n");
  const std::lock_guard lock(mutex);
  std::shared_ptr<const KernelText>& found = texts[letters + launcher.declarations()];
  if (found) return found;
  const auto first = std::find_if(parameters.begin(), parameters.end(), [](const Parameter& p) { return !p.input; });
  const std::string type = options.reduce_type.empty()
                               ? std::string(cpp_name(types.of[static_cast<std::size_t>(first - parameters.begin())]))
                               : cpp_of_type(options.reduce_type);
  auto made = std::make_shared<KernelText>();
  made->name = name, made->function = name + "_kernel", made->options = options.options;
  made->source = text(
      "using namespace chainer::cuda::text;\n", letters, options.preamble, "\ntypedef ", type,
      " _type_reduce;\nextern \"C\" __global__ void ", made->function, "(", launcher.declarations(),
      ") {\n"
      "  __shared__ __align__(16) char _memory[",
      kThreads,
      " * sizeof(_type_reduce)];\n"
      "  _type_reduce* const _values = reinterpret_cast<_type_reduce*>(_memory);\n"
      "  const int _lanes = ",
      kThreads,
      " / _together, _lane = threadIdx.x / _together;\n"
      "  const int _used = _lanes < _reduced ? _lanes : int(_reduced);\n"
      "  const auto _combine = [&](const _type_reduce& a, const _type_reduce& b) -> _type_reduce {\n    return ",
      reduce,
      ";\n  };\n"
      "  for (ptrdiff_t _first = ptrdiff_t(blockIdx.x) * _together; _first < _out_ind.size();\n"
      "       _first += ptrdiff_t(gridDim.x) * _together) {\n"
      "    const ptrdiff_t _i = _first + threadIdx.x % _together;\n"
      "    const auto _map = [&](const ptrdiff_t _J) -> _type_reduce {\n"
      "      const ptrdiff_t _j = _i + _J * _out_ind.size();\n      _in_ind.set(_j);\n",
      in, "      return static_cast<_type_reduce>(", map,
      ");\n    };\n"
      "    const bool _is_inside = _i < _out_ind.size();\n"
      "    if (_is_inside && _lane < _used) {\n"
      "      _type_reduce _value = _map(_lane);\n"
      "      for (ptrdiff_t _J = _lane + _lanes; _J < _reduced; _J += _lanes) _value = _combine(_value, _map(_J));\n"
      "      _values[threadIdx.x] = _value;\n    }\n"
      "    __syncthreads();\n"
      "    for (int _half = _lanes / 2; _half > 0; _half /= 2) {\n"
      "      if (_is_inside && _lane < _half && _lane + _half < _used)\n"
      "        _values[threadIdx.x] = _combine(_values[threadIdx.x], _values[threadIdx.x + _half * _together]);\n"
      "      __syncthreads();\n    }\n"
      "    if (_is_inside && _lane == 0) {\n      _out_ind.set(_i);\n",
      out, "      const _type_reduce a = ",
      identity.empty() ? "_values[threadIdx.x]"
                       : text("_reduced ? _values[threadIdx.x] : static_cast<_type_reduce>(", identity, ")"),
      ";\n      ", post_map, "\n      ;\n    }\n    __syncthreads();\n  }\n}\n");
  return found = std::move(made);
}

ReductionKernel::ReductionKernel(std::string_view in_params, std::string_view out_params, std::string_view map_expr,
                                 std::string_view reduce_expr, std::string_view post_map_expr,
                                 std::string_view identity, std::string_view name, const ReductionOptions& o)
    : definition_(std::make_shared<Definition>()) {
  expect_function_name(name);
  Definition& d = *definition_;
  d.name = name, d.map = map_expr, d.reduce = reduce_expr, d.post_map = post_map_expr, d.identity = identity;
  d.options = o;
  parse_parameters(in_params, true, name, d.parameters);
  const std::size_t inputs = d.parameters.size();
  parse_parameters(out_params, false, name, d.parameters);
  if (d.parameters.size() == inputs) throw ValueError("kernel '", name, "': a reduction needs an output");
}

const std::string& ReductionKernel::name() const { return definition_->name; }

KernelOutputs ReductionKernel::call(const std::vector<KernelArgument>& given, const ReductionCall& o) const {
  Definition& d = *definition_;
  const std::vector<Parameter>& params = d.parameters;
  const auto args = arguments_of(d.name, params, given);
  const Device device = device_of(d.name, params, args);
  const CallTypes types = types_of_call(d.name, params, args);
  std::optional<Shape> shape;
  for (std::size_t k = 0; k < params.size(); ++k)
    if (params[k].input && !params[k].raw && args[k]->array()) {
      const Shape& next = args[k]->array()->shape();
      shape = shape ? broadcast_shapes(*shape, next, text("kernel '", d.name, "'")) : next;
    }
  if (!shape) throw ValueError("kernel '", d.name, "': no array that is not raw determines the elements");
  ReductionOfCall r(*shape, o, d.name);
  KernelOutputs outputs;
  std::vector<const void*> data(params.size(), nullptr);
  for (std::size_t k = 0; k < params.size(); ++k) {
    const Array* const a = args[k] ? args[k]->array() : nullptr;
    if (params[k].input) {
      if (a && !params[k].raw) r.add_input(*a);
      continue;
    }
    if (!a && params[k].raw)
      throw ValueError("kernel '", d.name, "': ", params[k].name, " is raw, so the array must be given");
    outputs.push_back(a ? *a : Array(r.result, dtype_of(types.of[k]), device));
    if (params[k].raw) continue;
    if (outputs.back().shape() != r.result)
      throw DimensionError("kernel '", d.name, "': ", params[k].name, " must have the shape ", r.result, ", not ",
                           outputs.back().shape());
    r.add_output(outputs.back());
  }
  if (r.kept.product() == 0) return outputs;
  if (r.reduced == 0 && d.identity.empty())
    throw ValueError("kernel '", d.name, "': no elements along the reduced axes of ", *shape, ", and no identity");
  const int64_t together = r.outputs_of_block();
  if (d.options.reduce_dims && !reads_index(d.map) && !reads_index(d.post_map)) r.elements.merge(), r.outputs.merge();
  for (const bool written : {false, true})
    for (std::size_t k = 0, out = 0; k < params.size(); ++k) {
      const Array* const a = params[k].input ? args[k]->array() : &outputs[out++];
      if (a && params[k].written == written) data[k] = address_of(*a, written);
    }
  Launcher launcher;
  std::string in_lines, out_lines;
  std::size_t in = 0, out = 0;
  for (std::size_t k = 0, output = 0; k < params.size(); ++k) {
    const Parameter& p = params[k];
    const NumberType type = types.of[k];
    const Array* const a = p.input ? args[k]->array() : &outputs[output++];
    if (!a) {
      launcher.add_number(p.name, args[k]->number(), type);
      continue;
    }
    if (p.raw) {
      Dims strides;
      for (const int64_t s : a->strides()) strides.push_back(s * size_of(type));
      launcher.add_array(p.name, data[k], type, a->size(), a->shape(), strides);
      continue;
    }
    const AxesOfLoop& loop = p.input ? r.elements : r.outputs;
    const bool dense = launcher.add_array("_raw_" + p.name, data[k], type, loop.size(), loop.shape(),
                                          loop.strides(p.input ? in++ : out++, size_of(type)));
    if (p.input)
      in_lines += text("      [[maybe_unused]] const ", cpp_name(type), " ", p.name, " = _raw_", p.name,
                       dense ? "[_j];\n" : "[_in_ind.get()];\n");
    else
      out_lines +=
          text("      ", cpp_name(type), "& ", p.name, " = _raw_", p.name, dense ? "[_i];\n" : "[_out_ind.get()];\n");
  }
  launcher.add_indexer("_in_ind", r.elements);
  launcher.add_indexer("_out_ind", r.outputs);
  launcher.add_number("_reduced", r.reduced, NumberType::int64);
  launcher.add_number("_together", together, NumberType::int32);
  const int64_t groups = (r.outputs.size() + together - 1) / together;
  launcher.launch(d.text_for(launcher, types, in_lines, out_lines), device,
                  {static_cast<uint32_t>(std::min(groups, kMostGroups)), 1, 1},
                  {static_cast<uint32_t>(kThreads), 1, 1});
  return outputs;
}

}  // namespace chainer::backends::cuda
