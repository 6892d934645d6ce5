// SPDX-License-Identifier: MIT
#include "chainer/iterators/serial_iterator.h"

namespace chainer::iterators {

SerialIterator::SerialIterator(AnyDataset dataset, int64_t batch_size, const IteratorOptions& o)
    : dataset_(std::move(dataset)), batch_size_(batch_size), repeat_(o.repeat), planner_(sampler_of(o)) {
  check_batches(dataset_, batch_size, repeat_);
  reset();
}
std::optional<Examples> SerialIterator::try_next() {
  auto batch = planner_.plan(position, batch_size_, dataset_.size(), repeat_);
  if (!batch) return {};
  try {
    Examples out = read_examples(dataset_, batch->indices, batch->first_visit);
    position = std::move(batch->after);
    return out;
  } catch (...) {
    planner_.give_back(*batch);
    throw;
  }
}
void SerialIterator::reset() { position = planner_.start(dataset_.size()); }
void SerialIterator::serialize(Serializer& s) {
  position.serialize(s, dataset_.size(), "order");
  planner_.serialize(s, dataset_.size(), {});
}

}  // namespace chainer::iterators
