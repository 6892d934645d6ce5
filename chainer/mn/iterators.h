// SPDX-License-Identifier: MIT
// Iterators for several processes (manual: "Iterators" of ChainerMN).
#pragma once
#include <memory>

#include "chainer/iterators/iterator.h"
#include "chainer/iterators/iterators.h"
#include "chainer/mn/communicator_base.h"

namespace chainer::mn::iterators {

/// Sends the batches of one rank's iterator to all ranks, so that all get the same examples in the same order.
///
/// try_next(), next() and serialize() are collective. Of the iterators of other ranks only the batch size is used, so
/// their datasets may have empty examples. Examples of any kind are sent, with their dtypes. If the iterator of the
/// master throws, the other ranks throw RuntimeError. The constructor throws ValueError for a master that does not
/// exist.
class MultiNodeIterator : public Iterator {
 public:
  MultiNodeIterator(Kept<Iterator> actual, Communicator comm, int rank_master = 0);
  std::optional<Examples> try_next() override;
  void finalize() override { actual_->finalize(); }
  void reset() override;
  void serialize(Serializer& s) override;
  int64_t batch_size() const override { return actual_->batch_size(); }
  int64_t epoch() const override { return state_.epoch; }
  double epoch_detail() const override { return state_.epoch_detail; }
  std::optional<double> previous_epoch_detail() const override { return state_.previous_epoch_detail; }
  bool is_new_epoch() const override { return state_.is_new_epoch; }
  bool repeat() const override { return state_.repeat; }

 private:
  struct State {
    int64_t epoch = 0;
    double epoch_detail = 0;
    std::optional<double> previous_epoch_detail;
    bool is_new_epoch = false, repeat = true;
  };
  Object state_object() const;
  void take_state(const Object& o);
  Kept<Iterator> actual_;
  Communicator comm_;
  int master_;
  State state_;
};
/// Returns a MultiNodeIterator. Collective.
MultiNodeIterator create_multi_node_iterator(Kept<Iterator> actual_iterator, Communicator communicator,
                                             int rank_master = 0);

/// Returns an order sampler that gives all ranks the same orders: a SeededOrderSampler, whose seed rank 0 draws.
/// Iterators save its state. Collective.
chainer::iterators::OrderSampler synchronized_order(const Communicator& comm);

/// Returns an iterator of class I with the same order of examples on all ranks; each rank reads them from its own
/// dataset. Later versions of the release replace the order sampler of an existing iterator; this function creates one:
/// `chainermn::iterators::create_synchronized_iterator<iterators::SerialIterator>(comm, dataset, 32)`. Collective.
template <class I = chainer::iterators::SerialIterator>
I create_synchronized_iterator(const Communicator& comm, AnyDataset dataset, int64_t batch_size,
                               chainer::iterators::IteratorOptions options = {}) {
  if (options.shuffle.value_or(true) && !options.order_sampler) {
    options.shuffle = std::nullopt;
    options.order_sampler = synchronized_order(comm);
  }
  return I(std::move(dataset), batch_size, options);
}

}  // namespace chainer::mn::iterators
