// SPDX-License-Identifier: MIT
#include "chainer/serializers/assign.h"

#include <cmath>

#include "chainer/array/backend.h"

namespace chainer::serializers {

std::string stripped(std::string_view key) {
  while (!key.empty() && key.front() == '/') key.remove_prefix(1);
  while (!key.empty() && key.back() == '/') key.remove_suffix(1);
  return std::string(key);
}

bool same_kind(Dtype from, Dtype to) {
  return is_floating(to) || (!is_floating(from) && (to != Dtype::bool_ || from == Dtype::bool_));
}

void check_shape(const Shape& stored, const Array& value, const std::string& what) {
  if (value && stored != value.shape())
    throw ValueError(what, ": shape ", stored, " does not fit the target's ", value.shape());
}
void check_one_value(const Shape& stored, const std::string& what) {
  if (stored.product() != 1) throw ValueError(what, ": expected one value, got shape ", stored);
}

void assign(const Array& stored, Array& value, const std::string& what) {
  if (!value) {
    value = stored;
    return;
  }
  check_shape(stored.shape(), value, what);
  if (!same_kind(stored.dtype(), value.dtype()))
    throw TypeError(what, ": ", stored.dtype(), " cannot be loaded into ", value.dtype());
  copy_elements(stored, value);
}

Scalar one_value(const Array& stored, const std::string& what) {
  check_one_value(stored.shape(), what);
  return stored.scalar();
}

int64_t whole_value(const Array& stored, const std::string& what) {
  const Scalar one = one_value(stored, what);
  if (is_floating(stored.dtype())) {
    const double v = one.to_double();
    if (!(std::abs(v) < 0x1p63) || v != std::trunc(v)) throw ValueError(what, ": ", v, " is not a 64-bit integer");
  }
  return one.to_int();
}

}  // namespace chainer::serializers
