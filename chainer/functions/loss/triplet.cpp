// SPDX-License-Identifier: MIT
#include "chainer/autograd/function_node.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/loss/reduced.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {

Variable Triplet::operator()(const Variable& anchor, const Variable& positive, const Variable& negative,
                             const TripletOptions& o) const {
  if (are_narrow(anchor, positive, negative)) return (*this)(widened(anchor), widened(positive), widened(negative), o);
  type_check::check(
      "Triplet", {anchor.array(), positive.array(), negative.array()}, [](const type_check::TypeInfos& in) {
        in.names({"anchor", "positive", "negative"});
        using type_check::expect;
        expect(in[0].dtype().kind() == 'f', in[1].dtype() == in[0].dtype(), in[2].dtype() == in[0].dtype());
        expect(in[1].shape() == in[0].shape(), in[2].shape() == in[0].shape(), in[0].shape(0) > 0);
      });
  if (!(o.margin > 0)) throw ValueError("triplet: margin should be positive, not ", o.margin);
  // The difference of the squared distances as a product, which avoids subtracting large numbers.
  const Variable middle = (anchor - positive) * 0.5 + (anchor - negative) * 0.5;
  const Variable gap = sum((negative - positive) * middle * 2.0, 1) + o.margin;
  return reduced(relu(gap), o.reduce, name, {Reduction::mean, Reduction::no});
}

}  // namespace chainer::functions
