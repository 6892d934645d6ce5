#include "chainer/backend/common/ops.h"

namespace chainer {
std::string_view name(Reduce op) {
  constexpr std::string_view kNames[] = {"sum", "prod", "max", "min"};
  return kNames[static_cast<int>(op)];
}

float cost(Elementwise op) {
  using enum Elementwise;
  switch (op) {
    case copy: return 0;
    case divide:
    case reciprocal:
    case sqrt:
    case rsqrt:
    case linear_interpolate:
    case sigmoid_grad:
    case tanh_grad: return 3;
    case floor_divide:
    case remainder:
    case fmod:
    case elu:
    case power:
    case arctan2: return 12;
    case lgamma:
    case ndtr: return 12;
    default:
      if (category(op) == Category::special) return 30;
      return category(op) != Category::floating || op == relu_grad || op == leaky_relu || op == prelu_grad ||
                     op == prelu_grad_slope
                 ? 1
                 : 8;
  }
}

Dtype conversion_type(Dtype f, Dtype t) {
  // Between floating dtypes of at most 32 bits through float32, between integers through int64.
  if (!is_floating(f) && !is_floating(t)) return Dtype::int64;
  if (is_floating(f) && is_floating(t) && f != Dtype::float64 && t != Dtype::float64) return Dtype::float32;
  if (!is_floating(f) && item_size(f) <= 2 && t != Dtype::float64) return Dtype::float32;
  return Dtype::float64;
}

}  // namespace chainer
