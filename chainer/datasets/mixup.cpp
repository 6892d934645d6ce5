// SPDX-License-Identifier: MIT
#include <cmath>
#include <numbers>

#include "chainer/datasets/datasets.h"
#include "chainer/datasets/example_random.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::datasets {
namespace {

using dataset::ExampleRandom;

double normal(ExampleRandom& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * std::numbers::pi * random.uniform());
}

// The logarithm of a random number from Gamma(alpha, 1), as the number itself underflows for a small alpha. By
// Marsaglia and Tsang (2000); for alpha below 1 from a number for alpha + 1.
double log_gamma_number(ExampleRandom& random, double alpha) {
  const double less = alpha < 1 ? std::log(1 - random.uniform()) / alpha : 0;
  const double d = (alpha < 1 ? alpha + 1 : alpha) - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal(random), root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(1 - random.uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return std::log(d * v) + less;
  }
}

double beta_number(ExampleRandom& random, double alpha) {
  const double a = log_gamma_number(random, alpha), b = log_gamma_number(random, alpha);
  return 1 / (1 + std::exp(b - a));
}

}  // namespace

MixupDataset::MixupDataset(AnyDataset dataset, int64_t n_classes, double alpha)
    : dataset_(std::move(dataset)), n_classes_(n_classes), alpha_(alpha) {
  if (n_classes < 1) throw ValueError("MixupDataset: n_classes must be positive, not ", n_classes);
  if (!(alpha >= 0) || !std::isfinite(alpha)) throw ValueError("MixupDataset: alpha must be 0 or more, not ", alpha);
}

Example MixupDataset::get(int64_t i) const {
  const auto label_of = [&](const Example& e, int64_t index) {
    if (e.size() != 2)
      throw ValueError("MixupDataset: examples of an input and a label are expected, but example ", index, " has ",
                       e.size(), " entries");
    const int64_t t = e[1].item<int64_t>();
    if (t < 0 || t >= n_classes_)
      throw IndexError("MixupDataset: label ", t, " of example ", index, " is out of range for ", n_classes_,
                       " classes");
    return t;
  };
  ExampleRandom& random = dataset::example_random();
  const Example one = dataset_[i];
  Array target = zeros({n_classes_});
  float* const weights = target.mutable_data<float>();
  if (alpha_ == 0) {
    weights[label_of(one, i)] = 1;
    return {one[0], target};
  }
  const int64_t j = random.below(dataset_.size());
  const double l = beta_number(random, alpha_);
  const Example other = dataset_[j];
  if (other[0].shape() != one[0].shape())
    throw ValueError("MixupDataset: examples ", i, " and ", j, " have inputs of shapes ", one[0].shape(), " and ",
                     other[0].shape());
  weights[label_of(one, i)] += static_cast<float>(l);
  weights[label_of(other, j)] += static_cast<float>(1 - l);
  const Dtype dtype = is_floating(one[0].dtype()) ? one[0].dtype() : float32;
  return {(one[0] * l + other[0] * (1 - l)).astype(dtype, false), target};
}

}  // namespace chainer::datasets
