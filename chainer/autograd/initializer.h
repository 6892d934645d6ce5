// What fills a new array with initial values.
#pragma once
#include <concepts>
#include <functional>
#include <memory>
#include <optional>

#include "chainer/array/array.h"

namespace chainer {

/// Base of all initializers: called with an array, it fills the array in place.
class Initializer {
 public:
  explicit Initializer(std::optional<Dtype> dtype = {}) : dtype_(dtype) {}
  virtual ~Initializer() = default;
  virtual void operator()(Array& array) const = 0;
  /// If set, the dtype that arrays must have.
  std::optional<Dtype> dtype() const { return dtype_; }

 protected:
  void check_dtype(const Array& array) const;

 private:
  std::optional<Dtype> dtype_;
};

/// Anything that may stand where the manual says "initializer": an Initializer, a number, an array, a callable that
/// fills an array in place, or nothing (each place has its own default then).
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
  /// This one, or `otherwise` if nothing was given.
  InitializerArg value_or(InitializerArg otherwise) const { return initializer_ ? *this : otherwise; }
  /// The array that was given, or none.
  const Array& array() const { return array_; }

 private:
  std::shared_ptr<const Initializer> initializer_;
  Array array_;
};

/// A new array: of `dtype`, else of the initializer's dtype, else of the configured one; ValueError if both are given
/// and differ.
Array generate_array(const InitializerArg& initializer, const Shape& shape, std::optional<Dtype> dtype = {},
                     Device device = {});

}  // namespace chainer
