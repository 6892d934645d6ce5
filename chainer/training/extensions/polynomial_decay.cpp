// SPDX-License-Identifier: MIT
#include <cmath>
#include <utility>

#include "chainer/training/extensions/decays.h"

namespace chainer::training::extensions {

PolynomialDecay::PolynomialDecay(std::string attr, int64_t max_count, const DecayOptions& o)
    : Shift(std::move(attr), o.optimizer), max_count_(max_count), options_(o) {
  check_decay("PolynomialDecay", max_count, o);
}
double PolynomialDecay::first(double current) {
  init_ = options_.init.value_or(current);
  return *value(0);
}
std::optional<double> PolynomialDecay::value(int64_t t) {
  return decayed(t, init_, max_count_, options_, [this](double p) { return std::pow(1 - p, options_.power); });
}

}  // namespace chainer::training::extensions
