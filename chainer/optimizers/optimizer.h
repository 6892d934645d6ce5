// SPDX-License-Identifier: MIT
// Base classes of optimizers. The optimizers are in optimizers.h, hooks in optimizer_hooks.h.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "chainer/array/operations/families.h"
#include "chainer/core/other_options.h"
#include "chainer/links/link.h"

namespace chainer {

class Optimizer;
class UpdateRule;
struct UpdatePass;

namespace optimizer {

/// Named numbers. A name that is not found is looked up in the parent, so the value of an update rule overrides that of
/// the optimizer.
class Hyperparameter {
 public:
  explicit Hyperparameter(std::shared_ptr<Hyperparameter> parent = nullptr) : parent_(std::move(parent)) {}
  /// Returns the value. Throws KeyError if neither this object nor a parent has one.
  double get(std::string_view name) const;
  bool has(std::string_view name) const;
  /// Sets a value. Throws ValueError for a negative or NaN lr or alpha (the learning rate of Adam, the decay of
  /// RMSprop).
  void set(const std::string& name, double value);
  /// Sets a value as set() does. Throws KeyError unless this object or a parent has the name.
  void set_known(const std::string& name, double value);
  /// Returns all values; those of this object override those of parents.
  std::map<std::string, double> get_dict() const;
  const std::shared_ptr<Hyperparameter>& parent() const { return parent_; }

 private:
  std::map<std::string, double, std::less<>> values_;
  std::shared_ptr<Hyperparameter> parent_;
};
/// Returns "Hyperparameter(k=v, ...)".
std::string to_string(const Hyperparameter& h);

/// The reaction of an update to a loss or gradient that is NaN: none, a warning (once), or a RuntimeError before any
/// parameter is changed. The messages name the update and, if a loss function can be called again, the first function
/// that computed a NaN.
enum class OnNan { ignore, warn, stop };

/// When a hook runs: before (pre) or after (post) the update; automatic uses the timing() of the hook.
enum class Timing { automatic, pre, post };

/// Base of hooks that change gradients (or parameters) before or after an update. name() is usually the class name.
class Hook {
 public:
  virtual ~Hook() = default;
  virtual std::string name() const = 0;
  virtual Timing timing() const { return Timing::pre; }
  /// Returns true if the hook is called with each rule and parameter, false if once with the optimizer. The overload of
  /// operator() that a hook does not define throws TypeError.
  virtual bool call_for_each_param() const { return true; }
  virtual void operator()(UpdateRule& rule, Parameter& param);
  virtual void operator()(Optimizer& optimizer);
};

/// Returns a hook that calls a function of the optimizer, or of each rule and its parameter.
std::shared_ptr<Hook> make_hook(std::string name, std::function<void(Optimizer&)> f, Timing timing = Timing::pre);
std::shared_ptr<Hook> make_hook(std::string name, std::function<void(UpdateRule&, Parameter&)> f,
                                Timing timing = Timing::pre);

/// Hooks by name in the order of their addition. add() throws KeyError if the name is taken, remove() if there is none.
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

/// Updates one parameter: holds its state, its count of updates, and hyperparameters that override the optimizer's.
class UpdateRule : public ParameterUpdater {
 public:
  explicit UpdateRule(std::shared_ptr<optimizer::Hyperparameter> parent);
  /// Increments t, creates the state on first use, divides the gradient by the loss scale, and runs hooks before and
  /// after update_core(). Does nothing unless enabled; does not change a parameter without gradient. Throws ValueError
  /// if a state has another shape than the parameter.
  void update(Parameter& param) override;
  /// Prepares an update that is a single pass of a device's backend and adds the pass to `passes`. Returns false,
  /// having done nothing, if the update is no single pass: with hooks, or for 16-bit parameters with 32-bit copies.
  bool update_later(Parameter& param, optimizer::Passes& passes);
  /// Adds a hook. Throws ValueError if the name is taken (Optimizer::add_hook() throws KeyError), as in the manual.
  void add_hook(std::shared_ptr<optimizer::Hook> hook, const std::string& name = {},
                optimizer::Timing timing = optimizer::Timing::automatic);
  void remove_hook(const std::string& name) { hooks_.remove(name); }
  /// Keeps a float32 copy of 16-bit parameters and updates the copy. Elements that are written to the parameter between
  /// updates (loaded, copied, set) are copied to the copy; serialize() saves the copy.
  void use_fp32_update(bool flag = true) { fp32_ = flag; }
  /// Saves or loads the count of updates and the state. With a parameter, loaded states are cast to its dtype, and
  /// another shape throws ValueError; without a parameter, the first update checks and casts them.
  void serialize(Serializer& s, const Parameter* param = nullptr);

  optimizer::Hyperparameter& hyperparam() { return *hyperparam_; }
  double get(std::string_view name) const override { return hyperparam_->get(name); }
  void set(const std::string& name, double value) override { hyperparam_->set_known(name, value); }
  double hyper(std::string_view name) const { return hyperparam_->get(name); }
  int64_t t = 0;
  /// The hyperparameters and the class of the optimizer whose setup() created the rule; empty for a user's rule.
  const optimizer::Hyperparameter* owner = nullptr;
  std::string owner_name;
  /// The state by name, in the order of initial_state(); empty until the first update or load.
  std::vector<std::pair<std::string, Array>> state;

 protected:
  /// Names of the states and their initial values.
  virtual std::vector<std::pair<std::string, double>> initial_state() const { return {}; }
  virtual void update_core(Parameter& param) = 0;
  /// Returns true if update_core() is one pass of the backend, which pass() then returns.
  virtual bool is_pass() const { return false; }
  virtual UpdatePass pass(Parameter& param) const;

 private:
  // Creates and checks the states, and divides the gradient by the loss scale.
  void prepare(Parameter& target, double loss_scale);
  void follow(const Array& data);
  void serialize_master(Serializer& s, const Parameter* param);
  // Returns the dtype of the parameter, or float32 if a master copy is updated.
  Dtype state_dtype(const Parameter& param) const;
  std::shared_ptr<optimizer::Hyperparameter> hyperparam_;
  optimizer::HookList hooks_;
  bool fp32_ = false;
  std::optional<Parameter> master_;
};

/// Options of Optimizer::loss_scaling().
struct LossScalingOptions {
  int64_t interval = 1000;           ///< updates in which a dynamic scale doubles, if all gradients are finite
  std::optional<double> scale = {};  ///< a constant scale instead of a dynamic one
  double initial = 1;                ///< the first value of a dynamic scale
};

/// Base of all optimizers. setup() sets the target link; update() changes the parameters of the target.
class Optimizer : public Anchored {
 public:
  using LossFunction = std::function<Variable()>;
  Optimizer() = default;
  Optimizer(Optimizer&&) = default;
  Optimizer& operator=(Optimizer&&) = default;
  Optimizer(const Optimizer&) = delete;

  virtual void setup_link(Kept<Link> link);
  /// Updates the parameters from their current gradients. Throws RuntimeError before setup().
  virtual void update() = 0;
  /// Computes the loss, clears the gradients, runs backward and updates. Throws RuntimeError if the loss has no graph.
  virtual void update(const LossFunction& lossfun) = 0;
  /// Increments epoch. Throws RuntimeError unless `automatic` equals use_auto_new_epoch.
  void new_epoch(bool automatic = false);
  /// Adds a hook. Throws RuntimeError before setup(), KeyError if the name is taken.
  void add_hook(std::shared_ptr<optimizer::Hook> hook, const std::string& name = {},
                optimizer::Timing timing = optimizer::Timing::automatic);
  template <std::derived_from<optimizer::Hook> H>
  void add_hook(H hook, const std::string& name = {}, optimizer::Timing timing = optimizer::Timing::automatic) {
    add_hook(std::make_shared<H>(std::move(hook)), name, timing);
  }
  void remove_hook(const std::string& name) { hooks_.remove(name); }
  void call_hooks(optimizer::Timing timing);
  /// Saves or loads t, epoch, and the state of each rule under the path of its parameter, but not the parameters.
  virtual void serialize(Serializer& s);
  /// Multiplies losses by a scale before backward(), and divides gradients by it before updates, so that small
  /// gradients do not underflow in float16. A dynamic scale grows by 2^(1 / interval) with each update, up to 65504. If
  /// a gradient is infinite or NaN, the update is skipped and the scale halved, down to 1. serialize() saves a dynamic
  /// scale. Throws ValueError unless the scale and the interval are positive.
  ///   optimizer.loss_scaling({.initial = 1024});
  void loss_scaling(const LossScalingOptions& options = {});
  CHAINER_OTHER_OPTIONS_METHOD(loss_scaling, ".interval, .scale, .initial");
  /// Sets a constant scale of losses.
  void set_loss_scale(double scale) { loss_scaling({.scale = scale}); }
  std::optional<double> loss_scale() const { return loss_scale_; }
  bool scales_dynamically() const { return growth_ > 0; }
  /// The number of updates that a dynamic scale has skipped.
  int64_t skipped_updates() const { return skipped_updates_; }
  /// Looks for an infinity or NaN in the gradients; is_safe_to_update() returns false if there was one. update() calls
  /// this function and the next if the scale is dynamic.
  void check_nan_in_grads();
  bool is_safe_to_update() const { return safe_; }
  /// Changes a dynamic scale: grows it if the last check found only finite gradients, else halves it.
  void update_loss_scale();
  bool has_target() const { return static_cast<bool>(target_); }
  virtual Link& target() const;
  const Kept<Link>& kept_target() const { return target_; }
  /// Returns or sets a hyperparameter; set() applies to all parameters whose rules do not override it. Throw KeyError
  /// for an unknown name.
  virtual double get(std::string_view name) const = 0;
  virtual void set(const std::string& name, double value) = 0;
  /// Returns the name of the class, as "Adam".
  virtual std::string class_name() const;
  /// The number of processes that train the target together, each with an optimizer.
  virtual int processes() const { return 1; }

  int64_t t = 0, epoch = 0;
  bool use_auto_new_epoch = false;
  /// See OnNan. On the host the loss and one element of each gradient are checked, which is cheap. On a device a check
  /// waits for pending work, so only `stop` checks, at each update.
  optimizer::OnNan on_nan = optimizer::OnNan::warn;

 protected:
  Kept<Link> target_;
  /// Returns true if the update has to be left out. For a dynamic scale: checks the gradients and changes the scale.
  bool skips_update();
  void serialize_loss_scale(Serializer& s);
  /// Divides gradients that a loss scale has multiplied, before hooks read them; not those of 16 bits, which update
  /// rules divide in the precision of their states.
  void unscale_gradients();
  optimizer::HookList hooks_;
  std::optional<double> loss_scale_;

 private:
  double growth_ = 0;  // per update; 0 for a constant scale
  bool safe_ = true;
  int64_t skipped_updates_ = 0;
};

/// Base of optimizers that update each parameter from its gradient by an UpdateRule.
class GradientMethod : public Optimizer {
 public:
  GradientMethod() : hyperparam_(std::make_shared<optimizer::Hyperparameter>()) {}
  /// Sets an update rule of this optimizer on each parameter. If another optimizer has set one before, the next update
  /// of that optimizer warns. Warns about a link without parameters, and about members that are missing in
  /// CHAINER_MEMBERS.
  void setup_link(Kept<Link> link) override;
  void update() override;
  void update(const LossFunction& lossfun) override;
  /// Sets gradients of zeros on parameters that have data but no gradient.
  void reallocate_cleared_grads();
  /// Uses 32-bit master copies of 16-bit parameters, in all rules.
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

/// Adds setup(), which returns the concrete optimizer, by value if called on a temporary.
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
