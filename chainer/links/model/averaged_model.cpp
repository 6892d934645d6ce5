// SPDX-License-Identifier: MIT
#include <map>
#include <utility>

#include "chainer/autograd/config.h"
#include "chainer/links/model.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::links {

AveragedModel::AveragedModel(const Link& model, const AveragedModelOptions& o)
    : model_(model.clone(CopyMode::copy)), options_(o) {
  if (o.decay && !(*o.decay >= 0 && *o.decay <= 1))
    throw ValueError("AveragedModel: decay must be from 0 to 1, not ", *o.decay);
}

void AveragedModel::update(const Link& model) {
  std::map<std::string, Array> means;  // before this update
  if (n_averaged_ > 0)
    for (const auto& [path, p] : model_->namedparams(false)) means.emplace(path, p.array());
  for (auto& [path, p] : model_->namedparams()) {
    const auto it = means.find(path);
    // Copies: copyparams() below writes to the arrays of the model.
    if (it != means.end()) it->second = it->second.copy();
  }
  model_->copyparams(model);
  ++n_averaged_;
  const double rate = options_.decay ? 1 - *options_.decay : 1 / static_cast<double>(n_averaged_);
  for (auto& [path, p] : model_->namedparams(false)) {
    const auto it = means.find(path);
    if (it == means.end()) continue;
    p.set_array(it->second + (p.array() - it->second) * rate);
  }
}

Variable AveragedModel::forward(const Variables& args) {
  Variables out = model_->call(args);
  if (out.size() != 1) throw TypeError("AveragedModel: the model must return one variable, got ", out.size());
  return out[0];
}

CHAINER_DEFINE_MEMBERS(AveragedModel, model_, n_averaged_)

}  // namespace chainer::links
