#include "chainer/serializers/assign.h"

#include "chainer/array/backend.h"

namespace chainer::serializers {

void assign(const Array& stored, Array& value, const std::string& what) {
  if (!value) {
    value = stored;
    return;
  }
  if (stored.shape() != value.shape())
    throw ValueError(what, ": shape ", stored.shape(), " does not fit the target's ", value.shape());
  const bool same_kind =
      is_floating(value.dtype()) ||
      (!is_floating(stored.dtype()) && (value.dtype() != Dtype::bool_ || stored.dtype() == Dtype::bool_));
  if (!same_kind) throw TypeError(what, ": ", stored.dtype(), " cannot be loaded into ", value.dtype());
  copy_elements(stored, value);
}

Scalar one_value(const Array& stored, const std::string& what) {
  if (stored.size() != 1) throw ValueError(what, ": one value was expected, not shape ", stored.shape());
  return stored.scalar();
}

}  // namespace chainer::serializers
