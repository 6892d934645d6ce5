// SPDX-License-Identifier: MIT
#include "chainer/routines/text_kernels/operands.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "chainer/array/backend.h"
#include "chainer/array/device.h"
#include "chainer/array/external.h"

namespace chainer::backends::cuda {
namespace {

constexpr std::size_t kMostBytes = 4096;  // of a kernel's parameters

std::string name_of_argument(const std::vector<Parameter>& parameters, std::size_t k) {
  return k < parameters.size() ? parameters[k].name : text("argument ", k);
}

}  // namespace

void expect_function_name(std::string_view name) {
  const bool good = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
                    std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  if (!good) throw ValueError("kernel '", name, "': the name must be one of a function in C++");
}

std::vector<const KernelArgument*> arguments_of(std::string_view kernel, const std::vector<Parameter>& parameters,
                                                const std::vector<KernelArgument>& args) {
  const auto inputs = static_cast<std::size_t>(
      std::count_if(parameters.begin(), parameters.end(), [](const Parameter& p) { return p.input; }));
  if (args.size() != inputs && args.size() != parameters.size())
    throw ValueError("kernel '", kernel, "': expected ", inputs, " arguments, or ", parameters.size(),
                     " with the outputs, not ", args.size());
  std::vector<const KernelArgument*> all(parameters.size(), nullptr);
  for (std::size_t k = 0; k < args.size(); ++k) {
    all[k] = &args[k];
    if (!args[k].array() && (!parameters[k].input || parameters[k].raw))
      throw TypeError("kernel '", kernel, "': ", parameters[k].name, " must be an array, not the number ",
                      args[k].number());
  }
  return all;
}

Device device_of(std::string_view kernel, const std::vector<Parameter>& parameters,
                 std::span<const KernelArgument* const> args) {
  std::optional<std::size_t> first;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const Array* a = args[k] ? args[k]->array() : nullptr;
    if (!a) continue;
    if (a->device().is_host())
      throw DeviceError("kernel '", kernel, "': ", name_of_argument(parameters, k),
                        " is on the host; the arrays must be on a device (to_gpu(), to_device())");
    if (!first) first = k;
    const Device there = args[*first]->array()->device();
    if (a->device() != there)
      throw DeviceError("kernel '", kernel, "': ", name_of_argument(parameters, *first), " is on ", there.name(), ", ",
                        name_of_argument(parameters, k), " on ", a->device().name());
  }
  return first ? args[*first]->array()->device() : gpu_device();
}

void AxesOfLoop::merge() {
  std::vector<Axis> merged;
  for (Axis& axis : axes) {
    if (axis.length == 1) continue;
    bool joins = !merged.empty();
    for (std::size_t k = 0; joins && k < axis.strides.size(); ++k)
      joins = merged.back().strides[k] == axis.strides[k] * axis.length;
    if (!joins) {
      merged.push_back(std::move(axis));
      continue;
    }
    merged.back().length *= axis.length;
    merged.back().strides = std::move(axis.strides);
  }
  axes = std::move(merged);
}
int64_t AxesOfLoop::size() const { return shape().product(); }
Shape AxesOfLoop::shape() const {
  Shape s;
  for (const Axis& axis : axes) s.push_back(axis.length);
  return s;
}
Dims AxesOfLoop::strides(std::size_t k, int64_t item) const {
  Dims s;
  for (const Axis& axis : axes) s.push_back(axis.strides[k] * item);
  return s;
}

bool reads_index(std::string_view text) {
  return text.find("_ind.get") != text.npos || text.find("_ind.shape") != text.npos;
}

Strides broadcast_strides(const Array& a, const Shape& shape) {
  Strides s = Dims::filled(shape.ndim(), 0);
  const Strides own = a.strides();
  for (int d = a.ndim() - 1, to = shape.ndim() - 1; d >= 0; --d, --to)
    if (a.shape()[d] != 1) s[to] = own[d];
  return s;
}

template <class T>
void Launcher::put(T v) {
  std::vector<char>& args = launch_.args;
  args.resize((args.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
  args.insert(args.end(), reinterpret_cast<const char*>(&v), reinterpret_cast<const char*>(&v) + sizeof(T));
}
void Launcher::put_number(Scalar value, NumberType type) {
  visit(dtype_of(type), "a kernel", [&]<class T>() { put(value.to<T>()); });
}
void Launcher::put_address(const void* data) {
  put(data);
  launch_.addresses.push_back(launch_.args.size() - sizeof data);
}
void Launcher::declare(const std::string& type, const std::string& name) {
  declarations_ += (declarations_.empty() ? "" : ", ") + type + " " + name;
}

void Launcher::add_number(const std::string& name, Scalar value, NumberType type) {
  declare("const " + std::string(cpp_name(type)), name);
  put_number(value, type);
}
bool Launcher::add_array(const std::string& name, const void* data, NumberType type, int64_t size, const Dims& shape,
                         const Dims& strides) {
  bool dense = true;
  int64_t expected = size_of(type);
  for (int d = shape.ndim() - 1; d >= 0; expected *= shape[d--])
    dense = dense && (shape[d] == 1 || strides[d] == expected);
  declare(text("const CArray<", cpp_name(type), ", ", shape.ndim(), ", ", dense, ">"), name);
  put_address(data);
  put(size);
  for (int d = 0; d < std::max(shape.ndim(), 1); ++d) put(shape.ndim() ? shape[d] : int64_t(1));
  for (int d = 0; d < std::max(shape.ndim(), 1); ++d) put(shape.ndim() ? strides[d] : int64_t(0));
  return dense;
}
void Launcher::add_values(const std::string& name, const void* data, int64_t size) {
  declare("const CArray<_type_reduce, 1, true>", name);
  put_address(data);
  for (const int64_t v : {size, size, int64_t(0)}) put(v);  // elements, length of the axis, a stride that is not read
}
void Launcher::add_indexer(const std::string& name, const AxesOfLoop& loop) {
  const Shape shape = loop.shape();
  declare(text("CIndexer<", shape.ndim(), ">"), name);
  put(loop.size());
  for (int d = 0; d < std::max(shape.ndim(), 1); ++d) put(shape.ndim() ? shape[d] : int64_t(1));
  for (int d = 0; d < std::max(shape.ndim(), 1); ++d) put(int64_t(0));
}
void Launcher::add_argument(const KernelArgument& arg) {
  if (const Array* a = arg.array())
    put_address(address_of(*a, is_writable(*a)));
  else
    put_number(arg.number(), arg.type());
}

void Launcher::launch(std::shared_ptr<const KernelText> kernel, const Device& device, std::array<uint32_t, 3> grid,
                      std::array<uint32_t, 3> block, std::size_t shared_bytes) {
  if (launch_.args.size() > kMostBytes)
    throw ValueError("kernel '", kernel->name, "': its parameters have ", launch_.args.size(),
                     " bytes; a launch takes at most ", kMostBytes);
  launch_.kernel = std::move(kernel);
  launch_.index = device.index();
  launch_.grid = grid, launch_.block = block, launch_.shared_bytes = shared_bytes;
  device.backend().launch_text(launch_);
}

const void* address_of(const Array& a, bool written) {
  Array handle = a;
  return written ? handle.mutable_raw() : handle.raw();
}

}  // namespace chainer::backends::cuda
