// SPDX-License-Identifier: MIT
#include "chainer/training/extensions.h"

namespace chainer::training::extensions {

MicroAverage::MicroAverage(std::string numerator_key, std::string denominator_key, std::string result_key,
                           Trigger interval)
    : numerator_key_(std::move(numerator_key)),
      denominator_key_(std::move(denominator_key)),
      result_key_(std::move(result_key)),
      interval_(std::move(interval)) {}

void MicroAverage::operator()(Trainer& trainer) {
  const auto n = trainer.observation.find(numerator_key_), d = trainer.observation.find(denominator_key_);
  if (n != trainer.observation.end() && d != trainer.observation.end()) {
    numerator_ += n->second.number();
    denominator_ += d->second.number();
  }
  if (!interval_(trainer)) return;
  trainer.observation.insert_or_assign(result_key_, numerator_ / denominator_);
  numerator_ = denominator_ = 0;
}
void MicroAverage::serialize(Serializer& s) {
  s("_numerator", numerator_);
  s("_denominator", denominator_);
  interval_.serialize(*s.child("_trigger"));
}

}  // namespace chainer::training::extensions
