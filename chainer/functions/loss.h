// SPDX-License-Identifier: MIT
// F: loss functions (manual: "Loss functions").
// Errors: every function throws InvalidType if inputs that should be floating or integer are not, or if shapes or
// dtypes do not match, and ValueError for a reduction that its comment does not list. Losses that are reduced have
// shape (). See functions.h for what all functions share.
#pragma once
#include <string>
#include <functional>
#include <optional>

#include "chainer/autograd/variable.h"
#include "chainer/core/other_options.h"

namespace chainer {

/// How the losses of a batch are reduced to one: by their mean, their sum, not at all, or by sums along axis 1
/// (huber_loss() only).
enum class Reduction { mean, sum, no, sum_along_second_axis };
/// Returns the reduction that the manual calls "mean", "sum" or "no". Throws ValueError for another word.
Reduction parse_reduction(std::string_view text);

namespace functions {

using chainer::Reduction;  // F::Reduction::no

/// Computes the mean of (x0 - x1)^2 as shape (), for x0 and x1 of the same shape and floating dtype.
///   F::mean_squared_error(array({1.f, 2.f}), array({1.f, 4.f}))  // 2
inline constexpr struct MeanSquaredError {
  static constexpr std::string_view name = "mean_squared_error";
  Variable operator()(const Variable& x0, const Variable& x1) const;
} mean_squared_error{};

/// Options of negative_sampling().
struct NegativeSamplingOptions {
  Reduction reduce = Reduction::sum;  ///< sum or no
};
/// Computes the negative sampling loss (Mikolov et al., 2013) for x (N, D), labels t (N) and weights W (V, D): for each
/// i softplus(-x_i . W[t_i]) + sum over its `sample_size` samples s of softplus(x_i . W[s]). The reduction is sum or
/// no: shape () or (N). `sampler` returns integers of a given shape, as utils::WalkerAlias::sample() does. Items whose
/// label is -1 have no loss. Throws IndexError for any other label or sample that is not in 0 ... V - 1, ValueError if
/// sample_size is negative or the sampler returns another dtype or shape.
///   F::negative_sampling(ones({1, 2}), array({0}), ones({3, 2}), [](const Shape& s) { return ones(s, int32); }, 1)
inline constexpr struct NegativeSampling {
  static constexpr std::string_view name = "negative_sampling";
  Variable operator()(const Variable& x, const Variable& t, const Variable& W,
                      const std::function<Array(const Shape&)>& sampler, int64_t sample_size,
                      const NegativeSamplingOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(negative_sampling, ".reduce", const Variable&, const Variable&, const Variable&,
                             const std::function<Array(const Shape&)>&, int64_t);
} negative_sampling{};

/// Options of sigmoid_cross_entropy().
struct SigmoidCrossEntropyOptions {
  bool normalize = true;  ///< divide by the number of labels that are not -1, else by the batch size
  Reduction reduce = Reduction::mean;
};
/// Computes the cross entropy of sigmoid(x) and integer labels t in {0, 1} of the same shape (N, ...), reduced to
/// shape () by mean or sum, or of the shape of x. Elements whose label is -1 do not count.
///   F::sigmoid_cross_entropy(array({{0.f}}), array({{1}}))  // 0.693
inline constexpr struct SigmoidCrossEntropy {
  static constexpr std::string_view name = "sigmoid_cross_entropy";
  Variable operator()(const Variable& x, const Variable& t, const SigmoidCrossEntropyOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(sigmoid_cross_entropy, ".normalize, .reduce", const Variable&, const Variable&);
} sigmoid_cross_entropy{};

/// Options of softmax_cross_entropy().
struct SoftmaxCrossEntropyOptions {
  bool normalize = true;      ///< divide by the number of counted labels, else by the batch size
  bool cache_score = true;    ///< keep the softmax for backward instead of computing it again
  Array class_weight = {};    ///< a factor for each class, shape (C)
  int64_t ignore_label = -1;  ///< elements with this label do not count
  Reduction reduce = Reduction::mean;
  bool enable_double_backprop = false;  ///< no effect: second gradients are always available
  double label_smoothing = 0;           ///< the share of each label that is spread evenly over all classes
};
/// Computes the cross entropy of softmax(x) along axis 1 and integer labels t: x is (N, C, d1, ...), t is (N, d1, ...).
/// The result has shape () for mean and sum, the shape of t for no. Throws IndexError for a label that is not in
/// 0 ... C - 1 and not ignore_label, DimensionError if class_weight has another shape than (C), ValueError unless
/// label_smoothing is in [0, 1].
///   F::softmax_cross_entropy(array({{0.f, 0.f}}), array({1}))  // 0.693
inline constexpr struct SoftmaxCrossEntropy {
  static constexpr std::string_view name = "softmax_cross_entropy";
  Variable operator()(const Variable& x, const Variable& t, const SoftmaxCrossEntropyOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(
      softmax_cross_entropy,
      ".normalize, .cache_score, .class_weight, .ignore_label, .reduce, .enable_double_backprop, "
      ".label_smoothing",
      const Variable&, const Variable&);
} softmax_cross_entropy{};

/// Computes softmax_cross_entropy(linear(x, W, b), t) for x (..., D), W (C, D), integer labels t (...) and b (C) or
/// none, block by block, so that memory does not grow with the product of the numbers of labels and classes: for the
/// words of a large vocabulary. The result has shape () for mean and sum, the shape of t for no. Its first gradient is
/// computed block by block, too; gradients of higher orders hold all scores. Throws DimensionError unless t has the
/// shape of x without the last axis, IndexError for a label that is not in 0 ... C - 1 and not ignore_label. The other
/// errors and the options are those of softmax_cross_entropy(); cache_score has no effect.
///   F::linear_cross_entropy(array({{1.f, 2.f}}), zeros({4, 2}), array({3}))  // 1.386
inline constexpr struct LinearCrossEntropy {
  static constexpr std::string_view name = "linear_cross_entropy";
  Variable operator()(const Variable& x, const Variable& W, const Variable& t, const Variable& b = {},
                      const SoftmaxCrossEntropyOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(
      linear_cross_entropy,
      ".normalize, .cache_score, .class_weight, .ignore_label, .reduce, .enable_double_backprop, .label_smoothing",
      const Variable&, const Variable&, const Variable&, const Variable&);
} linear_cross_entropy{};

/// Computes |x0 - x1|, elementwise for inputs of the same shape and floating dtype.
///   F::absolute_error(array({1.f}), array({3.f}))  // [2]
inline constexpr struct AbsoluteError {
  static constexpr std::string_view name = "absolute_error";
  Variable operator()(const Variable& x0, const Variable& x1) const;
} absolute_error{};

/// Computes the mean of |x0 - x1| as shape (), for inputs of the same shape and floating dtype.
///   F::mean_absolute_error(array({1.f, 2.f}), array({3.f, 2.f}))  // 1
inline constexpr struct MeanAbsoluteError {
  static constexpr std::string_view name = "mean_absolute_error";
  Variable operator()(const Variable& x0, const Variable& x1) const;
} mean_absolute_error{};

/// Computes (x0 - x1)^2, elementwise for inputs of the same shape and floating dtype.
///   F::squared_error(array({1.f}), array({3.f}))  // [4]
inline constexpr struct SquaredError {
  static constexpr std::string_view name = "squared_error";
  Variable operator()(const Variable& x0, const Variable& x1) const;
} squared_error{};

/// Computes the negative log-likelihood of x in [0, 1] under Bernoulli distributions with probability sigmoid(y):
/// softplus(y) - x y, elementwise with broadcasting. The reduction is sum, shape (), or no.
///   F::bernoulli_nll(array({1.f}), array({0.f}))  // 0.693
inline constexpr struct BernoulliNll {
  static constexpr std::string_view name = "bernoulli_nll";
  Variable operator()(const Variable& x, const Variable& y, Reduction reduce = Reduction::sum) const;
} bernoulli_nll{};

/// Computes the Kullback-Leibler divergence of N(mean, exp(ln_var)) from N(0, 1): (mean^2 + exp(ln_var) - ln_var - 1) /
/// 2, elementwise with broadcasting. The reduction is sum, shape (), or no.
///   F::gaussian_kl_divergence(array({0.f}), array({0.f}))  // 0
inline constexpr struct GaussianKlDivergence {
  static constexpr std::string_view name = "gaussian_kl_divergence";
  Variable operator()(const Variable& mean, const Variable& ln_var, Reduction reduce = Reduction::sum) const;
} gaussian_kl_divergence{};

/// Computes the negative log-likelihood of x under N(mean, exp(ln_var)): (ln_var + log(2 pi) + (x - mean)^2 /
/// exp(ln_var)) / 2, elementwise with broadcasting. The reduction is sum, shape (), or no.
///   F::gaussian_nll(array({0.f}), array({0.f}), array({0.f}))  // 0.919
inline constexpr struct GaussianNll {
  static constexpr std::string_view name = "gaussian_nll";
  Variable operator()(const Variable& x, const Variable& mean, const Variable& ln_var,
                      Reduction reduce = Reduction::sum) const;
} gaussian_nll{};

/// Options of contrastive().
struct ContrastiveOptions {
  double margin = 1;
  Reduction reduce = Reduction::mean;  ///< mean or no
};
/// Computes the contrastive loss of pairs of rows x0, x1 (N, D) with labels y (N), integers, not 0 for similar pairs:
/// |x0 - x1|^2 / 2 for these, max(0, margin - |x0 - x1|)^2 / 2 for the others. The reduction is mean, shape (), or no,
/// shape (N). Throws ValueError unless margin > 0, InvalidType if N is 0. Hadsell et al., 2006.
///   F::contrastive(array({{0.f}}), array({{2.f}}), array({1}))  // 2
inline constexpr struct Contrastive {
  static constexpr std::string_view name = "contrastive";
  Variable operator()(const Variable& x0, const Variable& x1, const Variable& y,
                      const ContrastiveOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(contrastive, ".margin, .reduce", const Variable&, const Variable&, const Variable&);
} contrastive{};

/// How a matrix of covariances is reduced to a loss; `no` keeps the matrix.
enum class CovarianceReduction { half_squared_sum, no };
/// Options of cross_covariance() and decov().
struct CovarianceOptions {
  CovarianceReduction reduce = CovarianceReduction::half_squared_sum;
};
/// Computes half the sum of the squared covariances between the columns of y (N, M) and z (N, L), as shape (), or the
/// covariances (M, L) themselves.
///   F::cross_covariance(array({{1.f}, {-1.f}}), array({{1.f}, {-1.f}}))  // 0.5
inline constexpr struct CrossCovariance {
  static constexpr std::string_view name = "cross_covariance";
  Variable operator()(const Variable& y, const Variable& z, const CovarianceOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(cross_covariance, ".reduce", const Variable&, const Variable&);
} cross_covariance{};

/// Computes half the sum of the squared covariances between different columns of h (N, M), as shape (), or the
/// covariances (M, M) with zeros on the diagonal. Cogswell et al., arXiv:1511.06068.
///   F::decov(array({{1.f, 1.f}, {-1.f, -1.f}}))  // 1
inline constexpr struct Decov {
  static constexpr std::string_view name = "decov";
  Variable operator()(const Variable& h, const CovarianceOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(decov, ".reduce", const Variable&);
} decov{};

/// The power of the losses in hinge(): L1 keeps them, L2 squares them.
enum class HingeNorm { L1, L2 };
/// Options of hinge().
struct HingeOptions {
  HingeNorm norm = HingeNorm::L1;
  Reduction reduce = Reduction::mean;  ///< mean or no
};
/// Computes max(0, 1 - d x)^p for x (N, K) and labels t (N), with d = 1 at the label and -1 elsewhere, p = 1 or 2:
/// summed and divided by N, shape (), or with reduction no (N, K). Throws IndexError for a label that is not in
/// 0 ... K - 1.
///   F::hinge(array({{1.f, -1.f}}), array({0}))  // 0
inline constexpr struct Hinge {
  static constexpr std::string_view name = "hinge";
  Variable operator()(const Variable& x, const Variable& t, const HingeOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(hinge, ".norm, .reduce", const Variable&, const Variable&);
} hinge{};

/// Deprecated name of Reduction.
using HuberReduction [[deprecated("it is Reduction")]] = Reduction;
/// Options of huber_loss().
struct HuberLossOptions {
  Reduction reduce = Reduction::sum_along_second_axis;  ///< any; `mean` and `sum` are of all elements
};
/// Computes d^2 / 2 for |d| <= delta, else delta (|d| - delta / 2), with d = x - t for x and t of one shape
/// (N, M, ...). Summed along axis 1, (N, ...), or not at all. Throws IndexError if there is no axis 1 to sum along.
///   F::huber_loss(array({{0.f, 3.f}}), array({{1.f, 0.f}}), 1)  // [3]
inline constexpr struct HuberLoss {
  static constexpr std::string_view name = "huber_loss";
  Variable operator()(const Variable& x, const Variable& t, double delta, const HuberLossOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(huber_loss, ".reduce", const Variable&, const Variable&, double);
} huber_loss{};

/// Options of triplet().
struct TripletOptions {
  double margin = 0.2;
  Reduction reduce = Reduction::mean;  ///< mean or no
};
/// Computes max(0, |anchor - positive|^2 - |anchor - negative|^2 + margin) for rows (N, D). The reduction is mean,
/// shape (), or no, shape (N). Throws ValueError unless margin > 0, InvalidType if N is 0.
///   F::triplet(array({{0.f}}), array({{1.f}}), array({{1.f}}))  // 0.2
inline constexpr struct Triplet {
  static constexpr std::string_view name = "triplet";
  Variable operator()(const Variable& anchor, const Variable& positive, const Variable& negative,
                      const TripletOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(triplet, ".margin, .reduce", const Variable&, const Variable&, const Variable&);
} triplet{};

/// Computes the BlackOut loss (Ji et al., arXiv:1511.06909): -log p(t) - sum over s of log(1 - p(s)), where p is the
/// softmax of x . W over the label t and its samples s, for x (N, D), t (N), W (V, D), samples (N, S). The reduction is
/// mean, shape (), or no, shape (N). Items whose label is -1 have no loss. Throws IndexError for any other label or
/// sample that is not in 0 ... V - 1. If the floating dtypes of x and W differ, the result has the wider one.
///   F::black_out(ones({1, 2}), array({0}), ones({3, 2}), array({{1, 2}}))  // 1.910
inline constexpr struct BlackOut {
  static constexpr std::string_view name = "black_out";
  Variable operator()(const Variable& x, const Variable& t, const Variable& W, const Variable& samples,
                      Reduction reduce = Reduction::mean) const;
} black_out{};

/// Options of connectionist_temporal_classification().
struct CtcOptions {
  Array input_length = {};             ///< time steps of each item; all of x by default
  Array label_length = {};             ///< labels of each item; all of t by default
  Reduction reduce = Reduction::mean;  ///< mean or no
};
/// Computes the connectionist temporal classification loss (Graves et al., 2006): the negative logarithm of the
/// probability that x, without repetitions and blanks, spells the labels t (B, M). x holds values before softmax: time
/// steps (B, V), or one array (T, B, V). The reduction is mean, shape (), or no, shape (B). An item too short for its
/// labels has an infinite loss and no gradient. Throws IndexError if blank_symbol or a label (within label_length) is
/// not in 0 ... V - 1, ValueError if there is no time step or a length is not an integer for each item within its
/// bounds.
///   F::connectionist_temporal_classification(zeros({2, 1, 3}), array({{1}}), 0)  // 1.099
inline constexpr struct ConnectionistTemporalClassification {
  static constexpr std::string_view name = "connectionist_temporal_classification";
  Variable operator()(const Variables& x, const Variable& t, int64_t blank_symbol,
                      const CtcOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(connectionist_temporal_classification, ".input_length, .label_length, .reduce",
                             const Variables&, const Variable&, int64_t);
  Variable operator()(const Variable& x, const Variable& t, int64_t blank_symbol, const CtcOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(connectionist_temporal_classification, ".input_length, .label_length, .reduce",
                             const Variable&, const Variable&, int64_t);
} connectionist_temporal_classification{};

/// Computes the negative log-likelihood of label sequences under a linear-chain conditional random field
/// (Lafferty et al., 2001): cost (K, K) from label to label, time steps xs (B_i, K), labels ys (B_i). Sequences are
/// sorted by length, the longest first, so B_i never grows (F::transpose_sequence returns this form). The reduction is
/// mean, shape (), or no, shape (B_0). Throws DimensionError for other shapes, TypeError unless cost and xs have one
/// floating dtype, IndexError for a label that is not in 0 ... K - 1, ValueError unless xs and ys have as many time
/// steps, at least one.
///   F::crf1d(zeros({2, 2}), {zeros({1, 2}), zeros({1, 2})}, {array({0}), array({1})})  // 1.386
inline constexpr struct Crf1d {
  static constexpr std::string_view name = "crf1d";
  Variable operator()(const Variable& cost, const Variables& xs, const Variables& ys,
                      Reduction reduce = Reduction::mean) const;
} crf1d{};

/// Computes the most probable label sequences under the model of crf1d() and their scores, from cost (K, K) and time
/// steps xs (B_i, K). Throws DimensionError for other shapes, TypeError unless cost and xs have one floating dtype,
/// ValueError if there is no time step.
///   F::argmax_crf1d(zeros({2, 2}), {array({{0.f, 1.f}}), array({{3.f, 2.f}})}).s  // [4]
inline constexpr struct ArgmaxCrf1d {
  static constexpr std::string_view name = "argmax_crf1d";
  struct Result {
    Variable s;  ///< (B_0)
    Arrays ps;   ///< int32, (B_i) for each time step
  };
  Result operator()(const Variable& cost, const Variables& xs) const;
} argmax_crf1d{};

/// Options of discriminative_margin_based_clustering_loss().
struct ClusteringLossOptions {
  int64_t norm = 1;                           ///< 1 or 2
  double alpha = 1, beta = 1, gamma = 0.001;  ///< factors of the three losses
};
/// Computes the three losses of De Brabandere et al., arXiv:1708.02551, each of shape (), for embeddings
/// (n, max_embedding_dim, h, w) and integer instance labels (n, h, w), of which 1 ... max_embedding_dim count: pixels
/// farther than delta_v from the mean of their instance, means closer than 2 delta_d to each other, and the norm of the
/// means. Throws ValueError unless norm is 1 or 2 and max_embedding_dim > 0.
///   F::discriminative_margin_based_clustering_loss(zeros({1, 2, 1, 2}), array({{{1, 2}}}), 0.5, 1, 2)  // {0, 4, 0}
inline constexpr struct DiscriminativeMarginBasedClusteringLoss {
  static constexpr std::string_view name = "discriminative_margin_based_clustering_loss";
  Variables operator()(const Variable& embeddings, const Variable& labels, double delta_v, double delta_d,
                       int64_t max_embedding_dim, const ClusteringLossOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(discriminative_margin_based_clustering_loss, ".norm, .alpha, .beta, .gamma",
                             const Variable&, const Variable&, double, double, int64_t);
} discriminative_margin_based_clustering_loss{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
