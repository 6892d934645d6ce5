// SPDX-License-Identifier: MIT
// L: connections (manual: "Learnable connections").
#pragma once
#include <functional>

#include "chainer/array/host_kernels/quantized_matrix.h"
#include "chainer/functions/activation.h"
#include "chainer/links/members.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace links {

/// Options of Linear::quantize() and EmbedID::quantize().
struct QuantizeOptions {
  int bits = 8;        ///< 4 or 8
  int64_t group = 64;  ///< elements of a row of W that share a scale: a multiple of 8
  bool search = true;  ///< chooses scales by the least squares of errors; otherwise by the largest absolute value
};
/// Options of Linear.
struct LinearOptions {
  bool nobias = false;
  InitializerArg initialW = {};      ///< LeCunNormal by default
  InitializerArg initial_bias = {};  ///< zero by default
};
/// Computes y = x W^T + b for x (N, in_size): (N, out_size), see F::linear. Parameters W (out_size, in_size) and
/// b (out_size). With one size, or in_size nullopt, the input size is determined at the first call. The axes after the
/// first n_batch_axes are flattened: for x (batch, time, features), linear(x, 2) applies to each feature vector.
/// forward() throws as F::linear() does.
class Linear : public Link {
 public:
  explicit Linear(int64_t out_size, const LinearOptions& options = {}) : Linear(std::nullopt, out_size, options) {}
  CHAINER_OTHER_OPTIONS(Linear, ".nobias, .initialW, .initial_bias", int64_t);
  Linear(std::optional<int64_t> in_size, int64_t out_size, const LinearOptions& options = {});
  CHAINER_OTHER_OPTIONS(Linear, ".nobias, .initialW, .initial_bias", std::optional<int64_t>, int64_t);
  Variable forward(const Variable& x, int64_t n_batch_axes = 1);
  chainer::Parameter W;
  std::optional<chainer::Parameter> b;  ///< absent with nobias
  int64_t out_size() const { return out_size_; }
  /// Replaces W by integers of few bits with a scale for each group of a row. From then on W is uninitialized, and the
  /// persistent values W_values and W_scales are saved in its place; b is kept. Products with few rows of x then take
  /// the time of reading the integers. Gradients with respect to x and b remain. A quantized link computes with other
  /// integers after loading a file of a link that was quantized with the same options. Throws RuntimeError if W is
  /// uninitialized or quantized already or a hook computes with it, as SpectralNormalization does, ValueError for
  /// options out of range and weights that are not finite.
  ///
  ///   L::Linear link(64, 2);
  ///   link.quantize({.bits = 4});
  ///   link.quantized().values.shape()  // (2, 32)
  void quantize(const QuantizeOptions& options = {});
  CHAINER_OTHER_OPTIONS_METHOD(quantize, ".bits, .group, .search");
  const QuantizedMatrix& quantized() const { return quantized_; }
  CHAINER_DECLARE_MEMBERS(Linear);

 private:
  int64_t out_size_;
  QuantizedMatrix quantized_ = {};
};

/// Options of EmbedID.
struct EmbedIDOptions {
  InitializerArg initialW = {};  ///< N(0, 1) by default
  std::optional<int64_t> ignore_label = {};
};
/// Returns rows of W (in_size, out_size) by the integer ids of x, as x.shape + (out_size), see F::embed_id. forward()
/// throws IndexError for an id that is not in 0 ... in_size - 1 and not ignore_label, InvalidType unless x is integer.
class EmbedID : public Link {
 public:
  EmbedID(int64_t in_size, int64_t out_size, const EmbedIDOptions& options = {});
  CHAINER_OTHER_OPTIONS(EmbedID, ".initialW, .ignore_label", int64_t, int64_t);
  Variable forward(const Variable& x);
  /// Returns x W^T (..., in_size) for x (..., out_size): scores of all ids, as at the end of language models. Hooks run
  /// as around forward().
  Variable scores(const Variable& x);
  /// As Linear::quantize(). forward() then returns rows of the rounded weights, without gradients.
  void quantize(const QuantizeOptions& options = {});
  CHAINER_OTHER_OPTIONS_METHOD(quantize, ".bits, .group, .search");
  const QuantizedMatrix& quantized() const { return quantized_; }
  chainer::Parameter W;
  CHAINER_DECLARE_MEMBERS(EmbedID);

 private:
  std::optional<int64_t> ignore_label_;
  QuantizedMatrix quantized_ = {};
};

/// Computes x + b along an axis, see F::bias. With a shape, b is a parameter (zeros), else the second argument of
/// forward(). forward() throws ValueError if b is given twice or not at all, DimensionError if the shapes do not match.
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
  bool bias_term = false;                ///< adds the child `bias`
  std::optional<Shape> bias_shape = {};  ///< the shape of its b, if W is not a parameter
};
/// Computes x * W along an axis, see F::scale. With W_shape, W is a parameter (ones), else the second argument of
/// forward(). The constructor throws ValueError if bias_term is set without any shape; forward() throws as Bias does.
class Scale : public Chain {
 public:
  explicit Scale(int64_t axis = 1, std::optional<Shape> W_shape = {}, const ScaleOptions& options = {});
  CHAINER_OTHER_OPTIONS(Scale, ".bias_term, .bias_shape", int64_t, std::optional<Shape>);
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
/// F::bilinear of e1 (N, left_size) and e2 (N, right_size) with its parameters W (left, right, out), V1 (left, out),
/// V2 (right, out), b (out): (N, out_size). forward() throws InvalidType if the shapes do not match.
class Bilinear : public Link {
 public:
  Bilinear(int64_t left_size, int64_t right_size, int64_t out_size, const BilinearOptions& options = {});
  CHAINER_OTHER_OPTIONS(Bilinear, ".nobias, .initialW, .initialV1, .initialV2, .initial_bias", int64_t, int64_t,
                        int64_t);
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
  InitializerArg init_bt = {};  ///< -1 by default, so that initially most of the input passes through
};
/// Computes activate(plain(x)) t + x (1 - t) with t = sigmoid(transform(x)), for x (N, in_out_size) in the same shape.
/// forward() throws as F::linear() does. Srivastava et al., arXiv:1505.00387.
class Highway : public Chain {
 public:
  explicit Highway(int64_t in_out_size, const HighwayOptions& options = {});
  CHAINER_OTHER_OPTIONS(Highway, ".nobias, .activate, .init_Wh, .init_Wt, .init_bh, .init_bt", int64_t);
  Variable forward(const Variable& x);
  Linear plain, transform;
  CHAINER_DECLARE_MEMBERS(Highway);

 private:
  std::function<Variable(const Variable&)> activate_;
};

/// Options of LowRank.
struct LowRankOptions {
  std::optional<double> alpha = {};  ///< the adaptation is multiplied by alpha / rank; the rank by default
  double dropout = 0;                ///< of the input of the adaptation, in training
  InitializerArg initial_down = {};  ///< LeCunNormal by default
  InitializerArg initial_up = {};    ///< zero by default, so that initially nothing changes
};
/// Adapts a trained Linear by a product of two small matrices: linear(x) + alpha / rank x down^T up^T with down
/// (rank, in) and up (out, rank). W and b of the Linear are constants, which have no gradients. merge() adds the
/// product to W, so that a call costs as much as one of the Linear; unmerge() restores W. Both throw RuntimeError if
/// that is so already, and merged links are not saved: forward() otherwise throws as F::linear() does. Hu et al.,
/// arXiv:2106.09685. The Linear may have a quantized weight (Dettmers et al., "QLoRA", arXiv:2305.14314), which merge()
/// and unmerge() refuse with a RuntimeError, as forward() does hooks that compute with W.
///   L::LowRank adapted(L::Linear(3, 2), 8, {.alpha = 16});
class LowRank : public Chain {
 public:
  LowRank(Linear linear, int64_t rank, const LowRankOptions& options = {});
  CHAINER_OTHER_OPTIONS(LowRank, ".alpha, .dropout, .initial_down, .initial_up", Linear, int64_t);
  Variable forward(const Variable& x, int64_t n_batch_axes = 1);
  void merge();
  void unmerge();
  bool is_merged() const { return static_cast<bool>(original_); }
  void serialize(Serializer& s) override;
  Linear linear;
  chainer::Parameter down, up;
  CHAINER_DECLARE_MEMBERS(LowRank);

 private:
  void initialize();
  void check_is_float() const;
  double scale_, dropout_;
  int64_t rank_;
  Array original_;  // W before merge()
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
