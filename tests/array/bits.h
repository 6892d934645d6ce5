// SPDX-License-Identifier: MIT
// What the tests of evaluation compare: results bit for bit, now and later.
#pragma once
#include <chainer/array/deferred/deferred.h>
#include <chainer/chainer.h>

#include <cstring>

/// Whether a is yet to be computed.
inline bool waits(const chainer::Array& a) { return a.body().pending.load() != nullptr; }
inline bool same_bits(const chainer::Array& a, const chainer::Array& b) {
  const chainer::Array x = a.contiguous(), y = b.contiguous();
  return x.shape() == y.shape() && x.dtype() == y.dtype() &&
         std::memcmp(x.raw(), y.raw(), static_cast<std::size_t>(x.nbytes())) == 0;
}
/// The result of f with everything computed at once.
template <class F>
auto eagerly(F f) {
  const chainer::deferred::EagerMode eager;
  return f();
}
