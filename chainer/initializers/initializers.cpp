#include "chainer/initializers/initializers.h"

#include <cmath>
#include <limits>

#include "chainer/array/backend.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/linalg.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/random.h"

namespace chainer::initializers {

std::pair<int64_t, int64_t> get_fans(const Shape& shape) {
  if (shape.ndim() < 2) throw ValueError("the fan of a shape needs at least two axes; this one is ", shape);
  const int64_t rest = Dims(shape.begin() + 2, shape.end()).product();
  return {shape[1] * rest, shape[0] * rest};
}

void Identity::operator()(Array& a) const {
  check_dtype(a);
  if (a.ndim() != 2 || a.shape()[0] != a.shape()[1])
    throw ValueError("Identity: a square matrix is needed, not shape ", a.shape());
  copy_elements(eye(a.shape()[0], {}, 0, float64) * scale_, a);
}

Constant::Constant(Scalar fill_value, std::optional<Dtype> dtype)
    : Initializer(dtype), value_(full({}, fill_value, float64)) {}
void Constant::operator()(Array& a) const {
  check_dtype(a);
  copy_elements(broadcast_to(value_, a.shape()), a);
}
NaN::NaN(std::optional<Dtype> dtype) : Constant(std::numeric_limits<double>::quiet_NaN(), dtype) {}

void Normal::operator()(Array& a) const {
  check_dtype(a);
  copy_elements(random::normal(0, scale_, a.shape()), a);
}
void Uniform::operator()(Array& a) const {
  check_dtype(a);
  copy_elements(random::uniform(-scale_, scale_, a.shape()), a);
}
void FanScaled::operator()(Array& a) const {
  const auto [in, out] = get_fans(a.shape());
  const double fan = static_cast<double>(fan_ == Fan::in ? in : fan_ == Fan::out ? out : in + out);
  const double width = scale_ * std::sqrt(factor_ / fan);
  check_dtype(a);
  if (normal_)
    Normal{width}(a);
  else
    Uniform{width}(a);
}

void Orthogonal::operator()(Array& a) const {
  check_dtype(a);
  if (a.ndim() == 0) return a.fill(scale_);
  if (a.size() == 0) throw ValueError("Orthogonal: an array without elements, of shape ", a.shape());
  const int64_t rows = a.shape()[0], columns = a.size() / rows;
  if (rows > columns) throw ValueError("Orthogonal: ", rows, " rows of ", columns, " elements cannot be orthogonal");
  const Svd d = svd(random::normal(0, 1, {rows, columns}));
  // u is square here, vt has the shape of the weight.
  copy_elements((rows == columns ? d.u : d.vt).reshape(a.shape()) * scale_, a);
}

}  // namespace chainer::initializers
