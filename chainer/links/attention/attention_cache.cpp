// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "chainer/array/backend.h"
#include "chainer/array/index.h"
#include "chainer/links/attention.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::links {
namespace {

// The shape of `x` with another number of positions.
Shape with_length(const Array& x, int64_t length) {
  Shape s = x.shape();
  s[2] = length;
  return s;
}

}  // namespace

AttentionCache::AttentionCache(const AttentionCache& o)
    : k_(o.k_ ? o.k_.copy() : Array()), v_(o.v_ ? o.v_.copy() : Array()), length_(o.length_) {}

AttentionCache& AttentionCache::operator=(AttentionCache o) noexcept {
  std::swap(k_, o.k_);
  std::swap(v_, o.v_);
  std::swap(length_, o.length_);
  return *this;
}

void AttentionCache::append(const Variable& k, const Variable& v) {
  const Array new_k = k.array(), new_v = v.array();
  if (new_k.ndim() != 4 || new_v.ndim() != 4)
    throw DimensionError("AttentionCache: keys and values must have four axes, not the shapes ", new_k.shape(), " and ",
                         new_v.shape());
  if (new_k.shape(2) != new_v.shape(2) || new_k.shape(0) != new_v.shape(0) || new_k.shape(1) != new_v.shape(1))
    throw DimensionError("AttentionCache: keys and values of shapes ", new_k.shape(), " and ", new_v.shape(),
                         " have different examples, heads or positions");
  if (k_ && (new_k.dtype() != k_.dtype() || new_v.dtype() != v_.dtype()))
    throw TypeError("AttentionCache: expected keys and values of ", k_.dtype(), " and ", v_.dtype(), ", got ",
                    new_k.dtype(), " and ", new_v.dtype());
  const int64_t length = length_ + new_k.shape(2), capacity = k_ ? k_.shape(2) : 0;
  if (k_ && (with_length(new_k, capacity) != k_.shape() || with_length(new_v, capacity) != v_.shape()))
    throw DimensionError("AttentionCache: keys and values of shapes ", new_k.shape(), " and ", new_v.shape(),
                         " do not continue those of ", keys().shape(), " and ", values().shape());
  if (!k_ || length > capacity) {  // by half more, so that a long sequence is copied a few times only
    const int64_t room = std::max(length, capacity + capacity / 2);
    Array larger_k = zeros(with_length(new_k, room), new_k.dtype(), new_k.device());
    Array larger_v = zeros(with_length(new_v, room), new_v.dtype(), new_v.device());
    if (length_) {
      larger_k.set({Slice(), Slice(), Slice(0, length_)}, keys().array());
      larger_v.set({Slice(), Slice(), Slice(0, length_)}, values().array());
    }
    k_ = larger_k, v_ = larger_v;
  }
  k_.set({Slice(), Slice(), Slice(length_, length)}, new_k);
  v_.set({Slice(), Slice(), Slice(length_, length)}, new_v);
  length_ = length;
}

Variable AttentionCache::keys() const { return Variable(k_[{Slice(), Slice(), Slice(0, length_)}], false); }
Variable AttentionCache::values() const { return Variable(v_[{Slice(), Slice(), Slice(0, length_)}], false); }

void AttentionCache::truncate(int64_t length) {
  if (length < 0 || length > length_)
    throw ValueError("AttentionCache: a length of ", length, " is not in 0 ... ", length_);
  length_ = length;
  if (length == 0) reset();
}

void AttentionCache::select(const Array& examples) {
  if (!k_) return;
  k_ = take(k_, examples, 0);
  v_ = take(v_, examples, 0);
}

}  // namespace chainer::links
