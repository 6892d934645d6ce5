// SPDX-License-Identifier: MIT
// F: activation functions (manual: "Activation functions").
// Errors: every function throws InvalidType if an input is not of a floating dtype or if the inputs' dtypes differ; the
// comments name what else a function throws. See functions.h for what all functions share.
#pragma once
#include "chainer/autograd/variable.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace functions {

/// Options of elu().
struct EluOptions {
  double alpha = 1.0;
};
/// Computes x where x >= 0, else alpha (exp(x) - 1), elementwise for x of any shape. Clevert et al., arXiv:1511.07289.
///   F::elu(array({-1.f, 2.f}))
inline constexpr struct Elu {
  static constexpr std::string_view name = "elu";
  Variable operator()(const Variable& x, const EluOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(elu, ".alpha", const Variable&);
  Variable operator()(const Variable& x, double alpha) const { return (*this)(x, EluOptions{.alpha = alpha}); }
} elu{};

/// Options of leaky_relu().
struct LeakyReluOptions {
  double slope = 0.2;
};
/// Computes x where x >= 0, else slope x, elementwise for x of any shape.
///   F::leaky_relu(array({-1.f, 2.f}), 0.1)  // [-0.1, 2]
inline constexpr struct LeakyRelu {
  static constexpr std::string_view name = "leaky_relu";
  Variable operator()(const Variable& x, const LeakyReluOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(leaky_relu, ".slope", const Variable&);
  Variable operator()(const Variable& x, double slope) const { return (*this)(x, LeakyReluOptions{.slope = slope}); }
} leaky_relu{};

/// Computes log(softmax(x)) along an axis, without overflow. The result has the shape of x. Throws InvalidType if x has
/// no such axis.
///   F::log_softmax(array({{0.f, 0.f}}))  // [[-0.693, -0.693]]
inline constexpr struct LogSoftmax {
  static constexpr std::string_view name = "log_softmax";
  Variable operator()(const Variable& x, int64_t axis = 1) const;
} log_softmax{};

/// Computes max(x, 0), elementwise for x of any shape.
///   F::relu(array({-1.f, 2.f}))  // [0, 2]
inline constexpr struct Relu {
  static constexpr std::string_view name = "relu";
  Variable operator()(const Variable& x) const;
} relu{};

/// Computes 1 / (1 + exp(-x)), elementwise for x of any shape.
///   F::sigmoid(array({0.f}))  // [0.5]
inline constexpr struct Sigmoid {
  static constexpr std::string_view name = "sigmoid";
  Variable operator()(const Variable& x) const;
} sigmoid{};

/// Computes exp(x) divided by its sum along an axis. The result has the shape of x. Throws InvalidType if x has no such
/// axis.
///   F::softmax(array({{0.f, 0.f}}))  // [[0.5, 0.5]]
inline constexpr struct Softmax {
  static constexpr std::string_view name = "softmax";
  Variable operator()(const Variable& x, int64_t axis = 1) const;
} softmax{};

/// Options of softplus().
struct SoftplusOptions {
  double beta = 1.0;
};
/// Computes log(1 + exp(beta x)) / beta, elementwise for x of any shape, without overflow. The second gradient is
/// finite everywhere. Throws ValueError if beta is 0.
///   F::softplus(array({0.f}))  // [0.693]
inline constexpr struct Softplus {
  static constexpr std::string_view name = "softplus";
  Variable operator()(const Variable& x, const SoftplusOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(softplus, ".beta", const Variable&);
  Variable operator()(const Variable& x, double beta) const { return (*this)(x, SoftplusOptions{.beta = beta}); }
} softplus{};

/// Computes the hyperbolic tangent, elementwise for x of any shape.
///   F::tanh(array({0.f}))  // [0]
inline constexpr struct Tanh {
  static constexpr std::string_view name = "tanh";
  Variable operator()(const Variable& x) const;
} tanh{};

/// Computes min(max(x, 0), z), elementwise for x of any shape. Throws ValueError unless z > 0.
///   F::clipped_relu(array({-1.f, 30.f}))  // [0, 20]
inline constexpr struct ClippedRelu {
  static constexpr std::string_view name = "clipped_relu";
  Variable operator()(const Variable& x, double z = 20.0) const;
} clipped_relu{};

/// Concatenates relu(x) and relu(-x) along an axis: the result has the shape of x with this axis twice as long. Throws
/// InvalidType if x has no such axis. Shang et al., arXiv:1603.05201.
///   F::crelu(array({{-1.f, 2.f}}))  // [[0, 2, 1, 0]]
inline constexpr struct Crelu {
  static constexpr std::string_view name = "crelu";
  Variable operator()(const Variable& x, int64_t axis = 1) const;
} crelu{};

/// Computes 0.2 x + 0.5, limited to [0, 1], elementwise for x of any shape.
///   F::hard_sigmoid(array({0.f, 9.f}))  // [0.5, 1]
inline constexpr struct HardSigmoid {
  static constexpr std::string_view name = "hard_sigmoid";
  Variable operator()(const Variable& x) const;
} hard_sigmoid{};

/// Computes one step of a long short-term memory: {c, h} from cells c_prev (N, D, ...) and gates x (n, 4 D, ...) with
/// n <= N. Axis 1 of x interleaves the gates: a, i, f, o of unit 0, then of unit 1, and so on. c = tanh(a) sigmoid(i) +
/// sigmoid(f) c_prev has shape (N, D, ...), its last N - n items unchanged; h = sigmoid(o) tanh(c) has shape
/// (n, D, ...). Throws InvalidType if the shapes do not match. Gers et al., 1999.
///   F::lstm(zeros({2, 3}), ones({2, 12}))
inline constexpr struct Lstm {
  static constexpr std::string_view name = "lstm";
  Variables operator()(const Variable& c_prev, const Variable& x) const;
} lstm{};

/// Computes the maximum of each group of pool_size consecutive elements along an axis, which becomes pool_size times
/// shorter; the other lengths of the shape stay. Throws ValueError unless pool_size > 0, InvalidType if pool_size does
/// not divide the axis, IndexError if x has no such axis. Goodfellow et al., arXiv:1302.4389.
///   F::maxout(array({{1.f, 4.f, 2.f, 3.f}}), 2)  // [[4, 3]]
inline constexpr struct Maxout {
  static constexpr std::string_view name = "maxout";
  Variable operator()(const Variable& x, int64_t pool_size, int64_t axis = 1) const;
} maxout{};

/// Computes x where x >= 0, else W x. W has the shape of the axes of x after the first, or of the first few of these:
/// for x (N, C, H, W) it is (C), (C, H) or (C, H, W). Throws InvalidType for other shapes of W. He et al.,
/// arXiv:1502.01852.
///   F::prelu(array({{-1.f, 2.f}}), array({0.5f, 0.5f}))  // [[-0.5, 2]]
inline constexpr struct Prelu {
  static constexpr std::string_view name = "prelu";
  Variable operator()(const Variable& x, const Variable& W) const;
} prelu{};

/// Options of rrelu().
struct RreluOptions {
  Array r = {};               ///< the slopes, instead of random ones
  Array* return_r = nullptr;  ///< receives the slopes
};
/// Computes x where x >= 0, else r x, elementwise for x of any shape. r is drawn from the uniform distribution on
/// [l, u) for each element; in test mode it is (l + u) / 2. Throws ValueError unless 0 <= l < u < 1, DimensionError if
/// r is given in another shape than that of x. Xu et al., arXiv:1505.00853.
///   F::rrelu(array({-1.f, 2.f}))
inline constexpr struct Rrelu {
  static constexpr std::string_view name = "rrelu";
  Variable operator()(const Variable& x, double l = 1.0 / 8, double u = 1.0 / 3,
                      const RreluOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(rrelu, ".r, .return_r", const Variable&, double, double);
} rrelu{};

/// Options of selu().
struct SeluOptions {
  double alpha = 1.6732632423543772, scale = 1.0507009873554805;
};
/// Computes scale elu(x, alpha), elementwise for x of any shape; the default constants keep activations normalized.
/// Klambauer et al., arXiv:1706.02515.
///   F::selu(array({0.f, 1.f}))  // [0, 1.051]
inline constexpr struct Selu {
  static constexpr std::string_view name = "selu";
  Variable operator()(const Variable& x, const SeluOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(selu, ".alpha, .scale", const Variable&);
} selu{};

/// Computes one step of an S-LSTM: {c, h} from the cells (N, D, ...) and the gates (N, 4 D, ...) of two children, laid
/// out as for lstm(). c = tanh(a1) sigmoid(i1) + tanh(a2) sigmoid(i2) + sigmoid(f1) c_prev1 + sigmoid(f2) c_prev2 and
/// h = sigmoid(o1 + o2) tanh(c) have the shape of the cells. Throws InvalidType if the shapes do not match. Zhu et al.,
/// arXiv:1503.04881.
///   F::slstm(zeros({2, 3}), zeros({2, 3}), ones({2, 12}), ones({2, 12}))
inline constexpr struct Slstm {
  static constexpr std::string_view name = "slstm";
  Variables operator()(const Variable& c_prev1, const Variable& c_prev2, const Variable& x1, const Variable& x2) const;
} slstm{};

/// Computes x sigmoid(beta x). beta has the shape of the axes of x after the first, or of the first few of these: for x
/// (N, C, H, W) it is (C), (C, H) or (C, H, W). Throws InvalidType for other shapes of beta. Ramachandran et al.,
/// arXiv:1710.05941.
///   F::swish(array({{0.f, 1.f}}), array({1.f, 1.f}))  // [[0, 0.731]]
inline constexpr struct Swish {
  static constexpr std::string_view name = "swish";
  Variable operator()(const Variable& x, const Variable& beta) const;
} swish{};

/// Computes x sigmoid(x), elementwise for x of any shape: swish() with beta 1. Elfwing et al., arXiv:1702.03118.
///   F::silu(array({0.f, 1.f}))  // [0, 0.731]
inline constexpr struct Silu {
  static constexpr std::string_view name = "silu";
  Variable operator()(const Variable& x) const;
} silu{};

/// The form in which gelu() is computed: by the error function, or by the hyperbolic tangent.
enum class Approximation { none, tanh };
/// Options of gelu().
struct GeluOptions {
  Approximation approximate = Approximation::none;  ///< tanh: 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
};
/// Computes x Phi(x), with the distribution function Phi of the normal distribution, elementwise for x of any shape.
/// Hendrycks & Gimpel, arXiv:1606.08415.
///   F::gelu(array({0.f, 1.f}))  // [0, 0.841]
inline constexpr struct Gelu {
  static constexpr std::string_view name = "gelu";
  Variable operator()(const Variable& x, const GeluOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(gelu, ".approximate", const Variable&);
  Variable operator()(const Variable& x, Approximation approximate) const {
    return (*this)(x, GeluOptions{.approximate = approximate});
  }
} gelu{};

/// Computes a sigmoid(b), where a and b are the first and the second half of x along an axis, whose length in the shape
/// is halved. Throws InvalidType if this length is odd, IndexError if x has no such axis. Dauphin et al.,
/// arXiv:1612.08083.
///   F::glu(array({{3.f, 0.f}}))  // [[1.5]]
inline constexpr struct Glu {
  static constexpr std::string_view name = "glu";
  Variable operator()(const Variable& x, int64_t axis = -1) const;
} glu{};

/// Computes a relu(b), with halves a and b of x as in glu(). Shazeer, arXiv:2002.05202.
///   F::reglu(array({{3.f, 2.f}}))  // [[6]]
inline constexpr struct Reglu {
  static constexpr std::string_view name = "reglu";
  Variable operator()(const Variable& x, int64_t axis = -1) const;
} reglu{};

/// Computes a gelu(b), with halves a and b of x as in glu(). Shazeer, arXiv:2002.05202.
///   F::geglu(array({{3.f, 1.f}}))  // [[2.524]]
inline constexpr struct Geglu {
  static constexpr std::string_view name = "geglu";
  Variable operator()(const Variable& x, int64_t axis = -1) const;
} geglu{};

/// Computes a silu(b), with halves a and b of x as in glu(). Shazeer, arXiv:2002.05202.
///   F::swiglu(array({{3.f, 1.f}}))  // [[2.193]]
inline constexpr struct Swiglu {
  static constexpr std::string_view name = "swiglu";
  Variable operator()(const Variable& x, int64_t axis = -1) const;
} swiglu{};

/// Computes one step of an n-ary tree LSTM: {c, h}, both (N, D, ...), from n cells (N, D, ...) and, as the last input,
/// the gates (N, (3 + n) D, ...): blocks of D for a, i, o and one forget gate f_k for each child. c = tanh(a)
/// sigmoid(i) + sum over k of sigmoid(f_k) c_k; h = sigmoid(o) tanh(c). Throws InvalidType for fewer than two inputs or
/// if the shapes do not match. Tai et al., arXiv:1503.00075.
///   F::tree_lstm({zeros({2, 3}), zeros({2, 3}), ones({2, 15})})
inline constexpr struct TreeLstm {
  static constexpr std::string_view name = "tree_lstm";
  Variables operator()(const Variables& inputs) const;
} tree_lstm{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
