// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/functions/loss/reduced.h"
#include "chainer/functions/math.h"

namespace chainer::functions {

Variable reduced(const Variable& loss, Reduction reduce, std::string_view name,
                 std::initializer_list<Reduction> valid) {
  if (std::find(valid.begin(), valid.end(), reduce) == valid.end())
    throw ValueError(name, ": 'reduce' does not support this reduction");
  if (reduce == Reduction::no) return loss;
  return reduce == Reduction::sum ? sum(loss) : mean(loss);
}
void check_plain_reduction(Reduction reduce, std::string_view name) {
  if (reduce == Reduction::sum_along_second_axis)
    throw ValueError(name, ": 'reduce' must be mean, sum or no, not sum_along_second_axis");
}

}  // namespace chainer::functions
