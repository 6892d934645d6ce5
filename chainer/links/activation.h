// SPDX-License-Identifier: MIT
// L: activation functions with parameters (manual: "Activation/loss/normalization functions with parameters").
#pragma once
#include "chainer/links/connection.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace links {

/// Applies F::maxout to groups of pool_size outputs of the child `linear`, a Linear: x (N, in_size) to (N, out_size).
/// forward() throws as F::linear() and F::maxout() do.
class Maxout : public Chain {
 public:
  Maxout(std::optional<int64_t> in_size, int64_t out_size, int64_t pool_size, const LinearOptions& options = {});
  CHAINER_OTHER_OPTIONS(Maxout, ".nobias, .initialW, .initial_bias", std::optional<int64_t>, int64_t, int64_t);
  Variable forward(const Variable& x);
  Linear linear;
  CHAINER_DECLARE_MEMBERS(Maxout);

 private:
  int64_t pool_size_;
};

/// F::prelu with its slopes W; the default shape () is one slope for all elements. forward() throws InvalidType if the
/// shapes do not match.
class PReLU : public Link {
 public:
  explicit PReLU(const Shape& shape = {}, const InitializerArg& init = 0.25);
  Variable forward(const Variable& x);
  chainer::Parameter W;
  CHAINER_DECLARE_MEMBERS(PReLU);
};

/// F::swish with its parameter beta; without a shape, beta takes the shape of the items of the first input. forward()
/// throws InvalidType if the shapes do not match.
class Swish : public Link {
 public:
  explicit Swish(std::optional<Shape> beta_shape, const InitializerArg& beta_init = 1.0);
  Variable forward(const Variable& x);
  chainer::Parameter beta;
  CHAINER_DECLARE_MEMBERS(Swish);
};

}  // namespace links
namespace L = links;
}  // namespace chainer
