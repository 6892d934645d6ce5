// SPDX-License-Identifier: MIT
#include <cmath>

#include "chainer/functions/evaluation/metrics.h"
#include "chainer/functions/evaluation/scores.h"

namespace chainer::functions {
namespace {

using Plane = std::vector<double>;

// The weights of the window along one axis; they sum to 1.
Plane window(const SsimOptions& o) {
  if (!o.gaussian_weights) {
    if (o.win_size < 1 || o.win_size % 2 == 0)
      throw ValueError("ssim: win_size must be odd and positive, not ", o.win_size);
    return Plane(static_cast<std::size_t>(o.win_size), 1 / static_cast<double>(o.win_size));
  }
  if (!(o.sigma > 0 && o.sigma < 1e6)) throw ValueError("ssim: sigma must be positive, not ", o.sigma);
  const auto radius = static_cast<int64_t>(3.5 * o.sigma + 0.5);
  Plane out;
  double sum = 0;
  for (int64_t i = -radius; i <= radius; ++i) {
    out.push_back(std::exp(-0.5 * static_cast<double>(i * i) / (o.sigma * o.sigma)));
    sum += out.back();
  }
  for (double& v : out) v /= sum;
  return out;
}

// Weighted means over all windows inside a plane of h x w, by columns and then by rows.
Plane filtered(const Plane& in, std::size_t h, std::size_t w, const Plane& weights) {
  const std::size_t n = weights.size(), rows = h - n + 1, columns = w - n + 1;
  Plane down(rows * w), out(rows * columns);
  for (std::size_t y = 0; y < rows; ++y)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t x = 0; x < w; ++x) down[y * w + x] += weights[k] * in[(y + k) * w + x];
  for (std::size_t y = 0; y < rows; ++y)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t x = 0; x < columns; ++x) out[y * columns + x] += weights[k] * down[y * w + x + k];
  return out;
}

Plane product(const Plane& a, const Plane& b) {
  Plane out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] * b[i];
  return out;
}

}  // namespace

Variable Ssim::operator()(const Variable& x, const Variable& y, const SsimOptions& o) const {
  type_check::check("ssim", {x.array(), y.array()}, [](const type_check::TypeInfos& in) {
    in.names({"x", "y"});
    type_check::expect(in[0].ndim() >= 2, in[0].shape() == in[1].shape());
  });
  if (!(o.data_range > 0)) throw ValueError("ssim: data_range must be positive, not ", o.data_range);
  const Plane weights = window(o);
  const Shape& shape = x.array().shape();
  const auto h = static_cast<std::size_t>(shape[shape.size() - 2]), w = static_cast<std::size_t>(shape.back());
  if (h < weights.size() || w < weights.size() || x.array().size() == 0)
    throw DimensionError("ssim: images of ", h, " x ", w, " pixels in an array of shape ", shape,
                         " do not contain a window of ", weights.size(), " x ", weights.size());
  const Plane a = x.array().to_vector<double>(), b = y.array().to_vector<double>();
  // The sample covariance divides by the number of pixels minus one even if weighted, as in scikit-image.
  const auto n = static_cast<double>(weights.size() * weights.size());
  const double norm = o.use_sample_covariance ? n / (n - 1) : 1;
  const double c1 = std::pow(o.K1 * o.data_range, 2), c2 = std::pow(o.K2 * o.data_range, 2);
  double sum = 0;
  std::size_t windows = 0;
  for (std::size_t at = 0; at < a.size(); at += h * w) {
    const auto plane = [&](const Plane& all) {
      return Plane(all.begin() + static_cast<std::ptrdiff_t>(at),
                   all.begin() + static_cast<std::ptrdiff_t>(at + h * w));
    };
    const Plane p = plane(a), q = plane(b);
    const Plane mean_p = filtered(p, h, w, weights), mean_q = filtered(q, h, w, weights),
                pp = filtered(product(p, p), h, w, weights), qq = filtered(product(q, q), h, w, weights),
                pq = filtered(product(p, q), h, w, weights);
    for (std::size_t i = 0; i < pp.size(); ++i) {
      const double u = mean_p[i], v = mean_q[i];
      const double var_p = norm * (pp[i] - u * u), var_q = norm * (qq[i] - v * v), cov = norm * (pq[i] - u * v);
      sum += (2 * u * v + c1) * (2 * cov + c2) / ((u * u + v * v + c1) * (var_p + var_q + c2));
    }
    windows += pp.size();
  }
  return detail::result(sum / static_cast<double>(windows), y);
}

}  // namespace chainer::functions
