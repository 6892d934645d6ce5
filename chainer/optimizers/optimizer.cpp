// SPDX-License-Identifier: MIT
#include "chainer/optimizers/optimizer.h"

#include <algorithm>

#include "chainer/core/system/type_name.h"

namespace chainer {
namespace optimizer {

double Hyperparameter::get(std::string_view name) const {
  for (const Hyperparameter* h = this; h; h = h->parent_.get())
    if (const auto it = h->values_.find(name); it != h->values_.end()) return it->second;
  throw KeyError("no hyperparameter '", name, "'; available: ", to_string(*this));
}
void Hyperparameter::set(const std::string& name, double value) {
  if ((name == "lr" || name == "alpha") && !(value >= 0))
    throw ValueError("the hyperparameter ", name, " must not be negative or NaN, got ", value,
                     value < 0 ? ": to climb a function, return its negative as the loss" : "");
  values_[name] = value;
}
bool Hyperparameter::has(std::string_view name) const {
  for (const Hyperparameter* h = this; h; h = h->parent_.get())
    if (h->values_.count(std::string(name))) return true;
  return false;
}
void Hyperparameter::set_known(const std::string& name, double value) {
  if (!has(name)) (void)get(name);  // throws an error that lists the existing names
  set(name, value);
}
std::map<std::string, double> Hyperparameter::get_dict() const {
  std::map<std::string, double> out = parent_ ? parent_->get_dict() : std::map<std::string, double>();
  for (const auto& [k, v] : values_) out[k] = v;
  return out;
}
std::string to_string(const Hyperparameter& h) {
  std::string s;
  for (const auto& [k, v] : h.get_dict()) s += text(s.empty() ? "" : ", ", k, "=", v);
  return "Hyperparameter(" + s + ")";
}

void Hook::operator()(UpdateRule&, Parameter&) {
  throw TypeError("hook ", name(), " is called with the optimizer, not with a parameter");
}
void Hook::operator()(Optimizer&) {
  throw TypeError("hook ", name(), " is called with each parameter, not with the optimizer");
}

namespace {
template <bool each>
struct FunctionHook : Hook {
  using F = std::conditional_t<each, std::function<void(UpdateRule&, Parameter&)>, std::function<void(Optimizer&)>>;
  FunctionHook(std::string n, F g, Timing t) : name_(std::move(n)), f(std::move(g)), timing_(t) {}
  std::string name() const override { return name_; }
  Timing timing() const override { return timing_; }
  bool call_for_each_param() const override { return each; }
  void operator()(UpdateRule& r, Parameter& p) override {
    if constexpr (each)
      f(r, p);
    else
      Hook::operator()(r, p);
  }
  void operator()(Optimizer& o) override {
    if constexpr (each)
      Hook::operator()(o);
    else
      f(o);
  }
  std::string name_;
  F f;
  Timing timing_;
};
}  // namespace

std::shared_ptr<Hook> make_hook(std::string name, std::function<void(Optimizer&)> f, Timing timing) {
  return std::make_shared<FunctionHook<false>>(std::move(name), std::move(f), timing);
}
std::shared_ptr<Hook> make_hook(std::string name, std::function<void(UpdateRule&, Parameter&)> f, Timing timing) {
  return std::make_shared<FunctionHook<true>>(std::move(name), std::move(f), timing);
}

void HookList::add(std::shared_ptr<Hook> hook, const std::string& given, Timing timing) {
  if (!hook) throw TypeError("add_hook: a hook is needed");
  const std::string name = given.empty() ? hook->name() : given;
  if (has(name)) throw KeyError("hook '", name, "' already exists");
  if (timing == Timing::automatic) timing = hook->timing() == Timing::post ? Timing::post : Timing::pre;
  hooks_.push_back({name, std::move(hook), timing});
}
bool HookList::has(const std::string& name) const {
  return std::any_of(hooks_.begin(), hooks_.end(), [&](const Entry& e) { return e.name == name; });
}
void HookList::remove(const std::string& name) {
  const auto it = std::find_if(hooks_.begin(), hooks_.end(), [&](const Entry& e) { return e.name == name; });
  if (it == hooks_.end()) throw KeyError("hook '", name, "' does not exist");
  hooks_.erase(it);
}
const std::vector<std::pair<std::string, std::shared_ptr<Hook>>> HookList::of(Timing timing) const {
  std::vector<std::pair<std::string, std::shared_ptr<Hook>>> out;
  for (const Entry& e : hooks_)
    if (e.timing == timing) out.emplace_back(e.name, e.hook);
  return out;
}

}  // namespace optimizer

using optimizer::Timing;

void Optimizer::setup_link(Kept<Link> link) {
  target_ = std::move(link);
  t = 0;
  epoch = 0;
  hooks_.clear();
}

std::string Optimizer::class_name() const { return type_name(typeid(*this)); }

Link& Optimizer::target() const {
  if (!target_) throw RuntimeError("the optimizer has no target: call setup() first");
  try {
    return *target_;
  } catch (const RuntimeError& e) { throw RuntimeError(class_name(), ": its target is gone: ", e.what()); }
}

void Optimizer::new_epoch(bool automatic) {
  if (automatic != use_auto_new_epoch)
    throw RuntimeError(automatic
                           ? "new_epoch(automatic) was called, but use_auto_new_epoch is off"
                           : "new_epoch() was called directly, but use_auto_new_epoch is on: the updater calls it");
  ++epoch;
}

void Optimizer::add_hook(std::shared_ptr<optimizer::Hook> hook, const std::string& name, Timing timing) {
  if (!target_) throw RuntimeError("add_hook: call setup() first");
  hooks_.add(std::move(hook), name, timing);
}

void Optimizer::call_hooks(Timing timing) {
  const auto hooks = hooks_.of(timing);
  if (timing == Timing::pre && !hooks.empty()) unscale_gradients();
  for (const auto& [name, hook] : hooks) {
    if (!hook->call_for_each_param()) {
      (*hook)(*this);
    } else {
      for (Parameter& p : target().params())
        if (auto* rule = dynamic_cast<UpdateRule*>(p.update_rule().get())) (*hook)(*rule, p);
    }
    if (auto* method = dynamic_cast<GradientMethod*>(this); method && timing == Timing::pre)
      method->reallocate_cleared_grads();
  }
}

void Optimizer::serialize(Serializer& s) {
  s.count("t", t);
  s.count("epoch", epoch);
  serialize_loss_scale(s);
  for (const auto& [path, p] : target().namedparams())
    if (auto* rule = dynamic_cast<UpdateRule*>(p.update_rule().get())) rule->serialize(*s.child(path.substr(1)), &p);
}

}  // namespace chainer
