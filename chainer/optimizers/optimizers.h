// SPDX-License-Identifier: MIT
// The optimizers (manual: "Optimizers"). Hyperparameters are given by name or by position in the manual's order,
// SGD({.lr = 0.1}) or SGD(0.1), and can be read and set by name: get("lr"), set("lr", 0.1).
// Errors: constructors and set() throw ValueError for a negative or NaN learning rate. In the formulas w is the
// parameter, g its gradient, t the count of updates, and all other letters are states of the shape of w, or
// hyperparameters.
#pragma once
#include "chainer/optimizers/optimizer.h"

namespace chainer::optimizers {

template <class T>
concept Hyperparameter = std::is_arithmetic_v<T>;

namespace detail {
// Names of options in other libraries. An optimizer accepts them only to list its own options in a compiler error: if
// the braces also match its own options, overload resolution prefers these.
struct OptionsByOtherNames {
  double lr = 0, learning_rate = 0, rate = 0, step_size = 0, alpha = 0, rho = 0, beta = 0, beta1 = 0, beta_1 = 0,
         beta2 = 0, beta_2 = 0;
  struct {
    double first, second;
  } betas = {};
  double momentum = 0, eps = 0, epsilon = 0, eta = 0, decay = 0, lr_decay = 0, weight_decay = 0, weight_decay_rate = 0,
         dampening = 0, lambda = 0, lambd = 0, clipnorm = 0, clipvalue = 0;
  bool amsgrad = false, nesterov = false, centered = false, maximize = false, eps_inside_sqrt = false;
};
}  // namespace detail

// Defines the constructor that takes OptionsByOtherNames; its static_assert lists the options of the optimizer.
#define CHAINER_OTHER_NAMES(Name, TEXT)                                      \
  template <int never = 0>                                                   \
  explicit Name(const ::chainer::optimizers::detail::OptionsByOtherNames&) { \
    static_assert(never != 0, #Name " has other options: " TEXT);            \
  }                                                                          \
  static_assert(true)

/// An update rule that is one fused pass of the backend; see array/operations/update_ops.h for the formulas.
class FusedRule : public UpdateRule {
 public:
  using States = std::vector<std::pair<std::string, double>>;
  /// Returns the operation and its hyperparameters for one parameter, from the values and the count of the rule.
  using Plan = std::function<std::pair<Update, std::vector<double>>(const FusedRule&, const Parameter&)>;
  FusedRule(std::shared_ptr<optimizer::Hyperparameter> parent, States states, Plan plan)
      : UpdateRule(std::move(parent)), states_(std::move(states)), plan_(std::move(plan)) {}

 protected:
  States initial_state() const override { return states_; }
  void update_core(Parameter& param) override;
  bool is_pass() const override;
  UpdatePass pass(Parameter& param) const override;

 private:
  States states_;
  Plan plan_;
};

/// Throws ValueError if a nonzero eps is zero in the dtype of a parameter.
void check_eps(double eps, Dtype dtype, std::string_view name);

struct AdaDeltaOptions {
  double rho = 0.95, eps = 1e-6;
};
/// v = rho v + (1 - rho) g^2, dx = sqrt((u + eps) / (v + eps)) g, u = rho u + (1 - rho) dx^2, w -= dx. Zeiler,
/// arXiv:1212.5701.
class AdaDelta : public GradientMethodOf<AdaDelta> {
 public:
  explicit AdaDelta(const AdaDeltaOptions& options = {});
  explicit AdaDelta(Hyperparameter auto... by_position)
      : AdaDelta(AdaDeltaOptions{static_cast<double>(by_position)...}) {}
  CHAINER_OTHER_NAMES(AdaDelta, ".rho, .eps");
  std::shared_ptr<UpdateRule> create_update_rule() override;
};

struct AdaGradOptions {
  double lr = 0.001, eps = 1e-8;
};
/// h += g^2, w -= lr g / (sqrt(h) + eps). Duchi et al., JMLR 12, 2011.
class AdaGrad : public GradientMethodOf<AdaGrad> {
 public:
  explicit AdaGrad(const AdaGradOptions& options = {});
  explicit AdaGrad(Hyperparameter auto... by_position) : AdaGrad(AdaGradOptions{static_cast<double>(by_position)...}) {}
  CHAINER_OTHER_NAMES(AdaGrad, ".lr, .eps");
  std::shared_ptr<UpdateRule> create_update_rule() override;
};

struct AdamOptions {
  double alpha = 0.001, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, eta = 1.0, weight_decay_rate = 0;
  bool amsgrad = false;
};
/// m += (1 - beta1) (g - m), v += (1 - beta2) (g^2 - v),
/// w -= eta (alpha sqrt(1 - beta2^t) / (1 - beta1^t) m / (sqrt(v) + eps) + weight_decay_rate w); with amsgrad, the
/// largest v so far in the root. The decay is that of the manual and does not depend on alpha, unlike that of AdamW. An
/// update throws ValueError if eps is zero in the dtype of a parameter. Kingma and Ba, arXiv:1412.6980.
class Adam : public GradientMethodOf<Adam> {
 public:
  explicit Adam(const AdamOptions& options = {});
  explicit Adam(Hyperparameter auto... by_position) : Adam(AdamOptions{static_cast<double>(by_position)...}) {}
  CHAINER_OTHER_NAMES(Adam, ".alpha (not .lr), .beta1, .beta2, .eps, .eta, .weight_decay_rate, .amsgrad");
  std::shared_ptr<UpdateRule> create_update_rule() override;
  /// Returns the step size with bias correction at the optimizer's t. Throws RuntimeError before the first update.
  double lr() const;

 private:
  bool amsgrad_;
};

struct AdamWOptions {
  double alpha = 0.001, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0.01;
  bool amsgrad = false;
};
/// Adam with decoupled weight decay (Loshchilov and Hutter, arXiv:1711.05101), as in PyTorch:
/// w -= alpha weight_decay w, then w -= alpha m' / (sqrt(v') + eps) with the moments m' = m / (1 - beta1^t) and
/// v' = v / (1 - beta2^t). Not in the manual.
class AdamW : public GradientMethodOf<AdamW> {
 public:
  explicit AdamW(const AdamWOptions& options = {});
  explicit AdamW(Hyperparameter auto... by_position) : AdamW(AdamWOptions{static_cast<double>(by_position)...}) {}
  CHAINER_OTHER_NAMES(AdamW, ".alpha (not .lr), .beta1, .beta2, .eps, .weight_decay, .amsgrad");
  std::shared_ptr<UpdateRule> create_update_rule() override;

 private:
  bool amsgrad_;
};

struct MomentumOptions {
  double lr = 0.01, momentum = 0.9;
};
/// v = momentum v - g, w += lr v: momentum whose velocity does not contain lr, so a new lr takes effect at once.
class CorrectedMomentumSGD : public GradientMethodOf<CorrectedMomentumSGD> {
 public:
  explicit CorrectedMomentumSGD(const MomentumOptions& options = {});
  explicit CorrectedMomentumSGD(Hyperparameter auto... by_position)
      : CorrectedMomentumSGD(MomentumOptions{static_cast<double>(by_position)...}) {}
  CHAINER_OTHER_NAMES(CorrectedMomentumSGD, ".lr, .momentum");
  std::shared_ptr<UpdateRule> create_update_rule() override;
};
/// Stochastic gradient descent with momentum: v = momentum v - lr g, w += v.
class MomentumSGD : public GradientMethodOf<MomentumSGD> {
 public:
  explicit MomentumSGD(const MomentumOptions& options = {});
  explicit MomentumSGD(Hyperparameter auto... by_position)
      : MomentumSGD(MomentumOptions{static_cast<double>(by_position)...}) {}
  CHAINER_OTHER_NAMES(MomentumSGD, ".lr, .momentum");
  std::shared_ptr<UpdateRule> create_update_rule() override;
};
/// Nesterov's accelerated gradient: v = momentum v - lr g, w += momentum^2 v - (1 + momentum) lr g. arXiv:1212.0901.
class NesterovAG : public GradientMethodOf<NesterovAG> {
 public:
  explicit NesterovAG(const MomentumOptions& options = {});
  explicit NesterovAG(Hyperparameter auto... by_position)
      : NesterovAG(MomentumOptions{static_cast<double>(by_position)...}) {}
  CHAINER_OTHER_NAMES(NesterovAG, ".lr, .momentum");
  std::shared_ptr<UpdateRule> create_update_rule() override;
};

struct MSVAGOptions {
  double lr = 0.1, beta = 0.9, eta = 1.0, weight_decay_rate = 0;
};
/// M-SVAG (momentum, stochastic variance-adapted gradient). With m and v the bias-corrected averages (by beta) of g
/// and g^2: w -= eta (lr m f + weight_decay_rate w), f = m^2 / (m^2 + rho s), s = (v - m^2) / (1 - rho). Balles and
/// Hennig, arXiv:1705.07774.
class MSVAG : public GradientMethodOf<MSVAG> {
 public:
  explicit MSVAG(const MSVAGOptions& options = {});
  explicit MSVAG(Hyperparameter auto... by_position) : MSVAG(MSVAGOptions{static_cast<double>(by_position)...}) {}
  CHAINER_OTHER_NAMES(MSVAG, ".lr, .beta, .eta, .weight_decay_rate");
  std::shared_ptr<UpdateRule> create_update_rule() override;
};

struct RMSpropOptions {
  double lr = 0.01, alpha = 0.99, eps = 1e-8;
  bool eps_inside_sqrt = false;
};
/// v = alpha v + (1 - alpha) g^2, w -= lr g / (sqrt(v) + eps), or lr g / sqrt(v + eps) with eps_inside_sqrt. Tieleman
/// and Hinton, 2012.
class RMSprop : public GradientMethodOf<RMSprop> {
 public:
  explicit RMSprop(const RMSpropOptions& options = {});
  explicit RMSprop(Hyperparameter auto... by_position) : RMSprop(RMSpropOptions{static_cast<double>(by_position)...}) {}
  CHAINER_OTHER_NAMES(RMSprop, ".lr, .alpha (the decay), .eps, .eps_inside_sqrt");
  std::shared_ptr<UpdateRule> create_update_rule() override;

 private:
  bool inside_;
};

struct RMSpropGravesOptions {
  double lr = 0.0001, alpha = 0.95, momentum = 0.9, eps = 0.0001;
};
/// n = alpha n + (1 - alpha) g^2, m = alpha m + (1 - alpha) g, d = momentum d - lr g / sqrt(n - m^2 + eps), w += d.
/// Graves, arXiv:1308.0850.
class RMSpropGraves : public GradientMethodOf<RMSpropGraves> {
 public:
  explicit RMSpropGraves(const RMSpropGravesOptions& options = {});
  explicit RMSpropGraves(Hyperparameter auto... by_position)
      : RMSpropGraves(RMSpropGravesOptions{static_cast<double>(by_position)...}) {}
  CHAINER_OTHER_NAMES(RMSpropGraves, ".lr, .alpha (the decay), .momentum, .eps");
  std::shared_ptr<UpdateRule> create_update_rule() override;
};

struct SGDOptions {
  double lr = 0.01;
};
/// Stochastic gradient descent: w -= lr g.
class SGD : public GradientMethodOf<SGD> {
 public:
  explicit SGD(const SGDOptions& options = {});
  explicit SGD(Hyperparameter auto... by_position) : SGD(SGDOptions{static_cast<double>(by_position)...}) {}
  CHAINER_OTHER_NAMES(SGD, ".lr; MomentumSGD has a momentum, the hook optimizer_hooks::WeightDecay decays weights");
  std::shared_ptr<UpdateRule> create_update_rule() override;
};

struct SMORMS3Options {
  double lr = 0.001, eps = 1e-16;
};
/// RMSprop with a memory that adapts to the noise of the gradient: with averages m of g and v of g^2 over that memory,
/// w -= g min(lr, m^2 / (v + eps)) / (sqrt(v) + eps). Funk, 2015.
class SMORMS3 : public GradientMethodOf<SMORMS3> {
 public:
  explicit SMORMS3(const SMORMS3Options& options = {});
  explicit SMORMS3(Hyperparameter auto... by_position) : SMORMS3(SMORMS3Options{static_cast<double>(by_position)...}) {}
  CHAINER_OTHER_NAMES(SMORMS3, ".lr, .eps");
  std::shared_ptr<UpdateRule> create_update_rule() override;
};

#undef CHAINER_OTHER_NAMES

}  // namespace chainer::optimizers
