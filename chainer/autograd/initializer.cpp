// SPDX-License-Identifier: MIT
#include "chainer/autograd/initializer.h"

#include "chainer/array/backend.h"
#include "chainer/autograd/config.h"
#include "chainer/routines/manipulation.h"

namespace chainer {
namespace {

struct FillNumber : Initializer {
  explicit FillNumber(Scalar v) : value(v) {}
  void operator()(Array& a) const override { a.fill(value); }
  Scalar value;
};
struct FillArray : Initializer {
  explicit FillArray(Array v) : value(std::move(v)) {}
  void operator()(Array& a) const override { copy_initial_value(value, a); }
  Array value;
};
struct FillCall : Initializer {
  explicit FillCall(std::function<void(Array&)> f) : fill(std::move(f)) {}
  void operator()(Array& a) const override { fill(a); }
  std::function<void(Array&)> fill;
};

}  // namespace

void Initializer::check_dtype(const Array& a) const {
  if (dtype_ && a.dtype() != *dtype_)
    throw TypeError("an initializer of dtype ", *dtype_, " was given an array of ", a.dtype());
}

void copy_initial_value(const Array& value, Array& to) {
  const Shape &from = value.shape(), &shape = to.shape();
  const int more = shape.ndim() - from.ndim();
  bool fits = more >= 0;
  for (int i = 0; fits && i < from.ndim(); ++i) fits = from[i] == 1 || from[i] == shape[i + more];
  if (!fits) throw DimensionError("an initial value of shape ", from, " does not fit an array of shape ", shape);
  copy_elements(broadcast_to(value, shape), to);
}

InitializerArg::InitializerArg(Scalar value) : initializer_(std::make_shared<FillNumber>(value)) {}
InitializerArg::InitializerArg(const Array& value) : initializer_(std::make_shared<FillArray>(value)), array_(value) {}
InitializerArg::InitializerArg(std::function<void(Array&)> fill)
    : initializer_(std::make_shared<FillCall>(std::move(fill))) {}

Array generate_array(const InitializerArg& initializer, const Shape& shape, std::optional<Dtype> dtype, Device device) {
  if (!initializer) throw TypeError("generate_array: the initializer is none");
  const std::optional<Dtype> own = initializer.get()->dtype();
  if (own && dtype && *own != *dtype)
    throw ValueError("generate_array: dtype is ", *dtype, ", but the initializer has ", *own);
  for (const int64_t n : shape)
    if (n < 0)
      throw DimensionError("an array of shape ", shape, " cannot be initialized: lengths must not be negative");
  Array a(shape, dtype ? *dtype : own ? *own : get_dtype(), device);
  (*initializer.get())(a);
  return a;
}

}  // namespace chainer
