// SPDX-License-Identifier: MIT
#include <cmath>

#include "chainer/functions/evaluation/metrics.h"
#include "chainer/functions/evaluation/scores.h"

namespace chainer::functions {

Variable Psnr::operator()(const Variable& x, const Variable& y, double data_range) const {
  type_check::check("psnr", {x.array(), y.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "y"});
    type_check::expect(in[0].shape() == in[1].shape());
  });
  if (!(data_range > 0)) throw ValueError("psnr: data_range must be positive, not ", data_range);
  const std::vector<double> a = x.array().to_vector<double>(), b = y.array().to_vector<double>();
  if (a.empty()) throw DimensionError("psnr: images of shape ", x.array().shape(), " have no pixels");
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return detail::result(10 * std::log10(data_range * data_range * static_cast<double>(a.size()) / sum), y);
}

}  // namespace chainer::functions
