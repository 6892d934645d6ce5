// SPDX-License-Identifier: MIT
#include <map>
#include <utility>

#include "chainer/autograd/config.h"
#include "chainer/links/model.h"
#include "chainer/routines/arithmetic.h"

namespace chainer::links {
namespace {

bool is_narrow(const Parameter& p) { return is_floating(p.dtype()) && item_size(p.dtype()) == 2; }

}  // namespace

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
    if (!is_narrow(p)) {
      p.set_array(it->second + (p.array() - it->second) * rate);
      continue;
    }
    Array& mean = wide_[path];
    const Array before = it->second.astype(float32);
    // (The model may have been loaded, changed or moved since.)
    if (!mean || mean.shape() != before.shape()) mean = before;
    mean = mean.to_device(before.device());
    mean = where(mean.astype(p.dtype()) == it->second, mean, before);
    mean = mean + (p.array().astype(float32) - mean) * rate;
    p.set_array(mean.astype(p.dtype()));
  }
}

void AveragedModel::serialize(Serializer& s) {
  Link::serialize(s);
  int64_t number = 0;
  for (auto& [path, p] : model_->namedparams(false)) {
    if (!is_narrow(p)) continue;
    const std::string key = "float32_" + std::to_string(number++);
    if (s.is_loading() ? !s.contains(key) : !wide_.contains(path)) continue;
    s.array(key, wide_[path]);
    if (wide_[path].shape() != p.shape())
      throw ValueError("AveragedModel: '", key, "' has the shape ", wide_[path].shape(), ", the parameter ", path, " ",
                       p.shape());
  }
}

Variable AveragedModel::forward(const Variables& args) {
  Variables out = model_->call(args);
  if (out.size() != 1) throw TypeError("AveragedModel: the model must return one variable, got ", out.size());
  return out[0];
}

CHAINER_DEFINE_MEMBERS(AveragedModel, model_, n_averaged_)

}  // namespace chainer::links
