// L: links with recurrent connections (manual: "Link implementations"). A stateful link keeps c and h between calls
// until reset_state(); states are no persistent values and are not serialized.
#pragma once
#include "chainer/links/connection.h"

namespace chainer {
namespace links {

/// Options of LSTM and StatelessLSTM.
struct LSTMOptions {
  InitializerArg lateral_init = {}, upward_init = {};  ///< LeCunNormal by default, for each gate
  InitializerArg bias_init = {};                       ///< of a, i and o: zero by default
  InitializerArg forget_bias_init = {};                ///< one by default
};
/// What LSTM and StatelessLSTM share: upward.W (4 out, in), upward.b and lateral.W (4 out, out), whose rows are the
/// gates of F::lstm, interleaved. Without in_size, the first call settles it.
class LSTMBase : public Chain {
  struct Initial;
  std::shared_ptr<Initial> initial_;

 public:
  LSTMBase(std::optional<int64_t> in_size, int64_t out_size, const LSTMOptions& options);
  Linear upward, lateral;
  int64_t state_size() const { return lateral.out_size() / 4; }

 protected:
  /// Initializes the parameters for an input of this shape if they are not.
  void ensure_initialized(const Shape& x);

 private:
  void initialize_params();
};

/// A layer of long short-term memory that keeps its state: forward(x (N, in)) gives h (N, out) and keeps c and h. A
/// batch may be smaller than the one before: the other sequences, at the end, have ended and keep their state. A
/// larger one is a TypeError. Hochreiter and Schmidhuber, 1997; Gers et al., 1999.
class LSTM : public LSTMBase {
 public:
  explicit LSTM(int64_t out_size, const LSTMOptions& options = {}) : LSTMBase(std::nullopt, out_size, options) {}
  LSTM(std::optional<int64_t> in_size, int64_t out_size, const LSTMOptions& options = {})
      : LSTMBase(in_size, out_size, options) {}
  Variable forward(const Variable& x);
  void reset_state() { c = h = Variable(); }
  void set_state(const Variable& new_c, const Variable& new_h);
  Variable c, h;  ///< none before the first call
  CHAINER_DECLARE_MEMBERS(LSTM);
};

/// One step of long short-term memory: forward(c, h, x) gives {c, h}. c and h may be none, which stands for zeros.
class StatelessLSTM : public LSTMBase {
 public:
  explicit StatelessLSTM(int64_t out_size, const LSTMOptions& options = {})
      : LSTMBase(std::nullopt, out_size, options) {}
  StatelessLSTM(std::optional<int64_t> in_size, int64_t out_size, const LSTMOptions& options = {})
      : LSTMBase(in_size, out_size, options) {}
  Variables forward(const Variable& c, const Variable& h, const Variable& x);
  CHAINER_DECLARE_MEMBERS(StatelessLSTM);
};

/// Options of the GRU links.
struct GRUOptions {
  InitializerArg init = {}, inner_init = {};  ///< of W and U: LeCunNormal by default
  InitializerArg bias_init = {};              ///< zero by default
};
/// The parameters of the GRU links: W_r, W_z, W from the input and U_r, U_z, U from the state.
class GRUBase : public Chain {
 public:
  GRUBase(std::optional<int64_t> in_size, int64_t out_size, const GRUOptions& options);
  Linear W_r, U_r, W_z, U_z, W, U;
};

/// One step of a gated recurrent unit: forward(h, x) gives (1 - z) h + z tanh(W x + U (r h)) with
/// r = sigmoid(W_r x + U_r h) and z = sigmoid(W_z x + U_z h). Cho et al., arXiv:1409.1259.
class StatelessGRU : public GRUBase {
 public:
  StatelessGRU(std::optional<int64_t> in_size, int64_t out_size, const GRUOptions& options = {})
      : GRUBase(in_size, out_size, options) {}
  Variable forward(const Variable& h, const Variable& x);
  CHAINER_DECLARE_MEMBERS(StatelessGRU);
};

/// The same with a state: forward(x) gives the new h and keeps it; h is zero at first.
class StatefulGRU : public GRUBase {
 public:
  StatefulGRU(std::optional<int64_t> in_size, int64_t out_size, const GRUOptions& options = {})
      : GRUBase(in_size, out_size, options) {}
  Variable forward(const Variable& x);
  void reset_state() { h = Variable(); }
  void set_state(const Variable& new_h);
  Variable h;  ///< none before the first call
  CHAINER_DECLARE_MEMBERS(StatefulGRU);
};

/// StatefulGRU under its short name.
class GRU : public StatefulGRU {
 public:
  using StatefulGRU::StatefulGRU;
  CHAINER_DECLARE_MEMBERS(GRU);
};

/// The parameters of the MGU links.
class MGUBase : public Chain {
 public:
  MGUBase(int64_t n_inputs, int64_t n_units);
  Linear W_f, W_h;

 protected:
  Variable step(const Variable& h, const Variable& x);
};

/// One step of a minimal gated unit: forward(h, x) gives (1 - f) h + f tanh(W_h [f h; x]) with f = sigmoid(W_f [h; x]).
/// Zhou et al., arXiv:1603.09420.
class StatelessMGU : public MGUBase {
 public:
  StatelessMGU(int64_t n_inputs, int64_t n_units) : MGUBase(n_inputs, n_units) {}
  Variable forward(const Variable& h, const Variable& x) { return step(h, x); }
  CHAINER_DECLARE_MEMBERS(StatelessMGU);
};

/// The same with a state: forward(x) gives the new h and keeps it; h is zero at first.
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

/// A stateful LSTM whose gates also see the cell: i and f the old one through peep_i and peep_f, o the new one through
/// peep_o. Gers et al., 2002.
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

/// Options of StatefulZoneoutLSTM: the probabilities with which cells and outputs keep their old value.
struct StatefulZoneoutLSTMOptions {
  double c_ratio = 0.5, h_ratio = 0.5;
};
/// A stateful LSTM with F::zoneout on c and h. Krueger et al., arXiv:1606.01305.
class StatefulZoneoutLSTM : public Chain {
 public:
  StatefulZoneoutLSTM(int64_t in_size, int64_t out_size, const StatefulZoneoutLSTMOptions& options = {});
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
/// gives {c, h}. Children's states and x may be none, which stands for zeros, but not all of them. Tai et al.,
/// arXiv:1503.00075.
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
/// h1, ..., hn, x) gives {c, h}. Children's states and x may be none, which stands for zeros, but not all of them.
/// Tai et al., arXiv:1503.00075, in the form of Bowman et al., arXiv:1603.06021.
class NaryTreeLSTM : public Chain {
 public:
  NaryTreeLSTM(int64_t in_size, int64_t out_size, int64_t n_ary = 2);
  Variables forward(const Variables& states_and_input);
  template <std::convertible_to<Variable>... V>
  Variables forward(const Variable& first, const V&... others) {
    return forward(Variables{first, others...});
  }
  Linear W_x;
  std::vector<Linear> W_h;  ///< that of child number i is W_h[i - 1], whose name is W_hi
  void visit(MemberVisitor& v) override;
  CHAINER_DECLARE_LINK(NaryTreeLSTM);

 private:
  int64_t in_size_, state_size_;
};

}  // namespace links
namespace L = links;
}  // namespace chainer
