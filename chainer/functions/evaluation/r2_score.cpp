// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/evaluation.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/reduction.h"

namespace chainer::functions {

Variable R2Score::operator()(const Variable& pred, const Variable& truth, const std::string& multioutput) const {
  type_check::check("R2_score", {pred.array(), truth.array()}, [](const type_check::TypeInfos& in) {
    in.names({"pred", "true"});
    using type_check::expect;
    expect(in[0].dtype().kind() == 'f');
    expect(in[1].dtype().kind() == 'f', in[0].shape() == in[1].shape());
  });
  if (multioutput != "uniform_average" && multioutput != "raw_values")
    throw ValueError("r2_score: multioutput must be 'uniform_average' or 'raw_values', not '", multioutput, "'");
  // Sums of squares often overflow 16-bit dtypes.
  const auto wide = [](const Array& a) { return a.astype(item_size(a.dtype()) == 2 ? float32 : a.dtype(), false); };
  const Array p = wide(pred.array()), t = wide(truth.array());
  const Array residual = chainer::sum(chainer::square(p - t), 0),
              total = chainer::sum(chainer::square(t - chainer::mean(t, 0)), 0);
  // A constant output has no variance to explain, so its score is 0, even if rounding makes its deviations nonzero.
  const Array constant = equal(chainer::max(t, 0), chainer::min(t, 0));
  const Array score =
      chainer::where(constant, zeros_like(total), 1 - residual / chainer::where(constant, ones_like(total), total));
  const Array result = multioutput == "raw_values" ? score : chainer::mean(score);
  return result.astype(pred.dtype(), false);
}

}  // namespace chainer::functions
