// SPDX-License-Identifier: MIT
#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "chainer/routines/text_kernels/operands.h"

namespace chainer::backends::cuda {

struct ElementwiseKernel::Definition {
  std::string name, operation;
  ElementwiseOptions options;
  std::vector<Parameter> parameters;
  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const KernelText>> texts;  // by types and layouts

  std::shared_ptr<const KernelText> text_for(const Launcher& launcher, const CallTypes& types,
                                             const std::string& elements);
};

namespace {

constexpr int64_t kMostBlocks = 132 * 32;

// The arrays of a call and the shape of its loop.
struct Call {
  std::string_view kernel;
  const std::vector<Parameter>& parameters;
  std::vector<const KernelArgument*> args;
  Device device;
  CallTypes types;
  Shape shape;
  KernelOutputs outputs;
  std::vector<const Array*> arrays;  // by parameter; nullptr for numbers

  Call(std::string_view name, const std::vector<Parameter>& params, const std::vector<KernelArgument>& given,
       std::optional<int64_t> size)
      : kernel(name),
        parameters(params),
        args(arguments_of(name, params, given)),
        device(device_of(name, params, args)),
        types(types_of_call(name, params, args)) {
    find_shape(size);
    for (std::size_t k = 0; k < params.size(); ++k)
      if (!params[k].input) outputs.push_back(output(k));
    std::size_t out = 0;
    for (std::size_t k = 0; k < params.size(); ++k)
      arrays.push_back(params[k].input ? args[k]->array() : &outputs[out++]);
  }

 private:
  bool takes_part(std::size_t k) const { return args[k] && args[k]->array() && !parameters[k].raw; }
  void find_shape(std::optional<int64_t> size) {
    bool known = false;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      if (!takes_part(k)) continue;
      if (size)
        throw ValueError("kernel '", kernel, "': size may be given if all arrays are raw, and ", parameters[k].name,
                         " is not");
      const Shape& next = args[k]->array()->shape();
      shape = known ? broadcast_shapes(shape, next, text("kernel '", kernel, "'")) : next;
      known = true;
    }
    if (size && *size < 0) throw ValueError("kernel '", kernel, "': size must not be negative, but is ", *size);
    if (size) shape = {*size};
    if (!size && !known)
      throw ValueError("kernel '", kernel, "': no array that is not raw determines the size of the loop; give size");
  }
  Array output(std::size_t k) const {
    const Parameter& p = parameters[k];
    if (!args[k]) {
      if (p.raw) throw ValueError("kernel '", kernel, "': ", p.name, " is raw, so the array must be given");
      return Array(shape, dtype_of(types.of[k]), device);
    }
    const Array& a = *args[k]->array();
    if (!p.raw && a.shape() != shape)
      throw DimensionError("kernel '", kernel, "': ", p.name, " must have the shape ", shape, ", not ", a.shape());
    return a;
  }
};

}  // namespace

std::shared_ptr<const KernelText> ElementwiseKernel::Definition::text_for(const Launcher& launcher,
                                                                          const CallTypes& types,
                                                                          const std::string& elements) {
  const std::string& key = launcher.declarations();
  std::string letters;
  for (const auto& [letter, type] : types.letters)
    letters += text("typedef ", cpp_name(type), " ", std::string(1, letter), ";\n");
  const std::lock_guard lock(mutex);
  std::shared_ptr<const KernelText>& found = texts[letters + key];
  if (found) return found;
  const std::string function = name + "_kernel";
  std::string source =
      text("using namespace chainer::cuda::text;\n", letters, options.preamble, "\nextern \"C\" __global__ void ",
           function, "(", key, ") {\n", options.loop_prep,
           "\n  for (ptrdiff_t i = ptrdiff_t(blockIdx.x) * blockDim.x + threadIdx.x; i < _ind.size();\n"
           "       i += ptrdiff_t(gridDim.x) * blockDim.x) {\n    _ind.set(i);\n",
           elements, operation, "\n    ;\n  }\n", options.after_loop, "\n}\n");
  return found = std::make_shared<KernelText>(name, function, std::move(source), options.options);
}

ElementwiseKernel::ElementwiseKernel(std::string_view in_params, std::string_view out_params,
                                     std::string_view operation, std::string_view name, const ElementwiseOptions& o)
    : definition_(std::make_shared<Definition>()) {
  expect_function_name(name);
  Definition& d = *definition_;
  d.name = name, d.operation = operation, d.options = o;
  parse_parameters(in_params, true, name, d.parameters);
  parse_parameters(out_params, false, name, d.parameters);
}

const std::string& ElementwiseKernel::name() const { return definition_->name; }

KernelOutputs ElementwiseKernel::call(const std::vector<KernelArgument>& args, const ElementwiseCall& o) const {
  Definition& d = *definition_;
  if (o.block_size < 1 || o.block_size > 1024)
    throw ValueError("kernel '", d.name, "': block_size must be 1 to 1024, not ", o.block_size);
  Call call(d.name, d.parameters, args, o.size);
  AxesOfLoop loop;
  for (int axis = 0; axis < call.shape.ndim(); ++axis) loop.axes.push_back({call.shape[axis], {}});
  for (std::size_t k = 0; k < d.parameters.size(); ++k) {
    if (!call.arrays[k] || d.parameters[k].raw) continue;
    const Strides strides = broadcast_strides(*call.arrays[k], call.shape);
    for (int axis = 0; axis < call.shape.ndim(); ++axis)
      loop.axes[static_cast<std::size_t>(axis)].strides.push_back(strides[axis]);
  }
  if (call.shape.product() == 0) return call.outputs;
  if (d.options.reduce_dims && !reads_index(d.operation)) loop.merge();
  // Addresses for reading first: those for writing may run pending computations.
  std::vector<const void*> data(call.arrays.size(), nullptr);
  for (const bool written : {false, true})
    for (std::size_t k = 0; k < data.size(); ++k)
      if (call.arrays[k] && d.parameters[k].written == written) data[k] = address_of(*call.arrays[k], written);
  Launcher launcher;
  std::string elements;
  for (std::size_t k = 0, place = 0; k < data.size(); ++k) {
    const Parameter& p = d.parameters[k];
    const NumberType type = call.types.of[k];
    const Array* a = call.arrays[k];
    if (!a) {
      launcher.add_number(p.name, call.args[k]->number(), type);
      continue;
    }
    const auto item = static_cast<int64_t>(size_of(type));
    if (p.raw) {
      Dims strides;
      for (const int64_t s : a->strides()) strides.push_back(s * item);
      launcher.add_array(p.name, data[k], type, a->size(), a->shape(), strides);
      continue;
    }
    const bool dense =
        launcher.add_array("_raw_" + p.name, data[k], type, loop.size(), loop.shape(), loop.strides(place++, item));
    elements += text("    [[maybe_unused]] ", p.written ? "" : "const ", cpp_name(type), p.written ? "& " : " ", p.name,
                     " = _raw_", p.name, dense ? "[i]" : "[_ind.get()]", ";\n");
  }
  launcher.add_indexer("_ind", loop);
  const int64_t blocks = (loop.size() + o.block_size - 1) / o.block_size;
  launcher.launch(d.text_for(launcher, call.types, elements), call.device,
                  {static_cast<uint32_t>(std::min(blocks, kMostBlocks)), 1, 1},
                  {static_cast<uint32_t>(o.block_size), 1, 1});
  return call.outputs;
}

KernelOutputs::operator Array() const {
  if (size() != 1) throw ValueError("a kernel with ", size(), " outputs has no single result");
  return (*this)[0];
}

}  // namespace chainer::backends::cuda
