// Links over several processes (manual: "Links" of ChainerMN).
#pragma once
#include <vector>

#include "chainer/links/chain_list.h"
#include "chainer/links/n_step_rnn.h"
#include "chainer/links/normalization.h"
#include "chainer/mn/functions.h"

namespace chainer::mn {

/// Where a component's inputs come from or its outputs go to: none (the model's own), one rank, or several.
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

/// Components of a model whose other components are on other ranks. They run in the order in which they were added;
/// inputs of one come from the model's inputs (no rank_in) or from other ranks, in the order of rank_in; outputs go to
/// other ranks, or are the model's (no rank_out: one component at most, ValueError). The own rank passes outputs on to
/// a later component. Backward visits the components in reverse. A constructor of a derived class calls
/// `add_link(First(), {.rank_out = 1})`, `add_link(Last(), {.rank_in = 1})`.
class MultiNodeChainList : public ChainList {
 public:
  explicit MultiNodeChainList(Communicator comm) : comm_(std::move(comm)) {}
  void add_link(Kept<Link> link, const AddLinkOptions& options = {});
  /// The model's output, or the last delegate variable where there is none. What a component left for its own rank and
  /// nobody took is a ValueError.
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
/// L::BatchNormalization whose batch in training is that of all ranks together (as many examples on each): one rank
/// with all examples gives the same, running statistics included. The mean is taken over all ranks first, then the
/// variance around it. Collective in training, forward and backward.
class MultiNodeBatchNormalization : public chainer::links::BatchNormalization {
 public:
  MultiNodeBatchNormalization(int64_t size, Communicator comm, const MultiNodeBatchNormalizationOptions& options = {});
  Variable forward(const Variable& x, bool finetune = false);
  CHAINER_MEMBERS(MultiNodeBatchNormalization, gamma, beta, avg_mean, avg_var, N);

 private:
  Communicator comm_;
};

/// What MultiNodeNStepRNN returns: the states (cy for LSTMs only), the outputs, and the delegate of what was sent, or
/// none.
struct MultiNodeNStepRnnResult {
  Variable hy, cy;
  Variables ys;
  Variable delegate_variable;
  /// The states that are there, the outputs, the delegate if there is one.
  operator Variables() const {
    Variables all{hy};
    if (cy) all.push_back(cy);
    for (const Variable& y : ys) all.push_back(y);
    if (delegate_variable) all.push_back(delegate_variable);
    return all;
  }
};

/// An n-step recurrent link whose initial states come from another rank, and whose final states go to one.
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
        throw ValueError("multi-node n-step RNN: rank ", *rank_in_, " sent ", states.size(), " states; ",
                         kHasCells ? 2 : 1, " are wanted");
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
/// Makes one of an n-step link: `create_multi_node_n_step_rnn(L::NStepLSTM(1, 8, 8, 0.1), comm, {.rank_out = 1})`.
template <std::derived_from<chainer::links::NStepRNNBase> R>
MultiNodeNStepRNN<R> create_multi_node_n_step_rnn(R actual_link, Communicator communicator,
                                                  const MultiNodeNStepRnnOptions& options = {}) {
  return MultiNodeNStepRNN<R>(std::move(actual_link), std::move(communicator), options.rank_in, options.rank_out);
}

}  // namespace links
}  // namespace chainer::mn
