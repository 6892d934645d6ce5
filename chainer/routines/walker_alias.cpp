// SPDX-License-Identifier: MIT
#include "chainer/routines/walker_alias.h"

#include <algorithm>
#include <cmath>

namespace chainer::utils {

WalkerAlias::WalkerAlias(const std::vector<double>& probs) : threshold_(probs.size()), values_(2 * probs.size(), 0) {
  std::vector<float> p(probs.begin(), probs.end());
  for (std::size_t i = 0; i < p.size(); ++i)
    if (!(p[i] >= 0 && std::isfinite(p[i])))
      throw ValueError("WalkerAlias: probability ", p[i], " at position ", i, " is negative or not finite");
  double total = 0;
  for (float v : p) total += v;
  if (!(total > 0))
    throw ValueError("WalkerAlias: the sum of ", p.size(), " probabilities must be above 0, not ", total);
  std::vector<std::pair<float, int32_t>> sorted;
  for (std::size_t i = 0; i < p.size(); ++i)
    sorted.emplace_back(p[i] / static_cast<float>(total), static_cast<int32_t>(i));
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(p.size());
  std::size_t lower = 0, filled = 0;  // entries from `lower` to `filled` have no second value yet
  for (const auto& [share, i] : sorted) {
    double left = share * n;  // scalars are doubles in the original, too
    while (left > 1 && lower < filled) {
      values_[2 * lower + 1] = i;
      left -= 1.0 - threshold_[lower];
      ++lower;
    }
    threshold_[filled] = static_cast<float>(left);
    values_[2 * filled] = i;
    ++filled;
  }
}

Array WalkerAlias::sample(const Shape& shape) const {
  const Array draws = random::uniform(0, 1, shape);
  Array out(shape, int32);
  const double* u = draws.data<double>();
  int32_t* o = out.mutable_data<int32_t>();
  const auto n = static_cast<double>(threshold_.size());
  for (int64_t i = 0; i < out.size(); ++i) {
    const double at = u[i] * n;
    const auto index = static_cast<std::size_t>(at);
    const bool above = threshold_[index] < at - static_cast<double>(index);
    o[i] = values_[2 * index + above];
  }
  return out;
}

}  // namespace chainer::utils
