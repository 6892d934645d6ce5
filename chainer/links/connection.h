// L: connections (manual: "Learnable connections").
#pragma once
#include <functional>

#include "chainer/functions/activation.h"
#include "chainer/links/members.h"

namespace chainer {
namespace links {

/// Options of Linear.
struct LinearOptions {
  bool nobias = false;
  InitializerArg initialW = {};      ///< LeCunNormal by default
  InitializerArg initial_bias = {};  ///< zero by default
};
/// y = x W^T + b, see F::linear. Parameters W (out_size, in_size) and b (out_size). With one size, or in_size nullopt,
/// the input size is found at the first call. The axes behind the first n_batch_axes are taken together: of x (batch,
/// time, features), linear(x, 2) works on each feature vector.
class Linear : public Link {
 public:
  explicit Linear(int64_t out_size, const LinearOptions& options = {}) : Linear(std::nullopt, out_size, options) {}
  Linear(std::optional<int64_t> in_size, int64_t out_size, const LinearOptions& options = {});
  Variable forward(const Variable& x, int64_t n_batch_axes = 1);
  chainer::Parameter W;
  std::optional<chainer::Parameter> b;  ///< absent with nobias
  int64_t out_size() const { return out_size_; }
  CHAINER_DECLARE_MEMBERS(Linear);

 private:
  int64_t out_size_;
};

/// Options of EmbedID.
struct EmbedIDOptions {
  InitializerArg initialW = {};  ///< N(0, 1) by default
  std::optional<int64_t> ignore_label = {};
};
/// Rows of W (in_size, out_size) by integer id, see F::embed_id.
class EmbedID : public Link {
 public:
  EmbedID(int64_t in_size, int64_t out_size, const EmbedIDOptions& options = {});
  Variable forward(const Variable& x);
  chainer::Parameter W;
  CHAINER_DECLARE_MEMBERS(EmbedID);

 private:
  std::optional<int64_t> ignore_label_;
};

/// x + b along an axis, see F::bias. With a shape it has b as a parameter, else the second argument.
class Bias : public Link {
 public:
  explicit Bias(int64_t axis = 1, std::optional<Shape> shape = {});
  Variable forward(const Variable& x);
  Variable forward(const Variable& x, const Variable& y);
  std::optional<chainer::Parameter> b;
  CHAINER_DECLARE_MEMBERS(Bias);

 private:
  int64_t axis_;
};

/// Options of Scale.
struct ScaleOptions {
  bool bias_term = false;                ///< add a Bias
  std::optional<Shape> bias_shape = {};  ///< its shape, where W is not a parameter
};
/// x * W along an axis, see F::scale. With W_shape it has W as a parameter (ones), else the second argument.
class Scale : public Chain {
 public:
  explicit Scale(int64_t axis = 1, std::optional<Shape> W_shape = {}, const ScaleOptions& options = {});
  Variable forward(const Variable& x);
  Variable forward(const Variable& x, const Variable& y);
  std::optional<chainer::Parameter> W;
  std::optional<Bias> bias;
  CHAINER_DECLARE_MEMBERS(Scale);

 private:
  int64_t axis_;
};

/// Options of Bilinear.
struct BilinearOptions {
  bool nobias = false;           ///< W only, without V1, V2 and b
  InitializerArg initialW = {};  ///< LeCunNormal by default, as initialV1 and initialV2
  InitializerArg initialV1 = {}, initialV2 = {};
  InitializerArg initial_bias = {};  ///< zero by default
};
/// F::bilinear with its parameters W (left, right, out), V1 (left, out), V2 (right, out), b (out).
class Bilinear : public Link {
 public:
  Bilinear(int64_t left_size, int64_t right_size, int64_t out_size, const BilinearOptions& options = {});
  Variable forward(const Variable& e1, const Variable& e2);
  chainer::Parameter W;
  std::optional<chainer::Parameter> V1, V2, b;  ///< absent with nobias
  CHAINER_DECLARE_MEMBERS(Bilinear);
};

/// Options of Highway.
struct HighwayOptions {
  bool nobias = false;
  std::function<Variable(const Variable&)> activate = functions::relu;
  InitializerArg init_Wh = {}, init_Wt = {}, init_bh = {};
  InitializerArg init_bt = {};  ///< -1 by default: at first the input mostly passes through
};
/// activate(plain(x)) t + x (1 - t) with t = sigmoid(transform(x)). Srivastava et al., arXiv:1505.00387.
class Highway : public Chain {
 public:
  explicit Highway(int64_t in_out_size, const HighwayOptions& options = {});
  Variable forward(const Variable& x);
  Linear plain, transform;
  CHAINER_DECLARE_MEMBERS(Highway);

 private:
  std::function<Variable(const Variable&)> activate_;
};

/// A parameter as a link; called without arguments.
class Parameter : public Link {
 public:
  explicit Parameter(const Array& array) : W(array) {}
  Variable forward() { return W; }
  chainer::Parameter W;
  CHAINER_DECLARE_MEMBERS(Parameter);
};

}  // namespace links
namespace L = links;
}  // namespace chainer
