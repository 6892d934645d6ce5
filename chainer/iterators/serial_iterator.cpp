#include "chainer/iterators/serial_iterator.h"

namespace chainer::iterators {

SerialIterator::SerialIterator(AnyDataset dataset, int64_t batch_size, const IteratorOptions& o)
    : dataset_(std::move(dataset)), batch_size_(batch_size), repeat_(o.repeat), sampler_(sampler_of(o)) {
  check_batches(dataset_, batch_size);
  reset();
}
std::optional<Examples> SerialIterator::try_next() {
  const int64_t visit = position.visits(dataset_.size());
  const auto indices = position.advance(batch_size_, dataset_.size(), repeat_, sampler_);
  if (!indices) return {};
  return read_examples(dataset_, *indices, visit);
}
void SerialIterator::reset() { position = first_position(dataset_.size(), sampler_); }
void SerialIterator::serialize(Serializer& s) { position.serialize(s, dataset_.size(), "order"); }

}  // namespace chainer::iterators
