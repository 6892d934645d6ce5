// SPDX-License-Identifier: MIT
#include <algorithm>

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

void AttentionCache::append(const Variable& k, const Variable& v) {
  const Array new_k = k.array(), new_v = v.array();
  if (new_k.ndim() != 4 || new_v.ndim() != 4)
    throw DimensionError("AttentionCache: keys and values must have four axes, not the shapes ", new_k.shape(), " and ",
                         new_v.shape());
  const int64_t length = length_ + new_k.shape(2), capacity = k_ ? k_.shape(2) : 0;
  if (k_ && (with_length(new_k, capacity) != k_.shape() || with_length(new_v, capacity) != v_.shape()))
    throw DimensionError("AttentionCache: keys and values of shapes ", new_k.shape(), " and ", new_v.shape(),
                         " do not continue those of ", keys().shape(), " and ", values().shape());
  if (length > capacity) {  // by half more, so that a long sequence is copied a few times only
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

void AttentionCache::select(const Array& examples) {
  if (!k_) return;
  k_ = take(k_, examples, 0);
  v_ = take(v_, examples, 0);
}

}  // namespace chainer::links
