// F: noise injections (manual: "Noise injections").
#pragma once
#include "chainer/autograd/variable.h"

namespace chainer {
namespace functions {

/// Options of dropout().
struct DropoutOptions {
  Array mask = {};               ///< use this mask (of factors) instead of drawing one
  Array* return_mask = nullptr;  ///< where to put the mask that was used
};
/// In training: each element is zero with probability `ratio`, else divided by 1 - ratio. In test mode: x.
/// Hinton et al., arXiv:1207.0580.
///   F::dropout(array({1.f, 2.f}), 0.5)
inline constexpr struct Dropout {
  static constexpr std::string_view name = "dropout";
  Variable operator()(const Variable& x, double ratio = 0.5, const DropoutOptions& options = {}) const;
} dropout{};

/// Options of gaussian().
struct GaussianOptions {
  Array eps = {};               ///< the noise instead of a random one
  Array* return_eps = nullptr;  ///< receives the noise
};
/// A draw from N(mean, exp(ln_var)) that has gradients: mean + exp(ln_var / 2) eps with eps from N(0, 1).
///   F::gaussian(array({0.f}), array({0.f}))
inline constexpr struct Gaussian {
  static constexpr std::string_view name = "gaussian";
  Variable operator()(const Variable& mean, const Variable& ln_var, const GaussianOptions& options = {}) const;
} gaussian{};

/// Options of gumbel_softmax(), in the manual's order.
struct GumbelSoftmaxOptions {
  double tau = 0.1;
  int64_t axis = 1;
};
/// softmax((log_pi + g) / tau) along an axis with g from the Gumbel distribution: a draw from a categorical
/// distribution that has gradients. Jang et al., arXiv:1611.01144.
///   F::gumbel_softmax(array({{0.f, 1.f}}))
inline constexpr struct GumbelSoftmax {
  static constexpr std::string_view name = "gumbel_softmax";
  Variable operator()(const Variable& log_pi, double tau = 0.1, int64_t axis = 1) const;
  Variable operator()(const Variable& log_pi, const GumbelSoftmaxOptions& options) const {
    return (*this)(log_pi, options.tau, options.axis);
  }
} gumbel_softmax{};

/// Options of simplified_dropconnect().
struct SimplifiedDropconnectOptions {
  double ratio = 0.5;
  bool train = true;               ///< false leaves all weights in place
  Array mask = {};                 ///< ones where a weight stays: (out, in), or (N, out, in)
  bool use_batchwise_mask = true;  ///< a mask for each item of the batch
};
/// In training: linear(x, W, b) with each weight dropped with probability `ratio`, the others divided by 1 - ratio.
/// Wan et al., 2013.
///   F::simplified_dropconnect(ones({2, 3}), ones({4, 3}))
inline constexpr struct SimplifiedDropconnect {
  static constexpr std::string_view name = "simplified_dropconnect";
  Variable operator()(const Variable& x, const Variable& W, const Variable& b = {},
                      const SimplifiedDropconnectOptions& options = {}) const;
} simplified_dropconnect{};

/// In training: each element stays as in h with probability `ratio`, else is that of x. In test mode: x.
/// Krueger et al., arXiv:1606.01305.
///   F::zoneout(zeros({3}), ones({3}))
inline constexpr struct Zoneout {
  static constexpr std::string_view name = "zoneout";
  Variable operator()(const Variable& h, const Variable& x, double ratio = 0.5) const;
} zoneout{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
