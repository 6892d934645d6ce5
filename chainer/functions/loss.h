// F: loss functions (manual: "Loss functions").
#pragma once
#include <string>
#include <functional>
#include <optional>

#include "chainer/autograd/variable.h"

namespace chainer {

/// How the losses of a batch become one: mean, sum, or not at all.
enum class Reduction { mean, sum, no };
/// From the manual's words: "mean", "sum", "no"; ValueError otherwise.
Reduction parse_reduction(std::string_view text);

namespace functions {

/// The mean of (x0 - x1)^2.
///   F::mean_squared_error(array({1.f, 2.f}), array({1.f, 4.f}))  // 2
inline constexpr struct MeanSquaredError {
  static constexpr std::string_view name = "mean_squared_error";
  Variable operator()(const Variable& x0, const Variable& x1) const;
} mean_squared_error{};

/// Options of negative_sampling().
struct NegativeSamplingOptions {
  Reduction reduce = Reduction::sum;  ///< sum or no
};
/// The loss that tells a word from sampled ones (Mikolov et al., 2013): for x (N, D), its labels t (N) and weights
/// W (V, D), the sum over i of softplus(-x_i . W[t_i]) + sum over its `sample_size` samples s of softplus(x_i . W[s]).
/// `sampler` gives integers of a shape, as utils::WalkerAlias::sample does. Items whose label is -1 do not count; any
/// other label or sample outside 0 ... V-1 is an IndexError. Shape () or, not reduced, (N).
///   F::negative_sampling(ones({1, 2}), array({0}), ones({3, 2}), [](const Shape& s) { return ones(s, int32); }, 1)
inline constexpr struct NegativeSampling {
  static constexpr std::string_view name = "negative_sampling";
  Variable operator()(const Variable& x, const Variable& t, const Variable& W,
                      const std::function<Array(const Shape&)>& sampler, int64_t sample_size,
                      const NegativeSamplingOptions& options = {}) const;
} negative_sampling{};

/// Options of sigmoid_cross_entropy().
struct SigmoidCrossEntropyOptions {
  bool normalize = true;  ///< divide by the number of labels that are not -1, else by the batch size
  Reduction reduce = Reduction::mean;
};
/// Cross entropy of sigmoid(x) and labels t in {0, 1} of the same shape; elements whose label is -1 do not count.
///   F::sigmoid_cross_entropy(array({{0.f}}), array({{1}}))  // 0.693
inline constexpr struct SigmoidCrossEntropy {
  static constexpr std::string_view name = "sigmoid_cross_entropy";
  Variable operator()(const Variable& x, const Variable& t, const SigmoidCrossEntropyOptions& options = {}) const;
} sigmoid_cross_entropy{};

/// Options of softmax_cross_entropy().
struct SoftmaxCrossEntropyOptions {
  bool normalize = true;      ///< divide by the number of counted labels, else by the batch size
  bool cache_score = true;    ///< keep the softmax for backward instead of computing it again
  Array class_weight = {};    ///< a factor for each class, of x's dtype
  int64_t ignore_label = -1;  ///< elements with this label do not count
  Reduction reduce = Reduction::mean;
  bool enable_double_backprop = false;  ///< accepted for the manual's sake: second gradients always exist here
};
/// Cross entropy of softmax(x) along axis 1 and integer labels t: x is (N, C, d1, ...), t is (N, d1, ...). A label
/// outside 0 ... C-1 that is not ignore_label is an IndexError.
///   F::softmax_cross_entropy(array({{0.f, 0.f}}), array({1}))  // 0.693
inline constexpr struct SoftmaxCrossEntropy {
  static constexpr std::string_view name = "softmax_cross_entropy";
  Variable operator()(const Variable& x, const Variable& t, const SoftmaxCrossEntropyOptions& options = {}) const;
} softmax_cross_entropy{};

/// |x0 - x1|
///   F::absolute_error(array({1.f}), array({3.f}))  // [2]
inline constexpr struct AbsoluteError {
  static constexpr std::string_view name = "absolute_error";
  Variable operator()(const Variable& x0, const Variable& x1) const;
} absolute_error{};

/// The mean of |x0 - x1|.
///   F::mean_absolute_error(array({1.f, 2.f}), array({3.f, 2.f}))  // 1
inline constexpr struct MeanAbsoluteError {
  static constexpr std::string_view name = "mean_absolute_error";
  Variable operator()(const Variable& x0, const Variable& x1) const;
} mean_absolute_error{};

/// (x0 - x1)^2
///   F::squared_error(array({1.f}), array({3.f}))  // [4]
inline constexpr struct SquaredError {
  static constexpr std::string_view name = "squared_error";
  Variable operator()(const Variable& x0, const Variable& x1) const;
} squared_error{};

/// The negative log-likelihood of x in [0, 1] under Bernoulli distributions with probability sigmoid(y): sum or no.
///   F::bernoulli_nll(array({1.f}), array({0.f}))  // 0.693
inline constexpr struct BernoulliNll {
  static constexpr std::string_view name = "bernoulli_nll";
  Variable operator()(const Variable& x, const Variable& y, Reduction reduce = Reduction::sum) const;
} bernoulli_nll{};

/// The divergence of N(mean, exp(ln_var)) from N(0, 1): sum or no.
///   F::gaussian_kl_divergence(array({0.f}), array({0.f}))  // 0
inline constexpr struct GaussianKlDivergence {
  static constexpr std::string_view name = "gaussian_kl_divergence";
  Variable operator()(const Variable& mean, const Variable& ln_var, Reduction reduce = Reduction::sum) const;
} gaussian_kl_divergence{};

/// The negative log-likelihood of x under N(mean, exp(ln_var)): sum or no.
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
/// For pairs of rows (N, D) and labels y (N), 1 for alike: half the squared distance of alike ones, half the square
/// of what apart ones lack of the margin. Hadsell et al., 2006.
///   F::contrastive(array({{0.f}}), array({{2.f}}), array({1}))  // 2
inline constexpr struct Contrastive {
  static constexpr std::string_view name = "contrastive";
  Variable operator()(const Variable& x0, const Variable& x1, const Variable& y,
                      const ContrastiveOptions& options = {}) const;
} contrastive{};

/// How a matrix of covariances becomes a loss; `no` leaves the matrix.
enum class CovarianceReduction { half_squared_sum, no };
/// Options of cross_covariance() and decov().
struct CovarianceOptions {
  CovarianceReduction reduce = CovarianceReduction::half_squared_sum;
};
/// Half the sum of the squared covariances between the columns of y (N, M) and z (N, L).
///   F::cross_covariance(array({{1.f}, {-1.f}}), array({{1.f}, {-1.f}}))  // 0.5
inline constexpr struct CrossCovariance {
  static constexpr std::string_view name = "cross_covariance";
  Variable operator()(const Variable& y, const Variable& z, const CovarianceOptions& options = {}) const;
} cross_covariance{};

/// Half the sum of the squared covariances between different columns of h (N, M). Cogswell et al., arXiv:1511.06068.
///   F::decov(array({{1.f, 1.f}, {-1.f, -1.f}}))  // 1
inline constexpr struct Decov {
  static constexpr std::string_view name = "decov";
  Variable operator()(const Variable& h, const CovarianceOptions& options = {}) const;
} decov{};

/// Whether hinge() counts the losses as they are or squared.
enum class HingeNorm { L1, L2 };
/// Options of hinge().
struct HingeOptions {
  HingeNorm norm = HingeNorm::L1;
  Reduction reduce = Reduction::mean;  ///< mean or no
};
/// max(0, 1 - d x)^p with d 1 for the label and -1 elsewhere, p 1 or 2, summed and divided by N. A label outside
/// 0 ... K-1 is an IndexError.
///   F::hinge(array({{1.f, -1.f}}), array({0}))  // 0
inline constexpr struct Hinge {
  static constexpr std::string_view name = "hinge";
  Variable operator()(const Variable& x, const Variable& t, const HingeOptions& options = {}) const;
} hinge{};

/// How huber_loss() adds up its losses; `no` gives one for each element.
enum class HuberReduction { sum_along_second_axis, no };
/// Options of huber_loss().
struct HuberLossOptions {
  HuberReduction reduce = HuberReduction::sum_along_second_axis;
};
/// d^2 / 2 for |d| <= delta, else delta (|d| - delta / 2), with d = x - t; summed along axis 1.
///   F::huber_loss(array({{0.f, 3.f}}), array({{1.f, 0.f}}), 1)  // [3]
inline constexpr struct HuberLoss {
  static constexpr std::string_view name = "huber_loss";
  Variable operator()(const Variable& x, const Variable& t, double delta, const HuberLossOptions& options = {}) const;
} huber_loss{};

/// Options of triplet().
struct TripletOptions {
  double margin = 0.2;
  Reduction reduce = Reduction::mean;  ///< mean or no
};
/// max(0, |anchor - positive|^2 - |anchor - negative|^2 + margin) for rows (N, D).
///   F::triplet(array({{0.f}}), array({{1.f}}), array({{1.f}}))  // 0.2
inline constexpr struct Triplet {
  static constexpr std::string_view name = "triplet";
  Variable operator()(const Variable& anchor, const Variable& positive, const Variable& negative,
                      const TripletOptions& options = {}) const;
} triplet{};

/// The loss that tells the label from samples (Ji et al., arXiv:1511.06909): -log p(t) - sum over s of log(1 - p(s)),
/// where p is the softmax of x . W over the label and its samples. x (N, D), t (N), W (V, D), samples (N, S). Items
/// whose label is -1 have no loss; any other label or sample outside 0 ... V-1 is an IndexError. mean or no.
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
/// Connectionist temporal classification (Graves et al., 2006): the negative logarithm of the probability that x, read
/// without repetitions and blanks, gives the labels t. x are time steps (B, V) of values before softmax, or one array
/// (T, B, V); t is (B, M). A label outside 0 ... V-1 (within label_length) is an IndexError. An item that is too short
/// for its labels has an infinite loss and no gradient.
///   F::connectionist_temporal_classification(zeros({2, 1, 3}), array({{1}}), 0)  // 1.099
inline constexpr struct ConnectionistTemporalClassification {
  static constexpr std::string_view name = "connectionist_temporal_classification";
  Variable operator()(const Variables& x, const Variable& t, int64_t blank_symbol,
                      const CtcOptions& options = {}) const;
  Variable operator()(const Variable& x, const Variable& t, int64_t blank_symbol, const CtcOptions& options = {}) const;
} connectionist_temporal_classification{};

/// The negative log-likelihood of label sequences under a linear-chain conditional random field (Lafferty et al.,
/// 2001): cost (K, K) from label to label, xs one array (B_i, K) a time step, ys the labels (B_i). Sequences are sorted
/// by length, the longest first, so that B_i does not grow (F::transpose_sequence gives this form). mean or no. A label
/// outside 0 ... K-1 is an IndexError.
///   F::crf1d(zeros({2, 2}), {zeros({1, 2}), zeros({1, 2})}, {array({0}), array({1})})  // 1.386
inline constexpr struct Crf1d {
  static constexpr std::string_view name = "crf1d";
  Variable operator()(const Variable& cost, const Variables& xs, const Variables& ys,
                      Reduction reduce = Reduction::mean) const;
} crf1d{};

/// The likeliest label sequences under crf1d's model, and their scores.
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
/// The losses of De Brabandere et al., arXiv:1708.02551, for embeddings (n, max_embedding_dim, h, w) and instance
/// labels (n, h, w), where 1 ... max_embedding_dim count: pixels farther than delta_v from their instance's mean, means
/// closer than 2 delta_d to each other, and the size of the means. Three variables.
///   F::discriminative_margin_based_clustering_loss(zeros({1, 2, 1, 2}), array({{{1, 2}}}), 0.5, 1, 2)  // {0, 4, 0}
inline constexpr struct DiscriminativeMarginBasedClusteringLoss {
  static constexpr std::string_view name = "discriminative_margin_based_clustering_loss";
  Variables operator()(const Variable& embeddings, const Variable& labels, double delta_v, double delta_d,
                       int64_t max_embedding_dim, const ClusteringLossOptions& options = {}) const;
} discriminative_margin_based_clustering_loss{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
