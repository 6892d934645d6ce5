// SPDX-License-Identifier: MIT
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/reduction.h"
#include "chainer/training/extensions.h"

namespace chainer::training::extensions {

void FailOnNonNumber::operator()(Trainer& trainer) {
  for (const auto& [optimizer_name, optimizer] : trainer.updater().get_all_optimizers()) {
    if (!optimizer->has_target()) continue;
    for (const auto& [path, p] : optimizer->target().namedparams(false))
      if (!all(isfinite(p.array())).item<bool>())
        throw RuntimeError("Kill the process since parameters in optimizer '", optimizer_name, "' diverge: ", path,
                           " is not finite. R.I.P.");
  }
}

}  // namespace chainer::training::extensions
