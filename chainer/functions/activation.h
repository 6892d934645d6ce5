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
  Variable operator()(const Variable& x, double alpha) const { return (*this)(x, EluOptions{.alpha = alpha}); }
} elu{};

/// Options of leaky_relu().
struct LeakyReluOptions {
  double slope = 0.2;
};
/// x where x >= 0, else slope x.
///   F::leaky_relu(array({-1.f, 2.f}), 0.1)  // [-0.1, 2]
inline constexpr struct LeakyRelu {
  static constexpr std::string_view name = "leaky_relu";
  Variable operator()(const Variable& x, const LeakyReluOptions& options = {}) const;
  Variable operator()(const Variable& x, double slope) const { return (*this)(x, LeakyReluOptions{.slope = slope}); }
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
  Variable operator()(const Variable& x, double beta) const { return (*this)(x, SoftplusOptions{.beta = beta}); }
} softplus{};

/// Hyperbolic tangent.
///   F::tanh(array({0.f}))  // [0]
inline constexpr struct Tanh {
  static constexpr std::string_view name = "tanh";
  Variable operator()(const Variable& x) const;
} tanh{};

/// min(max(x, 0), z)
///   F::clipped_relu(array({-1.f, 30.f}))  // [0, 20]
inline constexpr struct ClippedRelu {
  static constexpr std::string_view name = "clipped_relu";
  Variable operator()(const Variable& x, double z = 20.0) const;
} clipped_relu{};

/// relu(x) and relu(-x), joined along an axis. Shang et al., arXiv:1603.05201.
///   F::crelu(array({{-1.f, 2.f}}))  // [[0, 2, 1, 0]]
inline constexpr struct Crelu {
  static constexpr std::string_view name = "crelu";
  Variable operator()(const Variable& x, int64_t axis = 1) const;
} crelu{};

/// 0.2 x + 0.5, limited to [0, 1].
///   F::hard_sigmoid(array({0.f, 9.f}))  // [0.5, 1]
inline constexpr struct HardSigmoid {
  static constexpr std::string_view name = "hard_sigmoid";
  Variable operator()(const Variable& x) const;
} hard_sigmoid{};

/// One step of a long short-term memory: {c, h} from cells c_prev (N, D, ...) and gates x (N, 4 D, ...), interleaved
/// as a, i, f, o. With c = tanh(a) sigmoid(i) + sigmoid(f) c_prev, h = sigmoid(o) tanh(c). If x has fewer items, the
/// last cells stay as they are. Gers et al., 1999.
///   F::lstm(zeros({2, 3}), ones({2, 12}))
inline constexpr struct Lstm {
  static constexpr std::string_view name = "lstm";
  Variables operator()(const Variable& c_prev, const Variable& x) const;
} lstm{};

/// The largest of each pool_size neighbours along an axis. Goodfellow et al., arXiv:1302.4389.
///   F::maxout(array({{1.f, 4.f, 2.f, 3.f}}), 2)  // [[4, 3]]
inline constexpr struct Maxout {
  static constexpr std::string_view name = "maxout";
  Variable operator()(const Variable& x, int64_t pool_size, int64_t axis = 1) const;
} maxout{};

/// x where x >= 0, else W x, with W's shape that of x's axes behind the first. He et al., arXiv:1502.01852.
///   F::prelu(array({{-1.f, 2.f}}), array({0.5f, 0.5f}))  // [[-0.5, 2]]
inline constexpr struct Prelu {
  static constexpr std::string_view name = "prelu";
  Variable operator()(const Variable& x, const Variable& W) const;
} prelu{};

/// Options of rrelu().
struct RreluOptions {
  Array r = {};               ///< the slopes of this call instead of random ones
  Array* return_r = nullptr;  ///< receives the slopes
};
/// x where x >= 0, else r x with r uniform in [l, u) for each element, or (l + u) / 2 in test mode.
/// Xu et al., arXiv:1505.00853.
///   F::rrelu(array({-1.f, 2.f}))
inline constexpr struct Rrelu {
  static constexpr std::string_view name = "rrelu";
  Variable operator()(const Variable& x, double l = 1.0 / 8, double u = 1.0 / 3,
                      const RreluOptions& options = {}) const;
} rrelu{};

/// Options of selu().
struct SeluOptions {
  double alpha = 1.6732632423543772, scale = 1.0507009873554805;
};
/// scale elu(x, alpha), which keeps activations normalised. Klambauer et al., arXiv:1706.02515.
///   F::selu(array({0.f, 1.f}))  // [0, 1.051]
inline constexpr struct Selu {
  static constexpr std::string_view name = "selu";
  Variable operator()(const Variable& x, const SeluOptions& options = {}) const;
} selu{};

/// One step of an S-LSTM: {c, h} from the cells and gates of two children, as in lstm. Zhu et al., arXiv:1503.04881.
///   F::slstm(zeros({2, 3}), zeros({2, 3}), ones({2, 12}), ones({2, 12}))
inline constexpr struct Slstm {
  static constexpr std::string_view name = "slstm";
  Variables operator()(const Variable& c_prev1, const Variable& c_prev2, const Variable& x1, const Variable& x2) const;
} slstm{};

/// x sigmoid(beta x), with beta's shape that of x's axes behind the first. Ramachandran et al., arXiv:1710.05941.
///   F::swish(array({{0.f, 1.f}}), array({1.f, 1.f}))  // [[0, 0.731]]
inline constexpr struct Swish {
  static constexpr std::string_view name = "swish";
  Variable operator()(const Variable& x, const Variable& beta) const;
} swish{};

/// One step of an n-ary tree LSTM: {c, h} from n cells and, last, the gates (N, (3 + n) D), one behind the other:
/// a, i, o, then a forget gate a child. Tai et al., arXiv:1503.00075.
///   F::tree_lstm({zeros({2, 3}), zeros({2, 3}), ones({2, 15})})
inline constexpr struct TreeLstm {
  static constexpr std::string_view name = "tree_lstm";
  Variables operator()(const Variables& inputs) const;
} tree_lstm{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
