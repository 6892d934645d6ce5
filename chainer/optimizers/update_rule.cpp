// SPDX-License-Identifier: MIT
#include "chainer/array/backend.h"
#include "chainer/array/version.h"
#include "chainer/optimizers/optimizer.h"
#include "chainer/optimizers/passes.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer {

using optimizer::Timing;

UpdateRule::UpdateRule(std::shared_ptr<optimizer::Hyperparameter> parent)
    : hyperparam_(std::make_shared<optimizer::Hyperparameter>(std::move(parent))) {}

void UpdateRule::add_hook(std::shared_ptr<optimizer::Hook> hook, const std::string& given, Timing timing) {
  const std::string name = given.empty() && hook ? hook->name() : given;
  if (hooks_.has(name)) throw ValueError("hook '", name, "' already exists");
  hooks_.add(std::move(hook), name, timing);
}

void UpdateRule::prepare(Parameter& target, double loss_scale) {
  const Array& data = target.array();
  const auto wanted = initial_state();
  if (state.size() != wanted.size()) {
    state.clear();
    for (const auto& [name, value] : wanted) state.emplace_back(name, full_like(data, value));
  }
  for (auto& [name, a] : state) {
    // A state may have been loaded or set before the parameter got its shape.
    if (!a || a.shape() != data.shape())
      throw ValueError("update: the state '", name, "' has shape ", a ? to_string(a.shape()) : "of none",
                       ", its parameter ", data.shape());
    if (a.dtype() != data.dtype()) a = a.astype(data.dtype());
    if (!a.is_contiguous()) a = a.copy();
    if (a.device() != data.device()) a = a.to_device(data.device());
  }
  if (loss_scale == 1 || !target.grad()) return;
  target.set_grad(target.grad() * (1 / loss_scale));
  target.variable().node()->set_loss_scale({});
}

Dtype UpdateRule::state_dtype(const Parameter& param) const {
  return fp32_ && item_size(param.dtype()) == 2 ? float32 : param.dtype();
}

void UpdateRule::update(Parameter& param) {
  if (!enabled || !param.is_initialized()) return;
  const UpdateOf one_update(param.array());
  ++t;
  const bool narrow = state_dtype(param) != param.dtype();
  if (narrow) {
    follow(param.array());
    const Array g = param.grad();
    master_->set_grad(g ? g.astype(float32) : Array());
  }
  Parameter& target = narrow ? *master_ : param;
  prepare(target, param.loss_scale());
  for (const auto& [name, hook] : hooks_.of(Timing::pre)) (*hook)(*this, target);
  if (target.grad()) update_core(target);
  for (const auto& [name, hook] : hooks_.of(Timing::post)) (*hook)(*this, target);
  if (narrow) {
    Array data = param.array();
    copy_elements(master_->array(), data);
  }
}

bool UpdateRule::update_later(Parameter& param, optimizer::Passes& passes) {
  if (!enabled || !param.is_initialized()) return true;
  if (!is_pass() || !hooks_.empty() || state_dtype(param) != param.dtype()) return false;
  ++t;
  prepare(param, param.loss_scale());
  if (param.grad()) passes.add(pass(param));
  return true;
}
UpdatePass UpdateRule::pass(Parameter&) const {
  throw TypeError("update: a rule whose is_pass() returns true must define pass()");
}

// Updates the 32-bit copy where the parameter was changed by other code since the last update.
void UpdateRule::follow(const Array& data) {
  if (!master_ || master_->shape() != data.shape()) {
    master_ = Parameter(data.astype(float32));
    return;
  }
  Array copy = master_->array();
  if (copy.device() != data.device()) copy = copy.to_device(data.device());
  master_ = Parameter(where(equal(copy.astype(data.dtype()), data), copy, data.astype(float32)));
}

void UpdateRule::serialize_master(Serializer& s, const Parameter* param) {
  const char* const key = "_fp32";  // not in the reference release, which starts from the rounded values
  if (!s.is_loading()) {
    Array copy = master_ ? master_->array() : Array();
    if (fp32_ && copy) s.array(key, copy);
    return;
  }
  master_.reset();
  if (!fp32_ || !s.contains(key)) return;
  Array copy;
  if (param && param->is_initialized()) copy = Array(param->shape(), float32, param->array().device());
  s.array(key, copy);
  if (copy) master_ = Parameter(copy.astype(float32));
}

void UpdateRule::serialize(Serializer& s, const Parameter* param) {
  s.count("t", t);
  serialize_master(s, param);
  for (const auto& [name, value] : initial_state()) {
    auto it = state.begin();
    while (it != state.end() && it->first != name) ++it;
    if (!s.is_loading()) {
      Array a = it == state.end() ? Array() : it->second;
      s.array(name, a);
      continue;
    }
    const bool sized = param && param->is_initialized();
    if (it != state.end() && sized && it->second.shape() != param->shape()) it = state.erase(it), it = state.end();
    if (it != state.end()) {
      s.array(name, it->second);
    } else if (s.contains(name) || enabled) {
      Array a;
      s.array(name, a);
      if (!a) continue;
      if (sized && (a.shape() != param->shape() || a.dtype() != state_dtype(*param))) {
        // Loads into an array like the parameter: the serializer then checks the shape, with the path in the message,
        // and casts.
        a = Array(param->shape(), state_dtype(*param), param->array().device());
        s.array(name, a);
      }
      state.emplace_back(name, a);
    }
  }
}

}  // namespace chainer
