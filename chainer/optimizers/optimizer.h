// Optimizers: the base classes. The optimizers themselves are in optimizers.h, hooks in optimizer_hooks.h.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "chainer/array/operations/ops.h"
#include "chainer/links/link.h"

namespace chainer {

class Optimizer;
class UpdateRule;
struct UpdatePass;

namespace optimizer {

/// Named numbers. What a child does not have is looked up in its parent, so that a rule's own value overrides the
/// optimizer's.
class Hyperparameter {
 public:
  explicit Hyperparameter(std::shared_ptr<Hyperparameter> parent = nullptr) : parent_(std::move(parent)) {}
  /// The value; KeyError if neither this nor a parent has it.
  double get(std::string_view name) const;
  bool has(std::string_view name) const;
  /// ValueError for a negative or NaN learning rate: lr, or alpha, which is Adam's (and RMSprop's rate of decay).
  void set(const std::string& name, double value);
  /// The same for a name that this or a parent has; KeyError, naming those that exist, for another.
  void set_known(const std::string& name, double value);
  /// All values, parents' first.
  std::map<std::string, double> get_dict() const;
  const std::shared_ptr<Hyperparameter>& parent() const { return parent_; }

 private:
  std::map<std::string, double, std::less<>> values_;
  std::shared_ptr<Hyperparameter> parent_;
};
/// "Hyperparameter(k=v, ...)"
std::string to_string(const Hyperparameter& h);

/// What an update does about a loss or a gradient that is NaN: nothing, a warning (once), or a RuntimeError before any
/// parameter is changed. Both name the update and, where a loss function can be repeated, the first function that made
/// a NaN.
enum class OnNan { ignore, warn, stop };

/// When a hook runs; automatic takes the hook's own timing.
enum class Timing { automatic, pre, post };

/// Base of hooks that change gradients (or parameters) around an update. The class name is the hook's name.
class Hook {
 public:
  virtual ~Hook() = default;
  virtual std::string name() const = 0;
  virtual Timing timing() const { return Timing::pre; }
  /// Called once with each rule and parameter, or once with the optimizer.
  virtual bool call_for_each_param() const { return true; }
  virtual void operator()(UpdateRule& rule, Parameter& param);
  virtual void operator()(Optimizer& optimizer);
};

/// A hook made from a function of the optimizer or of a rule and its parameter.
std::shared_ptr<Hook> make_hook(std::string name, std::function<void(Optimizer&)> f, Timing timing = Timing::pre);
std::shared_ptr<Hook> make_hook(std::string name, std::function<void(UpdateRule&, Parameter&)> f,
                                Timing timing = Timing::pre);

/// Hooks by name in the order they were added.
class HookList {
 public:
  void add(std::shared_ptr<Hook> hook, const std::string& name, Timing timing);
  void remove(const std::string& name);
  void clear() { hooks_.clear(); }
  bool has(const std::string& name) const;
  const std::vector<std::pair<std::string, std::shared_ptr<Hook>>> of(Timing timing) const;
  bool empty() const { return hooks_.empty(); }

 private:
  struct Entry {
    std::string name;
    std::shared_ptr<Hook> hook;
    Timing timing;
  };
  std::vector<Entry> hooks_;
};

class Passes;  // passes.h

}  // namespace optimizer

/// How one parameter is updated: its state, its count of updates, hyperparameters of its own over the optimizer's.
class UpdateRule : public ParameterUpdater {
 public:
  explicit UpdateRule(std::shared_ptr<optimizer::Hyperparameter> parent);
  /// Returns at once unless enabled; counts, creates the state on first use, divides the gradient by the loss scale,
  /// runs hooks around update_core. A parameter without gradient is left as it is.
  void update(Parameter& param) override;
  /// The same, where all that is left after some preparation is a pass of a device's backend, which is added to
  /// `passes`. false, and nothing was done, where it is not so: with hooks, for 16-bit parameters with copies in
  /// 32 bits.
  bool update_later(Parameter& param, optimizer::Passes& passes);
  /// A name that is taken is a ValueError here, a KeyError in Optimizer::add_hook(), as in the manual.
  void add_hook(std::shared_ptr<optimizer::Hook> hook, const std::string& name = {},
                optimizer::Timing timing = optimizer::Timing::automatic);
  void remove_hook(const std::string& name) { hooks_.remove(name); }
  /// Keeps a float32 copy of 16-bit parameters and updates that. What is written into the parameter in between (loaded,
  /// copied, set) counts, element by element; serialize() saves the copy.
  void use_fp32_update(bool flag = true) { fp32_ = flag; }
  /// The count of updates and the state. With a parameter, loaded states take its shape (another one is a ValueError
  /// that names both) and are cast to its dtype; without one, the first update checks and casts them.
  void serialize(Serializer& s, const Parameter* param = nullptr);

  optimizer::Hyperparameter& hyperparam() { return *hyperparam_; }
  double get(std::string_view name) const override { return hyperparam_->get(name); }
  void set(const std::string& name, double value) override { hyperparam_->set_known(name, value); }
  double hyper(std::string_view name) const { return hyperparam_->get(name); }
  int64_t t = 0;
  /// Whose setup() made the rule: the optimizer's hyperparameters and its class; empty for a rule of the user's.
  const optimizer::Hyperparameter* owner = nullptr;
  std::string owner_name;
  /// The state by name, in the rule's order; empty until the first update or load.
  std::vector<std::pair<std::string, Array>> state;

 protected:
  /// Names of the states and their initial values.
  virtual std::vector<std::pair<std::string, double>> initial_state() const { return {}; }
  virtual void update_core(Parameter& param) = 0;
  /// Whether update_core() is one pass of the backend, and which.
  virtual bool is_pass() const { return false; }
  virtual UpdatePass pass(Parameter& param) const;

 private:
  // The states that the rule needs, and the gradient without the scale of its loss.
  void prepare(Parameter& target, double loss_scale);
  void follow(const Array& data);
  void serialize_master(Serializer& s, const Parameter* param);
  // The parameter's, or float32 where a master copy of it is updated.
  Dtype state_dtype(const Parameter& param) const;
  std::shared_ptr<optimizer::Hyperparameter> hyperparam_;
  optimizer::HookList hooks_;
  bool fp32_ = false;
  std::optional<Parameter> master_;
};

/// Base of all optimizers. setup() gives it a link; update() changes the link's parameters.
class Optimizer : public Anchored {
 public:
  using LossFunction = std::function<Variable()>;
  Optimizer() = default;
  Optimizer(Optimizer&&) = default;
  Optimizer& operator=(Optimizer&&) = default;
  Optimizer(const Optimizer&) = delete;

  virtual void setup_link(Kept<Link> link);
  /// Updates from the gradients that are there.
  virtual void update() = 0;
  /// Computes the loss, clears gradients, runs backward, updates.
  virtual void update(const LossFunction& lossfun) = 0;
  /// epoch += 1. `automatic` must match use_auto_new_epoch.
  void new_epoch(bool automatic = false);
  /// Needs setup(); a name that is taken is a KeyError.
  void add_hook(std::shared_ptr<optimizer::Hook> hook, const std::string& name = {},
                optimizer::Timing timing = optimizer::Timing::automatic);
  template <std::derived_from<optimizer::Hook> H>
  void add_hook(H hook, const std::string& name = {}, optimizer::Timing timing = optimizer::Timing::automatic) {
    add_hook(std::make_shared<H>(std::move(hook)), name, timing);
  }
  void remove_hook(const std::string& name) { hooks_.remove(name); }
  void call_hooks(optimizer::Timing timing);
  /// t, epoch, and each rule's state under its parameter's path; never the parameters.
  virtual void serialize(Serializer& s);
  void set_loss_scale(double scale) { loss_scale_ = scale; }
  bool has_target() const { return static_cast<bool>(target_); }
  Link& target() const;
  const Kept<Link>& kept_target() const { return target_; }
  /// A hyperparameter by name; set() changes it for all parameters that have no value of their own.
  virtual double get(std::string_view name) const = 0;
  virtual void set(const std::string& name, double value) = 0;

  int64_t t = 0, epoch = 0;
  bool use_auto_new_epoch = false;
  /// See OnNan. On the host the loss is looked at, and one element of each gradient: that costs next to nothing.
  /// On a device a look waits for its work: only `stop` takes one, at each update.
  optimizer::OnNan on_nan = optimizer::OnNan::warn;

 protected:
  Kept<Link> target_;
  optimizer::HookList hooks_;
  std::optional<double> loss_scale_;
};

/// Base of optimizers that update each parameter from its gradient by a rule.
class GradientMethod : public Optimizer {
 public:
  GradientMethod() : hyperparam_(std::make_shared<optimizer::Hyperparameter>()) {}
  /// Gives each parameter a rule of this optimizer's. A parameter that another optimizer has is that one's no more: its
  /// next update warns. So does this for a link without parameters, and for members that CHAINER_MEMBERS left out.
  void setup_link(Kept<Link> link) override;
  void update() override;
  void update(const LossFunction& lossfun) override;
  /// Gradients of zeros for parameters that have data but no gradient.
  void reallocate_cleared_grads();
  /// 32-bit master copies of 16-bit parameters, in all rules.
  void use_fp32_update(bool flag = true);
  /// Deprecated: false fills gradients with zeros instead of clearing them.
  void use_cleargrads(bool use = true) { use_cleargrads_ = use; }
  virtual std::shared_ptr<UpdateRule> create_update_rule() = 0;
  optimizer::Hyperparameter& hyperparam() { return *hyperparam_; }
  double get(std::string_view name) const override { return hyperparam_->get(name); }
  void set(const std::string& name, double value) override;

 protected:
  std::shared_ptr<optimizer::Hyperparameter> hyperparam_;
  bool use_cleargrads_ = true, fp32_ = false;

 private:
  bool looks_for_nan() const { return on_nan != optimizer::OnNan::ignore && !nan_seen_; }
  void complain_of_nan(const std::string& what, const std::string& why);
  bool nan_seen_ = false;
};

/// setup() for a concrete optimizer: returns it, by value when called on a temporary.
template <class Derived>
class GradientMethodOf : public GradientMethod {
 public:
  Derived& setup(Kept<Link> link) & {
    setup_link(std::move(link));
    return static_cast<Derived&>(*this);
  }
  Derived setup(Kept<Link> link) && {
    setup_link(std::move(link));
    return std::move(static_cast<Derived&>(*this));
  }
};

}  // namespace chainer
