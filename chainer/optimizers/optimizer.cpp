#include "chainer/optimizers/optimizer.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "chainer/array/backend.h"
#include "chainer/array/version.h"
#include "chainer/autograd/config.h"
#include "chainer/autograd/function_node.h"
#include "chainer/autograd/reporter.h"
#include "chainer/core/type_name.h"
#include "chainer/links/left_out.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/arithmetic.h"

namespace chainer {
namespace optimizer {

double Hyperparameter::get(std::string_view name) const {
  for (const Hyperparameter* h = this; h; h = h->parent_.get())
    if (const auto it = h->values_.find(name); it != h->values_.end()) return it->second;
  throw KeyError("there is no hyperparameter '", name, "'; there are ", to_string(*this));
}
void Hyperparameter::set(const std::string& name, double value) {
  if ((name == "lr" || name == "alpha") && !(value >= 0))
    throw ValueError("the hyperparameter ", name, " must not be negative or NaN, but is ", value,
                     value < 0 ? ": to climb a function, return its negative as the loss" : "");
  values_[name] = value;
}
bool Hyperparameter::has(std::string_view name) const {
  for (const Hyperparameter* h = this; h; h = h->parent_.get())
    if (h->values_.count(std::string(name))) return true;
  return false;
}
void Hyperparameter::set_known(const std::string& name, double value) {
  if (!has(name)) (void)get(name);  // throws, naming those that exist
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

UpdateRule::UpdateRule(std::shared_ptr<optimizer::Hyperparameter> parent)
    : hyperparam_(std::make_shared<optimizer::Hyperparameter>(std::move(parent))) {}

void UpdateRule::add_hook(std::shared_ptr<optimizer::Hook> hook, const std::string& given, Timing timing) {
  const std::string name = given.empty() && hook ? hook->name() : given;
  if (hooks_.has(name)) throw ValueError("hook '", name, "' already exists");
  hooks_.add(std::move(hook), name, timing);
}

void UpdateRule::prepare(const Array& data) {
  const auto wanted = initial_state();
  if (state.size() != wanted.size()) {
    state.clear();
    for (const auto& [name, value] : wanted) state.emplace_back(name, full_like(data, value));
  }
  for (auto& [name, a] : state) {
    // A state may have been loaded or set before the parameter had its shape.
    if (!a || a.shape() != data.shape())
      throw ValueError("update: the state '", name, "' has shape ", a ? to_string(a.shape()) : "of none",
                       ", its parameter ", data.shape());
    if (a.dtype() != data.dtype()) a = a.astype(data.dtype());
    if (!a.is_contiguous()) a = a.copy();
    if (a.device() != data.device()) a = a.to_device(data.device());
  }
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
  prepare(target.array());
  if (const double scale = param.loss_scale(); scale != 1 && target.grad())
    target.set_grad(target.grad() * (1 / scale));
  for (const auto& [name, hook] : hooks_.of(Timing::pre)) (*hook)(*this, target);
  if (target.grad()) update_core(target);
  for (const auto& [name, hook] : hooks_.of(Timing::post)) (*hook)(*this, target);
  if (narrow) {
    Array data = param.array();
    copy_elements(master_->array(), data);
  }
}

// The copy in 32 bits has the parameter's values wherever somebody else has written them since the last update.
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
  const char* const key = "_fp32";  // of our own: the release starts from the rounded values
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
        // Into an array like the parameter's: the serializer checks the shape, naming the path, and casts.
        a = Array(param->shape(), state_dtype(*param), param->array().device());
        s.array(name, a);
      }
      state.emplace_back(name, a);
    }
  }
}

void Optimizer::setup_link(Kept<Link> link) {
  target_ = std::move(link);
  t = 0;
  epoch = 0;
  hooks_.clear();
}

Link& Optimizer::target() const {
  if (!target_) throw RuntimeError("the optimizer has no target: call setup() first");
  try {
    return *target_;
  } catch (const RuntimeError& e) { throw RuntimeError(type_name(typeid(*this)), ": its target is gone: ", e.what()); }
}

void Optimizer::new_epoch(bool automatic) {
  if (automatic != use_auto_new_epoch)
    throw RuntimeError(automatic
                           ? "new_epoch(automatic) was called, but use_auto_new_epoch is off"
                           : "new_epoch() was called by hand, but use_auto_new_epoch is on: the updater calls it");
  ++epoch;
}

void Optimizer::add_hook(std::shared_ptr<optimizer::Hook> hook, const std::string& name, Timing timing) {
  if (!target_) throw RuntimeError("add_hook: call setup() first");
  hooks_.add(std::move(hook), name, timing);
}

void Optimizer::call_hooks(Timing timing) {
  for (const auto& [name, hook] : hooks_.of(timing)) {
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
  for (const auto& [path, p] : target().namedparams())
    if (auto* rule = dynamic_cast<UpdateRule*>(p.update_rule().get())) rule->serialize(*s.child(path.substr(1)), &p);
}

namespace {

// NaN gradients are NaN throughout, nearly always: one element of each shows a loss that was NaN. Elsewhere than on the
// host a look would wait for the device.
bool begins_with_nan(const Array& a) {
  if (!a || a.size() == 0 || !a.device().is_host()) return false;
  switch (a.dtype()) {
    case Dtype::float32: return std::isnan(*static_cast<const float*>(a.raw()));
    case Dtype::float64: return std::isnan(*static_cast<const double*>(a.raw()));
    case Dtype::float16: return std::isnan(static_cast<float>(*static_cast<const Float16*>(a.raw())));
    default: return false;
  }
}

// Whether another process takes part in the graph: then a forward pass cannot be repeated by this one alone.
bool has_partners(const Variable& loss) {
  std::vector<Ref<FunctionNode>> waiting{loss.creator()};
  std::set<const FunctionNode*, std::less<>> met;
  while (!waiting.empty()) {
    const Ref<FunctionNode> f = waiting.back();
    waiting.pop_back();
    if (!f || !met.insert(f.get()).second) continue;
    if (is_declared_in(typeid(*f), "chainer::mn")) return true;
    for (const auto& input : f->inputs()) waiting.push_back(Ref<FunctionNode>(input->creator()));
  }
  return false;
}

// The first function that makes a NaN: the loss once more, by the same parameters, in debug mode. What it reports goes
// nowhere.
std::string first_nan(const Optimizer::LossFunction& lossfun, const Variable& loss) {
  if (has_partners(loss)) return "; debug mode (CHAINER_DEBUG=1) names the function";
  try {
    const DebugMode looking(true);
    Observation nowhere;
    std::optional<Reporter::ObservationScope> scope;
    if (Reporter* r = current_reporter()) scope.emplace(*r, nowhere);
    (void)lossfun();
  } catch (const std::exception& e) { return text(": ", e.what()); }
  return "; computed once more, with other random numbers or another batch, it is none";
}

}  // namespace

void GradientMethod::complain_of_nan(const std::string& what, const std::string& why) {
  const std::string message = text(type_name(typeid(*this)), ": ", what, " is NaN in update ", t + 1, why);
  if (on_nan == optimizer::OnNan::stop) throw RuntimeError(message);
  nan_seen_ = true;
  warn(text(message,
            "\n  The parameters become NaN, too; with on_nan = optimizer::OnNan::stop the update throws "
            "instead"));
}

void GradientMethod::setup_link(Kept<Link> link) {
  Optimizer::setup_link(std::move(link));
  check_left_out_members(target());
  nan_seen_ = false;
  const std::string name = type_name(typeid(*this));
  std::vector<Parameter> params = target().params();
  if (params.empty())
    warn(text(name, ": the ", target().class_name(),
              " given to setup() has no parameters, so that updates do nothing: ",
              target().object_size() ? "list its links in CHAINER_MEMBERS, and call setup() after add_link()"
                                     : "its class has no CHAINER_MEMBERS, which lists what is trained"));
  for (Parameter& p : params) {
    const std::shared_ptr<UpdateRule> rule = create_update_rule();
    rule->owner = hyperparam_.get();
    rule->owner_name = name;
    rule->use_fp32_update(fp32_);
    p.set_update_rule(rule);
  }
}

void GradientMethod::set(const std::string& name, double value) { hyperparam_->set_known(name, value); }

void GradientMethod::use_fp32_update(bool flag) {
  fp32_ = flag;
  if (!target_) return;
  for (const Parameter& p : target().params())
    if (auto* rule = dynamic_cast<UpdateRule*>(p.update_rule().get())) rule->use_fp32_update(flag);
}

void GradientMethod::reallocate_cleared_grads() {
  for (Parameter& p : target().params(false))
    if (!p.grad()) p.set_grad(zeros_like(p.array()));
}

void GradientMethod::update() {
  (void)config();  // whose first use in a thread sets the floating-point mode
  bool foreign = false;
  for (const auto& [path, p] : target().namedparams(false)) {
    if (!p.update_rule() || !p.update_rule()->enabled) continue;
    if (p.has_first_gradient())
      throw RuntimeError("update: the gradient of ", path,
                         " is still the NaN of a new parameter. Call cleargrads() "
                         "before backward(), or update(lossfun), which does both");
    const auto* rule = foreign ? nullptr : dynamic_cast<const UpdateRule*>(p.update_rule().get());
    if (rule && rule->owner && rule->owner != hyperparam_.get()) {
      foreign = true;  // one is told of
      warn(text(type_name(typeid(*this)), ": ", path, " of the ", target().class_name(),
                " belongs to another optimizer, whose setup() came later: the rule of that ", rule->owner_name,
                " is applied here. Give each optimizer links of its own, or call setup() of this one again"));
    }
    if (looks_for_nan() && begins_with_nan(p.grad()))
      complain_of_nan(text("the gradient of ", path),
                      ": the loss was NaN or a derivative infinite. Debug mode "
                      "(CHAINER_DEBUG=1, or set_debug(true)) names the function");
  }
  reallocate_cleared_grads();
  call_hooks(Timing::pre);
  ++t;
  for (Parameter& p : target().params(false)) p.update();
  reallocate_cleared_grads();
  call_hooks(Timing::post);
}

void GradientMethod::update(const LossFunction& lossfun) {
  const Variable loss = lossfun();
  if (use_cleargrads_)
    target().cleargrads();
  else
    target().zerograds();
  loss.backward({.loss_scale = loss_scale_});
  if (looks_for_nan() && begins_with_nan(loss.array())) complain_of_nan("the loss", first_nan(lossfun, loss));
  update();
}

}  // namespace chainer
