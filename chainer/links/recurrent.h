// SPDX-License-Identifier: MIT
// L: links with recurrent connections (manual: "Link implementations"). A stateful link keeps c and h between calls
// until reset_state(); states are not persistent values and are not serialized.
// Shapes: inputs x are (N, in), states and outputs (N, out). Errors: forward() throws InvalidType if shapes or dtypes
// do not match, set_state() throws ValueError for a state that is none.
#pragma once
#include "chainer/links/connection.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace links {

/// Options of LSTM and StatelessLSTM.
struct LSTMOptions {
  InitializerArg lateral_init = {}, upward_init = {};  ///< LeCunNormal by default, for each gate
  InitializerArg bias_init = {};                       ///< biases of a, i and o: zero by default
  InitializerArg forget_bias_init = {};                ///< one by default
};
/// Base of LSTM and StatelessLSTM: upward.W (4 out, in), upward.b (4 out) and lateral.W (4 out, out), whose rows are
/// the interleaved gates of F::lstm. Without in_size, the size is determined at the first call.
class LSTMBase : public Chain {
  struct Initial;
  std::shared_ptr<Initial> initial_;

 public:
  LSTMBase(std::optional<int64_t> in_size, int64_t out_size, const LSTMOptions& options);
  Linear upward, lateral;
  int64_t state_size() const { return lateral.out_size() / 4; }

 protected:
  /// Initializes the parameters for an input of this shape, unless they are initialized.
  void ensure_initialized(const Shape& x);

 private:
  void initialize_params();
};

/// A layer of long short-term memory that keeps its state: forward(x (N, in)) returns h (N, out) and keeps c and h. A
/// batch may be smaller than the previous one: the missing sequences, at the end, keep their state. Throws TypeError
/// for a larger batch, DimensionError if x has no axes. Hochreiter and Schmidhuber, 1997; Gers et al., 1999.
class LSTM : public LSTMBase {
 public:
  explicit LSTM(int64_t out_size, const LSTMOptions& options = {}) : LSTMBase(std::nullopt, out_size, options) {}
  CHAINER_OTHER_OPTIONS(LSTM, ".lateral_init, .upward_init, .bias_init, .forget_bias_init", int64_t);
  LSTM(std::optional<int64_t> in_size, int64_t out_size, const LSTMOptions& options = {})
      : LSTMBase(in_size, out_size, options) {}
  CHAINER_OTHER_OPTIONS(LSTM, ".lateral_init, .upward_init, .bias_init, .forget_bias_init", std::optional<int64_t>,
                        int64_t);
  Variable forward(const Variable& x);
  void reset_state() { c = h = Variable(); }
  void set_state(const Variable& new_c, const Variable& new_h);
  Variable c, h;  ///< none before the first call
  CHAINER_DECLARE_MEMBERS(LSTM);
};

/// One step of long short-term memory: forward(c, h, x) returns {c, h}. c and h may be none, which means zeros. Throws
/// DimensionError if x has no axes.
class StatelessLSTM : public LSTMBase {
 public:
  explicit StatelessLSTM(int64_t out_size, const LSTMOptions& options = {})
      : LSTMBase(std::nullopt, out_size, options) {}
  CHAINER_OTHER_OPTIONS(StatelessLSTM, ".lateral_init, .upward_init, .bias_init, .forget_bias_init", int64_t);
  StatelessLSTM(std::optional<int64_t> in_size, int64_t out_size, const LSTMOptions& options = {})
      : LSTMBase(in_size, out_size, options) {}
  CHAINER_OTHER_OPTIONS(StatelessLSTM, ".lateral_init, .upward_init, .bias_init, .forget_bias_init",
                        std::optional<int64_t>, int64_t);
  Variables forward(const Variable& c, const Variable& h, const Variable& x);
  CHAINER_DECLARE_MEMBERS(StatelessLSTM);
};

/// Options of the GRU links.
struct GRUOptions {
  InitializerArg init = {}, inner_init = {};  ///< for W and for U: LeCunNormal by default
  InitializerArg bias_init = {};              ///< zero by default
};
/// Base of the GRU links: W_r, W_z, W are applied to the input and U_r, U_z, U to the state.
class GRUBase : public Chain {
 public:
  GRUBase(std::optional<int64_t> in_size, int64_t out_size, const GRUOptions& options);
  Linear W_r, U_r, W_z, U_z, W, U;
};

/// One step of a gated recurrent unit: forward(h, x) returns (1 - z) h + z tanh(W x + U (r h)) with
/// r = sigmoid(W_r x + U_r h) and z = sigmoid(W_z x + U_z h). Cho et al., arXiv:1409.1259.
class StatelessGRU : public GRUBase {
 public:
  StatelessGRU(std::optional<int64_t> in_size, int64_t out_size, const GRUOptions& options = {})
      : GRUBase(in_size, out_size, options) {}
  CHAINER_OTHER_OPTIONS(StatelessGRU, ".init, .inner_init, .bias_init", std::optional<int64_t>, int64_t);
  Variable forward(const Variable& h, const Variable& x);
  CHAINER_DECLARE_MEMBERS(StatelessGRU);
};

/// StatelessGRU with a state: forward(x) returns the new h and keeps it; h is initially zero.
class StatefulGRU : public GRUBase {
 public:
  StatefulGRU(std::optional<int64_t> in_size, int64_t out_size, const GRUOptions& options = {})
      : GRUBase(in_size, out_size, options) {}
  CHAINER_OTHER_OPTIONS(StatefulGRU, ".init, .inner_init, .bias_init", std::optional<int64_t>, int64_t);
  Variable forward(const Variable& x);
  void reset_state() { h = Variable(); }
  void set_state(const Variable& new_h);
  Variable h;  ///< none before the first call
  CHAINER_DECLARE_MEMBERS(StatefulGRU);
};

/// Another name of StatefulGRU.
class GRU : public StatefulGRU {
 public:
  using StatefulGRU::StatefulGRU;
  CHAINER_DECLARE_MEMBERS(GRU);
};

/// Base of the MGU links.
class MGUBase : public Chain {
 public:
  MGUBase(int64_t n_inputs, int64_t n_units);
  Linear W_f, W_h;

 protected:
  Variable step(const Variable& h, const Variable& x);
};

/// One step of a minimal gated unit: forward(h, x) returns (1 - f) h + f tanh(W_h [f h; x]) with
/// f = sigmoid(W_f [h; x]).
/// Zhou et al., arXiv:1603.09420.
class StatelessMGU : public MGUBase {
 public:
  StatelessMGU(int64_t n_inputs, int64_t n_units) : MGUBase(n_inputs, n_units) {}
  Variable forward(const Variable& h, const Variable& x) { return step(h, x); }
  CHAINER_DECLARE_MEMBERS(StatelessMGU);
};

/// StatelessMGU with a state: forward(x) returns the new h and keeps it; h is initially zero.
class StatefulMGU : public MGUBase {
 public:
  StatefulMGU(int64_t in_size, int64_t out_size) : MGUBase(in_size, out_size), state_size_(out_size) {}
  Variable forward(const Variable& x);
  void reset_state() { h = Variable(); }
  void set_state(const Variable& new_h);
  Variable h;  ///< none before the first call
  CHAINER_DECLARE_MEMBERS(StatefulMGU);

 private:
  int64_t state_size_;
};

/// A stateful LSTM whose gates also depend on the cell: i and f on the old cell through peep_i and peep_f, o on the new
/// cell through peep_o. forward(x) returns h. Gers et al., 2002.
class StatefulPeepholeLSTM : public Chain {
 public:
  StatefulPeepholeLSTM(int64_t in_size, int64_t out_size);
  Variable forward(const Variable& x);
  void reset_state() { c = h = Variable(); }
  void set_state(const Variable& new_c, const Variable& new_h);
  Linear upward, lateral, peep_i, peep_f, peep_o;
  Variable c, h;  ///< none before the first call
  CHAINER_DECLARE_MEMBERS(StatefulPeepholeLSTM);

 private:
  int64_t state_size_;
};

/// Options of StatefulZoneoutLSTM: the probabilities that cells and outputs keep their old values.
struct StatefulZoneoutLSTMOptions {
  double c_ratio = 0.5, h_ratio = 0.5;
};
/// A stateful LSTM with F::zoneout on c and h. forward(x) returns h. Krueger et al., arXiv:1606.01305.
class StatefulZoneoutLSTM : public Chain {
 public:
  StatefulZoneoutLSTM(int64_t in_size, int64_t out_size, const StatefulZoneoutLSTMOptions& options = {});
  CHAINER_OTHER_OPTIONS(StatefulZoneoutLSTM, ".c_ratio, .h_ratio", int64_t, int64_t);
  Variable forward(const Variable& x);
  void reset_state() { c = h = Variable(); }
  void set_state(const Variable& new_c, const Variable& new_h);
  Linear upward, lateral;
  Variable c, h;  ///< none before the first call
  CHAINER_DECLARE_MEMBERS(StatefulZoneoutLSTM);

 private:
  int64_t state_size_;
  StatefulZoneoutLSTMOptions options_;
};

/// A node of a tree with any number of children, whose order does not matter: forward(c1, ..., ck, h1, ..., hk, x)
/// returns {c, h}. States of children and x may be none, which means zeros. Throws ValueError if all are none or the
/// number of arguments is even. Tai et al., arXiv:1503.00075.
class ChildSumTreeLSTM : public Chain {
 public:
  ChildSumTreeLSTM(int64_t in_size, int64_t out_size);
  Variables forward(const Variables& states_and_input);
  template <std::convertible_to<Variable>... V>
  Variables forward(const Variable& first, const V&... others) {
    return forward(Variables{first, others...});
  }
  Linear W_x, W_h_aio, W_h_f;
  CHAINER_DECLARE_MEMBERS(ChildSumTreeLSTM);

 private:
  int64_t in_size_, state_size_;
};

/// A node of a tree with n_ary ordered children, each with a matrix of its own (W_h1, W_h2, ...): forward(c1, ..., cn,
/// h1, ..., hn, x) returns {c, h}. States of children and x may be none, which means zeros. Throws ValueError if all
/// are none, for another number of arguments, or if n_ary < 1. Tai et al., arXiv:1503.00075, in the form of Bowman et
/// al., arXiv:1603.06021.
class NaryTreeLSTM : public Chain {
 public:
  NaryTreeLSTM(int64_t in_size, int64_t out_size, int64_t n_ary = 2);
  Variables forward(const Variables& states_and_input);
  template <std::convertible_to<Variable>... V>
  Variables forward(const Variable& first, const V&... others) {
    return forward(Variables{first, others...});
  }
  Linear W_x;
  std::vector<Linear> W_h;  ///< W_h[i - 1] belongs to child i and is named W_hi
  void visit(MemberVisitor& v) override;
  CHAINER_DECLARE_LINK(NaryTreeLSTM);

 private:
  int64_t in_size_, state_size_;
};

}  // namespace links
namespace L = links;
}  // namespace chainer
