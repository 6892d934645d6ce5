// SPDX-License-Identifier: MIT
#include "chainer/training/extensions/weight_average.h"

#include "chainer/training/trainer.h"

namespace chainer::training::extensions {

void WeightAverage::operator()(Trainer& trainer) {
  averaged_->update(trainer.updater().get_optimizer("main").target());
}
void WeightAverage::serialize(Serializer& s) { averaged_->serialize(*s.child("averaged")); }

}  // namespace chainer::training::extensions
