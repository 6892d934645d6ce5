// SPDX-License-Identifier: MIT
#include "chainer/functions/normalization/key_order.h"

#include <algorithm>

#include "chainer/array/backend.h"

namespace chainer::functions {

KeyOrder::KeyOrder(const Array& x, const Dims& averaged) : shape_(x.shape()), order_(averaged) {
  Dims keys;
  for (int d = 0; d < x.ndim(); ++d) {
    const bool key = std::find(averaged.begin(), averaged.end(), d) == averaged.end();
    expanded_.push_back(key ? shape_[d] : 1);
    if (!key) continue;
    keys.push_back(d);
    key_shape_.push_back(shape_[d]);
  }
  for (int64_t d : keys) order_.push_back(d);
  const bool together = keys.empty() || keys.back() - keys[0] + 1 == keys.ndim();
  rows_ = !together || !x.is_contiguous() || x.transpose(order_).is_contiguous();
  for (int64_t d : averaged) (rows_ || keys.empty() || d < keys[0] ? outer_ : inner_) *= shape_[d];
}

Array KeyOrder::take(const Array& x, Dtype dtype) const {
  return dense(rows_ ? x.transpose(order_) : x, dtype).reshape({outer_, keys(), inner_});
}

Array KeyOrder::restore(const Array& elements) const {
  if (!rows_) return elements.reshape(shape_);
  Shape s;
  Dims inverse = order_;
  for (int i = 0; i < order_.ndim(); ++i) {
    s.push_back(shape_[order_[i]]);
    inverse[order_[i]] = i;
  }
  return elements.reshape(s).transpose(inverse);
}

}  // namespace chainer::functions
