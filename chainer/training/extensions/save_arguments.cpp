// SPDX-License-Identifier: MIT
#include "chainer/core/system/file.h"
#include "chainer/core/json.h"
#include "chainer/training/extensions/live.h"

namespace chainer::training::extensions {

void SaveArguments::initialize(Trainer& trainer) {
  json::Object all;
  for (const auto& [name, value] : arguments_) all.emplace_back(name, value);
  write_file(trainer.out() / "args", json::dump(json::Value(std::move(all)), 4));
}

}  // namespace chainer::training::extensions
