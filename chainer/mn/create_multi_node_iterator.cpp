// SPDX-License-Identifier: MIT
#include "chainer/mn/iterators.h"

namespace chainer::mn::iterators {

MultiNodeIterator::MultiNodeIterator(Kept<Iterator> actual, Communicator comm, int rank_master)
    : actual_(std::move(actual)), comm_(std::move(comm)), master_(rank_master) {
  if (!comm_) throw TypeError("create_multi_node_iterator: the communicator is nullptr");
  if (master_ < 0 || master_ >= comm_->size())
    throw ValueError("create_multi_node_iterator: rank_master ", master_, " is out of range for ", comm_->size(),
                     " ranks");
  take_state(comm_->bcast_obj(state_object(), {.root = master_}));
}

Object MultiNodeIterator::state_object() const {
  const auto previous = actual_->previous_epoch_detail();
  return Object(ObjectList{Object(actual_->epoch()), Object(actual_->epoch_detail()),
                           previous ? Object(*previous) : Object(), Object(actual_->is_new_epoch()),
                           Object(actual_->repeat())});
}
void MultiNodeIterator::take_state(const Object& o) {
  const ObjectList& l = o.to_list();
  state_.epoch = l.at(0).to_int();
  state_.epoch_detail = l.at(1).to_number();
  state_.previous_epoch_detail = l.at(2).is_none() ? std::nullopt : std::optional(l[2].to_number());
  state_.is_new_epoch = l.at(3).to_bool();
  state_.repeat = l.at(4).to_bool();
}

std::optional<Examples> MultiNodeIterator::try_next() {
  // The message is [state, batch], [state] at the end of the data, or the text of an error.
  if (comm_->rank() == master_) {
    std::optional<Examples> batch;
    try {
      batch = actual_->try_next();
    } catch (const std::exception& e) {
      (void)comm_->bcast_obj(Object(e.what()), {.root = master_});
      throw;
    }
    ObjectList message{state_object()};
    if (batch) {
      ObjectList examples;
      for (const Example& e : *batch) examples.push_back(to_object(e));
      message.emplace_back(std::move(examples));
    }
    take_state(message[0]);
    (void)comm_->bcast_obj(Object(std::move(message)), {.root = master_});
    return batch;
  }
  const Object message = comm_->bcast_obj(Object(), {.root = master_});
  if (const auto* what = std::get_if<std::string>(&message.variant()))
    throw RuntimeError("multi-node iterator: rank ", master_, ": ", *what);
  take_state(message.to_list().at(0));
  if (message.to_list().size() == 1) return {};
  Examples batch;
  for (const Object& e : message.to_list()[1].to_list()) batch.push_back(to_example(e));
  return batch;
}

void MultiNodeIterator::reset() {
  if (comm_->rank() == master_) actual_->reset();
  take_state(comm_->bcast_obj(state_object(), {.root = master_}));
}

void MultiNodeIterator::serialize(Serializer& s) {
  if (comm_->rank() == master_) actual_->serialize(s);
  take_state(comm_->bcast_obj(state_object(), {.root = master_}));
}

MultiNodeIterator create_multi_node_iterator(Kept<Iterator> actual, Communicator comm, int rank_master) {
  return MultiNodeIterator(std::move(actual), std::move(comm), rank_master);
}

}  // namespace chainer::mn::iterators
