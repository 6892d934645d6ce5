// L: activation functions with parameters (manual: "Activation/loss/normalization functions with parameters").
#pragma once
#include "chainer/links/connection.h"

namespace chainer {
namespace links {

/// F::maxout over pools of pool_size outputs of a Linear, its child `linear`.
class Maxout : public Chain {
 public:
  Maxout(std::optional<int64_t> in_size, int64_t out_size, int64_t pool_size, const LinearOptions& options = {});
  Variable forward(const Variable& x);
  Linear linear;
  CHAINER_DECLARE_MEMBERS(Maxout);

 private:
  int64_t pool_size_;
};

/// F::prelu with its slopes W, of one value for all by default.
class PReLU : public Link {
 public:
  explicit PReLU(const Shape& shape = {}, const InitializerArg& init = 0.25);
  Variable forward(const Variable& x);
  chainer::Parameter W;
  CHAINER_DECLARE_MEMBERS(PReLU);
};

/// F::swish with its parameter beta; without a shape it takes that of the first input's items.
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
