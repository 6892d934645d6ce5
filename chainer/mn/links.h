// SPDX-License-Identifier: MIT
// Links for several processes (manual: "Links" of ChainerMN).
#pragma once
#include <vector>

#include "chainer/links/chain_list.h"
#include "chainer/links/n_step_rnn.h"
#include "chainer/links/normalization.h"
#include "chainer/mn/functions.h"
#include "chainer/core/other_options.h"

namespace chainer::mn {

/// The ranks that send the inputs or receive the outputs of a component: none (those of the model), one, or several.
class Ranks {
 public:
  Ranks() = default;
  Ranks(std::nullopt_t) {}
  Ranks(int rank) : ranks_{rank}, given_(true) {}
  Ranks(std::initializer_list<int> ranks) : ranks_(ranks), given_(true) {}
  Ranks(std::vector<int> ranks) : ranks_(std::move(ranks)), given_(true) {}
  bool given() const { return given_; }
  const std::vector<int>& all() const { return ranks_; }

 private:
  std::vector<int> ranks_;
  bool given_ = false;
};

/// Options of MultiNodeChainList::add_link().
struct AddLinkOptions {
  Ranks rank_in = {}, rank_out = {};
};

/// The components of a model on this rank; other components are on other ranks. Components run in the order of their
/// addition. The inputs of a component are those of the model (no rank_in) or are received from other ranks, in the
/// order of rank_in; its outputs are sent to other ranks, or are those of the model (no rank_out). The own rank as
/// rank_out passes outputs to a later component. Backward visits the components in reverse. A constructor of a derived
/// class calls `add_link(First(), {.rank_out = 1})`, `add_link(Last(), {.rank_in = 1})`. add_link() throws ValueError
/// for a rank that does not exist and for a second component without rank_out.
class MultiNodeChainList : public ChainList {
 public:
  explicit MultiNodeChainList(Communicator comm) : comm_(std::move(comm)) {}
  void add_link(Kept<Link> link, const AddLinkOptions& options = {});
  CHAINER_OTHER_OPTIONS_METHOD(add_link, ".rank_in, .rank_out", Kept<Link>);
  /// Returns the output of the model, or the last delegate variable if there is none. Throws ValueError if outputs for
  /// the own rank are missing or are not used by a later component.
  Variables forward(const Variables& inputs);
  CHAINER_LINK(MultiNodeChainList);

 private:
  Communicator comm_;
  std::vector<AddLinkOptions> ways_;
};

namespace links {

/// Options of MultiNodeBatchNormalization, in the manual's order.
struct MultiNodeBatchNormalizationOptions {
  double decay = 0.9;
  double eps = 2e-5;
  std::optional<Dtype> dtype = {};
  bool use_gamma = true;
  bool use_beta = true;
  InitializerArg initial_gamma = {};
  InitializerArg initial_beta = {};
};
/// L::BatchNormalization over the batches of all ranks together (of equal sizes) in training mode: the result,
/// including running statistics, is that of one rank with all examples. Computes the mean over all ranks first, then
/// the variance around it. Collective in training mode, forward and backward. Throws ValueError if x does not match
/// `size`.
class MultiNodeBatchNormalization : public chainer::links::BatchNormalization {
 public:
  MultiNodeBatchNormalization(int64_t size, Communicator comm, const MultiNodeBatchNormalizationOptions& options = {});
  CHAINER_OTHER_OPTIONS(MultiNodeBatchNormalization,
                        ".decay, .eps, .dtype, .use_gamma, .use_beta, .initial_gamma, .initial_beta", int64_t,
                        Communicator);
  Variable forward(const Variable& x, bool finetune = false);
  CHAINER_MEMBERS(MultiNodeBatchNormalization, gamma, beta, avg_mean, avg_var, N);

 private:
  Communicator comm_;
};

/// The result of MultiNodeNStepRNN: the states (cy for LSTMs only), the outputs, and the delegate of the sent states,
/// or none.
struct MultiNodeNStepRnnResult {
  Variable hy, cy;
  Variables ys;
  Variable delegate_variable;
  /// Returns hy, cy if there is one, the outputs, and the delegate if there is one.
  operator Variables() const {
    Variables all{hy};
    if (cy) all.push_back(cy);
    for (const Variable& y : ys) all.push_back(y);
    if (delegate_variable) all.push_back(delegate_variable);
    return all;
  }
};

/// An n-step recurrent link that receives its initial states from another rank and sends its final states to one.
/// forward() throws ValueError if the number of received states does not match.
template <std::derived_from<chainer::links::NStepRNNBase> R>
class MultiNodeNStepRNN : public Chain {
 public:
  static constexpr bool kHasCells =
      std::same_as<R, chainer::links::NStepLSTM> || std::same_as<R, chainer::links::NStepBiLSTM>;
  MultiNodeNStepRNN(R link, Communicator comm, std::optional<int> rank_in, std::optional<int> rank_out)
      : actual_rnn(std::move(link)), comm_(std::move(comm)), rank_in_(rank_in), rank_out_(rank_out) {}
  MultiNodeNStepRnnResult forward(const Variables& xs) {
    Variables states(kHasCells ? 2 : 1);
    if (rank_in_) {
      states = mn::functions::recv_tuple(comm_, *rank_in_);
      if (states.size() != (kHasCells ? 2 : 1))
        throw ValueError("multi-node n-step RNN: rank ", *rank_in_, " sent ", states.size(), " states, expected ",
                         kHasCells ? 2 : 1);
    }
    MultiNodeNStepRnnResult out;
    if constexpr (kHasCells) {
      auto r = actual_rnn(states[0], states[1], xs);
      out.hy = r.hy, out.cy = r.cy, out.ys = std::move(r.ys);
      states = {out.hy, out.cy};
    } else {
      auto r = actual_rnn(states[0], xs);
      out.hy = r.hy, out.ys = std::move(r.ys);
      states = {out.hy};
    }
    if (rank_out_) out.delegate_variable = mn::functions::send(states, comm_, *rank_out_);
    return out;
  }
  R actual_rnn;
  CHAINER_MEMBERS(MultiNodeNStepRNN, actual_rnn);

 private:
  Communicator comm_;
  std::optional<int> rank_in_, rank_out_;
};

/// Options of create_multi_node_n_step_rnn().
struct MultiNodeNStepRnnOptions {
  std::optional<int> rank_in = {}, rank_out = {};
};
/// Makes a MultiNodeNStepRNN of an n-step link:
/// `create_multi_node_n_step_rnn(L::NStepLSTM(1, 8, 8, 0.1), comm, {.rank_out = 1})`.
template <std::derived_from<chainer::links::NStepRNNBase> R>
MultiNodeNStepRNN<R> create_multi_node_n_step_rnn(R actual_link, Communicator communicator,
                                                  const MultiNodeNStepRnnOptions& options = {}) {
  return MultiNodeNStepRNN<R>(std::move(actual_link), std::move(communicator), options.rank_in, options.rank_out);
}

}  // namespace links
}  // namespace chainer::mn
