// SPDX-License-Identifier: MIT
// Shared by the tests of evaluation: compares results bit for bit, deferred and eager.
#pragma once
#include <chainer/array/deferred/deferred.h>
#include <chainer/chainer.h>

#include <cstring>

/// Returns true if the computation of a is deferred.
inline bool waits(const chainer::Array& a) { return a.body().pending.load() != nullptr; }
inline bool same_bits(const chainer::Array& a, const chainer::Array& b) {
  const chainer::Array x = a.contiguous(), y = b.contiguous();
  return x.shape() == y.shape() && x.dtype() == y.dtype() &&
         std::memcmp(x.raw(), y.raw(), static_cast<std::size_t>(x.nbytes())) == 0;
}
/// Returns the result of f with eager evaluation.
template <class F>
auto eagerly(F f) {
  const chainer::deferred::EagerMode eager;
  return f();
}
