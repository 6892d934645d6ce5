// SPDX-License-Identifier: MIT
// Initializers of arrays.
#pragma once
#include <concepts>
#include <functional>
#include <memory>
#include <optional>

#include "chainer/array/array.h"

namespace chainer {

/// Base class of all initializers. Calling an initializer fills an array in place.
class Initializer {
 public:
  explicit Initializer(std::optional<Dtype> dtype = {}) : dtype_(dtype) {}
  virtual ~Initializer() = default;
  virtual void operator()(Array& array) const = 0;
  /// Returns the dtype that arrays must have, if one is set.
  std::optional<Dtype> dtype() const { return dtype_; }

 protected:
  /// Throws TypeError if the array has another dtype than dtype().
  void check_dtype(const Array& array) const;

 private:
  std::optional<Dtype> dtype_;
};

/// An argument that the manual calls "initializer": an Initializer, a number, an array, a callable that fills an array
/// in place, or nothing (then the default of the callee applies).
class InitializerArg {
 public:
  InitializerArg() = default;
  InitializerArg(std::nullopt_t) {}
  template <std::derived_from<Initializer> I>
  InitializerArg(I initializer) : initializer_(std::make_shared<I>(std::move(initializer))) {}
  InitializerArg(std::shared_ptr<const Initializer> initializer) : initializer_(std::move(initializer)) {}
  template <class T>
  requires std::is_arithmetic_v<T> InitializerArg(T value) : InitializerArg(Scalar(value)) {}
  InitializerArg(Scalar value);
  InitializerArg(const Array& value);
  InitializerArg(std::function<void(Array&)> fill);

  explicit operator bool() const { return initializer_ != nullptr; }
  const std::shared_ptr<const Initializer>& get() const { return initializer_; }
  /// Returns this argument, or `otherwise` if nothing was given.
  InitializerArg value_or(InitializerArg otherwise) const { return initializer_ ? *this : otherwise; }
  /// Returns the array that was given, or an empty one.
  const Array& array() const { return array_; }

 private:
  std::shared_ptr<const Initializer> initializer_;
  Array array_;
};

/// Copies `value`, broadcast to the shape of `to`. Throws DimensionError, which names both shapes, if it does not fit.
void copy_initial_value(const Array& value, Array& to);

/// Returns a new array filled by the initializer, with `dtype`, else the initializer's dtype, else the configured
/// dtype. Throws ValueError if both dtypes are given and differ, TypeError without an initializer.
Array generate_array(const InitializerArg& initializer, const Shape& shape, std::optional<Dtype> dtype = {},
                     Device device = {});

}  // namespace chainer
