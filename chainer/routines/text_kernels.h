// SPDX-License-Identifier: MIT
// Kernels of CUDA devices written as text, compiled at their first call (manual: "Write an elementwise kernel
// function", chainer.backends.cuda). The text is CUDA C++; routines/kernel.h has formulas in C++ for every device.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "chainer/array/array.h"

namespace chainer {
struct KernelText;
}

namespace chainer::backends::cuda {

/// The type of a number in a kernel: the dtypes, and unsigned integers, whose arrays are the signed ones of equal size.
enum class NumberType : uint8_t {
  bool_,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  float32,
  float64,
  bfloat16
};
std::string_view name(NumberType type);

namespace detail {
template <class T>
constexpr NumberType number_type() {
  if constexpr (std::is_same_v<T, bool>) return NumberType::bool_;
  if constexpr (std::is_integral_v<T>) {
    constexpr int k = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<NumberType>(static_cast<int>(std::is_signed_v<T> ? NumberType::int8 : NumberType::uint8) + k);
  }
  if constexpr (std::is_same_v<T, Float16>) return NumberType::float16;
  if constexpr (std::is_same_v<T, BFloat16>) return NumberType::bfloat16;
  return sizeof(T) == 4 ? NumberType::float32 : NumberType::float64;
}
}  // namespace detail

/// An argument of a kernel: an array, or a number. A raw kernel takes a number in its own type, others convert it to
/// the type of the parameter.
class KernelArgument {
 public:
  KernelArgument(const Array& array) : array_(array) {}
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
      KernelArgument(T number)
      : number_(number), type_(detail::number_type<T>()) {}
  KernelArgument(Scalar number, NumberType type) : number_(number), type_(type) {}
  /// Returns nullptr for a number.
  const Array* array() const { return array_ ? &array_ : nullptr; }
  Scalar number() const { return number_; }
  NumberType type() const { return type_; }

 private:
  Array array_;
  Scalar number_{0};
  NumberType type_ = NumberType::int64;
};

/// The results of a kernel, which also convert to the only one.
struct KernelOutputs : Arrays {
  using Arrays::Arrays;
  /// Throws ValueError if there is not exactly one.
  operator Array() const;
};

/// Options of elementwise().
struct ElementwiseOptions {
  std::string preamble = {};              ///< text before the kernel: functions, types
  std::string loop_prep = {};             ///< statements of each thread before its loop
  std::string after_loop = {};            ///< statements of each thread after its loop
  std::vector<std::string> options = {};  ///< of the compiler: "-DN=3"
  bool reduce_dims = true;  ///< joins axes that are one axis in all arrays, unless the text reads an index
};
/// Options of one call.
struct ElementwiseCall {
  std::optional<int64_t> size = {};  ///< of the loop, if all arrays are raw
  int block_size = 128;              ///< threads of a block, 1 to 1024
};

/// A kernel of elementwise(). Copies share it; calls from several threads are allowed.
class ElementwiseKernel {
 public:
  ElementwiseKernel(std::string_view in_params, std::string_view out_params, std::string_view operation,
                    std::string_view name, const ElementwiseOptions& o = {});
  const std::string& name() const;
  /// Takes the input arguments, and then the output arrays or none; returns the outputs.
  template <class... A>
  KernelOutputs operator()(const A&... args) const {
    return call({KernelArgument(args)...});
  }
  KernelOutputs call(const std::vector<KernelArgument>& args, const ElementwiseCall& o = {}) const;

  struct Definition;

 private:
  std::shared_ptr<Definition> definition_;
};

/// Defines a kernel that runs `operation` for each element. Parameters are a comma-separated list of "type name", as
/// "T x, float32 y, raw int64 table". A type is a dtype, or one letter that stands for the dtype of the arrays given
/// for it. In the operation the name is an element, of the arrays' broadcast, or the number that was given instead of
/// an array; `raw` parameters are whole arrays that are not broadcast: table[k] is the element at position k in C
/// order. `i` is the position of the element, `_ind.size()` their number, `_ind.get()` the index for each axis. New
/// arrays are made for outputs that are not given. Throws ValueError for wrong lists. A call throws TypeError for an
/// argument of another dtype, DimensionError for shapes that do not fit, ValueError for a wrong number of arguments or
/// an unknown loop size, DeviceError for arrays on the host or on two devices and without a compiler, RuntimeError
/// with the compiler's messages for a wrong text.
///   const auto mul_add = backends::cuda::elementwise("T x, T y, T z", "T w", "w = x * y + z", "mul_add");
///   for (const Device& d : gpu_devices()) {
///     const Array x = ones({2, 3}).to_device(d);
///     const Array w = mul_add(x, 2, x);
///   }
inline ElementwiseKernel elementwise(std::string_view in_params, std::string_view out_params,
                                     std::string_view operation, std::string_view name,
                                     const ElementwiseOptions& o = {}) {
  return ElementwiseKernel(in_params, out_params, operation, name, o);
}

/// Options of reduce().
struct ReductionOptions {
  std::string preamble = {};              ///< text before the kernel: functions, types
  std::string reduce_type = {};           ///< of the values that are combined; by default the first output's
  std::vector<std::string> options = {};  ///< of the compiler
  bool reduce_dims = true;                ///< as in ElementwiseOptions
};
/// Options of one call.
struct ReductionCall {
  Axes axis = {};  ///< all by default
  bool keepdims = false;
};

/// A kernel of reduce(). Copies share it; calls from several threads are allowed.
class ReductionKernel {
 public:
  ReductionKernel(std::string_view in_params, std::string_view out_params, std::string_view map_expr,
                  std::string_view reduce_expr, std::string_view post_map_expr, std::string_view identity,
                  std::string_view name, const ReductionOptions& o = {});
  const std::string& name() const;
  /// Takes the input arguments, and then the output arrays or none; returns the outputs, reduced over all axes.
  template <class... A>
  KernelOutputs operator()(const A&... args) const {
    return call({KernelArgument(args)...});
  }
  KernelOutputs call(const std::vector<KernelArgument>& args, const ReductionCall& o = {}) const;

  struct Definition;

 private:
  std::shared_ptr<Definition> definition_;
};

/// Defines a kernel that computes `map_expr` for each element, combines the values `a` and `b` by `reduce_expr`, which
/// must be associative and commutative, and runs the statements `post_map_expr` with the result `a`, which assign the
/// outputs. `identity` is the result for no elements; if it is empty, no elements are a ValueError. Parameters are
/// those of elementwise(). In expressions `_j` is the position of the element in C order after the reduced axes were
/// moved to the front, `_i` the position of the output. The order of combinations depends only on the shape. Throws as
/// elementwise(), and IndexError for an axis out of range.
///   const auto norm = backends::cuda::reduce("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm");
///   for (const Device& d : gpu_devices()) {
///     const Array rows = norm.call({ones({2, 3}).to_device(d)}, {.axis = 1});
///   }
inline ReductionKernel reduce(std::string_view in_params, std::string_view out_params, std::string_view map_expr,
                              std::string_view reduce_expr, std::string_view post_map_expr, std::string_view identity,
                              std::string_view name, const ReductionOptions& o = {}) {
  return ReductionKernel(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name, o);
}

/// The numbers of blocks and threads of a raw kernel, along up to three axes, and its shared memory in bytes.
struct RawLaunch {
  Dims grid, block;
  int64_t shared_memory = 0;
};

/// A kernel of raw(). Copies share it; calls from several threads are allowed.
class RawKernel {
 public:
  RawKernel(std::string_view code, std::string_view name, const std::vector<std::string>& options = {});
  const std::string& name() const;
  template <class... A>
  void operator()(const RawLaunch& launch, const A&... args) const {
    call(launch, {KernelArgument(args)...});
  }
  void call(const RawLaunch& launch, const std::vector<KernelArgument>& args) const;

 private:
  std::shared_ptr<const KernelText> text_;
};

/// Returns the function `name` of a source in CUDA C++ that defines it as extern "C" __global__. A call launches it
/// with the addresses of arrays, whose strides and dtypes are not checked, and with numbers in their own types. The
/// kernel may write to all arrays that are not read-only. Runs on the arrays' device, or without one on the current
/// device. Throws ValueError for wrong sizes; other errors as elementwise().
///   const char* const code = R"(extern "C" __global__ void fill(float* x, float v) { x[threadIdx.x] = v; })";
///   const auto fill_with = backends::cuda::raw(code, "fill");
///   for (const Device& d : gpu_devices()) fill_with({.grid = {1}, .block = {64}}, zeros({64}).to_device(d), 1.f);
inline RawKernel raw(std::string_view code, std::string_view name, const std::vector<std::string>& options = {}) {
  return RawKernel(code, name, options);
}

}  // namespace chainer::backends::cuda
