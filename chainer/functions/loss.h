// F: loss functions (manual: "Loss functions").
#pragma once
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

}  // namespace functions
namespace F = functions;
}  // namespace chainer
