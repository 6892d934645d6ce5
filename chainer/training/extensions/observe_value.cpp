// SPDX-License-Identifier: MIT
// observe_value and observe_lr.
#include "chainer/optimizers/optimizers.h"
#include "chainer/training/extensions.h"

namespace chainer::training::extensions {

std::shared_ptr<Extension> observe_value(const std::string& key, std::function<double(Trainer&)> f) {
  return make_extension([key, f = std::move(f)](Trainer& t) { t.observation.insert_or_assign(key, f(t)); },
                        {.trigger = {1, "epoch"}, .default_name = "_observe_value", .priority = PRIORITY_WRITER});
}
std::shared_ptr<Extension> observe_lr(const std::string& optimizer_name, const std::string& key) {
  return observe_value(key, [optimizer_name](Trainer& t) {
    const Optimizer& o = t.updater().get_optimizer(optimizer_name);
    if (const auto* adam = dynamic_cast<const optimizers::Adam*>(&o)) return adam->lr();
    return o.get(dynamic_cast<const optimizers::AdamW*>(&o) ? "alpha" : "lr");
  });
}

}  // namespace chainer::training::extensions
