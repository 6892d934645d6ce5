// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <mutex>
#include <unordered_map>

#include "chainer/routines/text_kernels/operands.h"
#include "chainer/routines/text_kernels/reduction_source.h"

namespace chainer::backends::cuda {

struct ReductionKernel::Definition {
  std::string name, map, reduce, post_map, identity;
  ReductionOptions options;
  std::vector<Parameter> parameters;
  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const KernelText>> texts;  // by types and layouts

  std::shared_ptr<const KernelText> text_for(const Launcher& launcher, const CallTypes& types, const std::string& in,
                                             const std::string& out);
  // Returns the type of the values that are combined; nothing for a type of the preamble.
  std::optional<NumberType> combined_type(const CallTypes& types) const;
};

namespace {

constexpr int64_t kThreads = kThreadsOfReduction, kMostGroups = 132 * 16;
constexpr int64_t kFewGroups = 132, kLongLane = 32;  // when the elements of an output are reduced in parts

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

// Returns the type whose name is the text, if there is one.
std::optional<NumberType> type_named(const std::string& name) {
  for (int k = 0; k <= static_cast<int>(NumberType::bfloat16); ++k)
    if (name == cuda::name(static_cast<NumberType>(k))) return static_cast<NumberType>(k);
  return {};
}

}  // namespace

std::optional<NumberType> ReductionKernel::Definition::combined_type(const CallTypes& types) const {
  const std::string& given = options.reduce_type;
  if (given.empty()) {
    std::size_t k = 0;
    while (parameters[k].input) ++k;
    return types.of[k];
  }
  if (given.size() == 1 && types.letters.count(given[0])) return types.letters.at(given[0]);
  return type_named(given);
}

std::shared_ptr<const KernelText> ReductionKernel::Definition::text_for(const Launcher& launcher,
                                                                        const CallTypes& types, const std::string& in,
                                                                        const std::string& out) {
  ReductionSource s{.types = {},
                    .preamble = options.preamble,
                    .type = options.reduce_type,
                    .function = name + "_kernel",
                    .parameters = launcher.declarations(),
                    .map = map,
                    .reduce = reduce,
                    .post_map = post_map,
                    .identity = identity,
                    .inputs = in,
                    .outputs = out};
  for (const auto& [letter, type] : types.letters)
    s.types += text("typedef ", cpp_name(type), " ", std::string(1, letter), ";\n");
  if (const auto type = combined_type(types)) s.type = cpp_name(*type);
  const std::lock_guard lock(mutex);
  std::shared_ptr<const KernelText>& found = texts[s.types + s.parameters];
  if (!found) found = std::make_shared<KernelText>(name, s.function, reduction_source(s), options.options);
  return found;
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
  const auto launch = [&](const Array& partial, int64_t count, int64_t chunk, int64_t parts, int phase) {
    Launcher all = launcher;
    all.add_values("_partial", partial ? address_of(partial, true) : nullptr, partial ? partial.size() : 0);
    for (const auto& [number, value] : {std::pair<const char*, int64_t>{"_count", count},
                                        {"_chunk", chunk},
                                        {"_parts", parts},
                                        {"_together", together},
                                        {"_phase", phase}})
      all.add_number(number, value, NumberType::int64);
    const int64_t groups = (r.outputs.size() * parts + together - 1) / together;
    all.launch(d.text_for(all, types, in_lines, out_lines), device,
               {static_cast<uint32_t>(std::min(groups, kMostGroups)), 1, 1}, {static_cast<uint32_t>(kThreads), 1, 1});
  };
  // If few blocks would have long lanes, more blocks combine parts of the elements first.
  const int64_t groups = (r.outputs.size() + together - 1) / together, lane = r.reduced * together / kThreads;
  const std::optional<NumberType> type = d.combined_type(types);
  if (type && groups < kFewGroups && lane >= 2 * kLongLane) {
    const int64_t wanted = std::min(2 * kFewGroups / groups, lane / kLongLane);
    const int64_t chunk = (r.reduced + wanted - 1) / wanted, parts = (r.reduced + chunk - 1) / chunk;
    const Array partial({r.outputs.size() * parts}, dtype_of(*type), device);
    launch(partial, r.reduced, chunk, parts, 1);
    launch(partial, parts, parts, 1, 2);
  } else {
    launch({}, r.reduced, r.reduced, 1, 0);
  }
  return outputs;
}

}  // namespace chainer::backends::cuda
