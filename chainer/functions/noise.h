// SPDX-License-Identifier: MIT
// F: noise injections (manual: "Noise injections").
// Errors: every function throws InvalidType if an input is not of a floating dtype or if the inputs' dtypes differ; the
// comments name what else a function throws. See functions.h for what all functions share.
#pragma once
#include "chainer/autograd/variable.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace functions {

/// Options of dropout().
struct DropoutOptions {
  Array mask = {};               ///< the factors, instead of random ones
  Array* return_mask = nullptr;  ///< receives the factors; none in test mode
};
/// In training mode, sets each element to zero with probability `ratio` and divides the others by 1 - ratio,
/// elementwise for x of any shape. In test mode, and if `ratio` is 0 and no mask is given or wanted, returns x. Throws
/// ValueError unless 0 <= ratio < 1, DimensionError for a mask of another shape. Hinton et al., arXiv:1207.0580.
///   F::dropout(array({1.f, 2.f}), 0.5)
inline constexpr struct Dropout {
  static constexpr std::string_view name = "dropout";
  Variable operator()(const Variable& x, double ratio = 0.5, const DropoutOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(dropout, ".mask, .return_mask", const Variable&, double);
} dropout{};

/// Options of gaussian().
struct GaussianOptions {
  Array eps = {};               ///< the noise, instead of random noise
  Array* return_eps = nullptr;  ///< receives the noise
};
/// Draws from N(mean, exp(ln_var)) with gradients: mean + exp(ln_var / 2) eps with eps from N(0, 1), elementwise for
/// inputs of one shape. Throws InvalidType if the shapes differ, DimensionError for eps of another shape.
///   F::gaussian(array({0.f}), array({0.f}))
inline constexpr struct Gaussian {
  static constexpr std::string_view name = "gaussian";
  Variable operator()(const Variable& mean, const Variable& ln_var, const GaussianOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(gaussian, ".eps, .return_eps", const Variable&, const Variable&);
} gaussian{};

/// Options of gumbel_softmax(), in the manual's order.
struct GumbelSoftmaxOptions {
  double tau = 0.1;
  int64_t axis = 1;
};
/// Computes softmax((log_pi + g) / tau) along an axis, with g from the Gumbel distribution: a draw from a categorical
/// distribution that has gradients, in the shape of log_pi. Throws ValueError unless tau > 0, InvalidType if there is
/// no such axis. Jang et al., arXiv:1611.01144.
///   F::gumbel_softmax(array({{0.f, 1.f}}))
inline constexpr struct GumbelSoftmax {
  static constexpr std::string_view name = "gumbel_softmax";
  Variable operator()(const Variable& log_pi, double tau = 0.1, int64_t axis = 1) const;
  Variable operator()(const Variable& log_pi, const GumbelSoftmaxOptions& options) const {
    return (*this)(log_pi, options.tau, options.axis);
  }
  CHAINER_OTHER_OPTIONS_CALL(gumbel_softmax, ".tau, .axis", const Variable&);
} gumbel_softmax{};

/// Options of simplified_dropconnect().
struct SimplifiedDropconnectOptions {
  double ratio = 0.5;
  bool train = true;               ///< false keeps all weights
  Array mask = {};                 ///< one where a weight is kept, else zero: (out, in), or (N, out, in)
  bool use_batchwise_mask = true;  ///< draws a mask for each item of the batch
};
/// In training mode, computes linear(x, W, b) for x (N, in), W (out, in), b (out) or none, with each weight set to zero
/// with probability `ratio` and the others divided by 1 - ratio: (N, out). In test mode, computes linear(). If floating
/// dtypes differ, the result has that of x. Throws ValueError unless 0 <= ratio < 1, InvalidType if shapes do not
/// match. Wan et al., 2013.
///   F::simplified_dropconnect(ones({2, 3}), ones({4, 3}))
inline constexpr struct SimplifiedDropconnect {
  static constexpr std::string_view name = "simplified_dropconnect";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const SimplifiedDropconnectOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(simplified_dropconnect, ".ratio, .train, .mask, .use_batchwise_mask", const Variable&,
                             const Variable&, const Variable&);
} simplified_dropconnect{};

/// In training mode, keeps each element of h with probability `ratio` and takes that of x otherwise, for inputs of one
/// shape. In test mode, returns x. Throws ValueError unless 0 <= ratio <= 1, DimensionError if the shapes differ.
/// Krueger et al., arXiv:1606.01305.
///   F::zoneout(zeros({3}), ones({3}))
inline constexpr struct Zoneout {
  static constexpr std::string_view name = "zoneout";
  Variable operator()(const Variable& h, const Variable& x, double ratio = 0.5) const;
} zoneout{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
