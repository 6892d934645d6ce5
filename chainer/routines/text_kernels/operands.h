// SPDX-License-Identifier: MIT
// The operands of kernels written as text: their layout, and the parameters of a launch.
#pragma once
#include <string>
#include <vector>

#include "chainer/array/operations/kernel_text.h"
#include "chainer/routines/text_kernels/parameters.h"

namespace chainer::backends::cuda {

/// Throws ValueError unless `name` can be the name of a function.
void expect_function_name(std::string_view name);
/// Returns pointers to the arguments, nullptr for outputs that were not given. Throws ValueError for another number of
/// arguments than the inputs, or the inputs and outputs; TypeError for a number in place of an output.
std::vector<const KernelArgument*> arguments_of(std::string_view kernel, const std::vector<Parameter>& parameters,
                                                const std::vector<KernelArgument>& args);
/// Returns the device of all arrays, the current one if there are none. Throws DeviceError naming two parameters for
/// arrays on the host or on two devices. Without parameters arguments are named by number.
Device device_of(std::string_view kernel, const std::vector<Parameter>& parameters,
                 std::span<const KernelArgument* const> args);

/// Axes that arrays share, with their strides in elements. merge() drops axes of length one and joins neighbours that
/// are one axis in every array; the order of elements stays.
struct Axis {
  int64_t length;
  std::vector<int64_t> strides;
};
struct AxesOfLoop {
  std::vector<Axis> axes;
  void merge();
  int64_t size() const;
  Shape shape() const;
  /// Returns the strides of array k in bytes.
  Dims strides(std::size_t k, int64_t item) const;
};
/// Returns true if a text reads the index of an element along each axis.
bool reads_index(std::string_view text);
/// Returns the strides with which an array is read as a larger shape: zero along broadcast axes.
Strides broadcast_strides(const Array& a, const Shape& shape);

/// The parameters of a launch, in order, and their declarations in the source.
class Launcher {
 public:
  /// Adds a number, converted to the type.
  void add_number(const std::string& name, Scalar value, NumberType type);
  /// Adds an array of CArray's layout. Returns true if its elements are consecutive.
  bool add_array(const std::string& name, const void* data, NumberType type, int64_t size, const Dims& shape,
                 const Dims& strides);
  /// Adds consecutive elements of the type that a reduction combines.
  void add_values(const std::string& name, const void* data, int64_t size);
  void add_indexer(const std::string& name, const AxesOfLoop& loop);
  /// Adds the address of an array, or a number in its own type, for a raw kernel.
  void add_argument(const KernelArgument& arg);
  /// Returns the list of parameters; equal lists belong to equal sources.
  const std::string& declarations() const { return declarations_; }
  /// Launches the kernel. Throws ValueError if the parameters have more than 4 KiB.
  void launch(std::shared_ptr<const KernelText> kernel, const Device& device, std::array<uint32_t, 3> grid,
              std::array<uint32_t, 3> block, std::size_t shared_bytes = 0);

 private:
  template <class T>
  void put(T v);
  void put_number(Scalar value, NumberType type);
  void put_address(const void* data);
  void declare(const std::string& type, const std::string& name);
  TextLaunch launch_;
  std::string declarations_;
};

/// Returns the address of an array's elements, for writing if `written`.
const void* address_of(const Array& a, bool written);

}  // namespace chainer::backends::cuda
