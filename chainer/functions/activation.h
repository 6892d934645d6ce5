// F: activation functions (manual: "Activation functions").
#pragma once
#include "chainer/autograd/variable.h"

namespace chainer {
namespace functions {

/// Options of elu().
struct EluOptions {
  double alpha = 1.0;
};
/// x where x >= 0, else alpha (exp(x) - 1). Clevert et al., arXiv:1511.07289.
///   F::elu(array({-1.f, 2.f}))
inline constexpr struct Elu {
  static constexpr std::string_view name = "elu";
  Variable operator()(const Variable& x, const EluOptions& options = {}) const;
} elu{};

/// Options of leaky_relu().
struct LeakyReluOptions {
  double slope = 0.2;
};
/// x where x >= 0, else slope x.
///   F::leaky_relu(array({-1.f, 2.f}), {.slope = 0.1})  // [-0.1, 2]
inline constexpr struct LeakyRelu {
  static constexpr std::string_view name = "leaky_relu";
  Variable operator()(const Variable& x, const LeakyReluOptions& options = {}) const;
} leaky_relu{};

/// log(softmax(x)) along an axis, without overflow.
///   F::log_softmax(array({{0.f, 0.f}}))  // [[-0.693, -0.693]]
inline constexpr struct LogSoftmax {
  static constexpr std::string_view name = "log_softmax";
  Variable operator()(const Variable& x, int64_t axis = 1) const;
} log_softmax{};

/// max(x, 0)
///   F::relu(array({-1.f, 2.f}))  // [0, 2]
inline constexpr struct Relu {
  static constexpr std::string_view name = "relu";
  Variable operator()(const Variable& x) const;
} relu{};

/// 1 / (1 + exp(-x))
///   F::sigmoid(array({0.f}))  // [0.5]
inline constexpr struct Sigmoid {
  static constexpr std::string_view name = "sigmoid";
  Variable operator()(const Variable& x) const;
} sigmoid{};

/// exp(x) divided by its sum along an axis.
///   F::softmax(array({{0.f, 0.f}}))  // [[0.5, 0.5]]
inline constexpr struct Softmax {
  static constexpr std::string_view name = "softmax";
  Variable operator()(const Variable& x, int64_t axis = 1) const;
} softmax{};

/// Options of softplus().
struct SoftplusOptions {
  double beta = 1.0;
};
/// log(1 + exp(beta x)) / beta, without overflow; its second gradient is finite everywhere.
///   F::softplus(array({0.f}))  // [0.693]
inline constexpr struct Softplus {
  static constexpr std::string_view name = "softplus";
  Variable operator()(const Variable& x, const SoftplusOptions& options = {}) const;
} softplus{};

/// Hyperbolic tangent.
///   F::tanh(array({0.f}))  // [0]
inline constexpr struct Tanh {
  static constexpr std::string_view name = "tanh";
  Variable operator()(const Variable& x) const;
} tanh{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
