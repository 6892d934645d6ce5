// The optimizers (manual: "Optimizers"). Hyperparameters are given by name or by position in the manual's order,
// SGD({.lr = 0.1}) or SGD(0.1), and can be read and set by name: get("lr"), set("lr", 0.1).
#pragma once
#include "chainer/optimizers/optimizer.h"

namespace chainer::optimizers {

template <class T>
concept Hyperparameter = std::is_arithmetic_v<T>;

namespace detail {
// Names that options have in one library or another. An optimizer takes them only to say which ones it has: where the
// braces fit its own options, too, those are preferred.
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

// The constructor for them, whose message names the options there are.
#define CHAINER_OTHER_NAMES(Name, TEXT)                                      \
  template <int never = 0>                                                   \
  explicit Name(const ::chainer::optimizers::detail::OptionsByOtherNames&) { \
    static_assert(never != 0, #Name " has other options: " TEXT);            \
  }                                                                          \
  static_assert(true)

/// A rule that is one fused pass of the backend; see array/operations/update_ops.h for the formulas.
class FusedRule : public UpdateRule {
 public:
  using States = std::vector<std::pair<std::string, double>>;
  /// The operation and its hyperparameters for one parameter, from the rule's values and count.
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

/// Throws ValueError if a nonzero eps is zero in a parameter's dtype.
void check_eps(double eps, Dtype dtype, std::string_view name);

struct AdaDeltaOptions {
  double rho = 0.95, eps = 1e-6;
};
/// Zeiler, arXiv:1212.5701.
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
/// Duchi et al., JMLR 12, 2011.
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
/// Kingma and Ba, arXiv:1412.6980; with weight_decay_rate AdamW (arXiv:1711.05101), with amsgrad AMSGrad.
class Adam : public GradientMethodOf<Adam> {
 public:
  explicit Adam(const AdamOptions& options = {});
  explicit Adam(Hyperparameter auto... by_position) : Adam(AdamOptions{static_cast<double>(by_position)...}) {}
  CHAINER_OTHER_NAMES(Adam, ".alpha (not .lr), .beta1, .beta2, .eps, .eta, .weight_decay_rate, .amsgrad");
  std::shared_ptr<UpdateRule> create_update_rule() override;
  /// The step size with bias correction at the optimizer's t; RuntimeError before the first update.
  double lr() const;

 private:
  bool amsgrad_;
};

struct MomentumOptions {
  double lr = 0.01, momentum = 0.9;
};
/// Momentum whose velocity does not contain the learning rate, so that changing it acts at once.
class CorrectedMomentumSGD : public GradientMethodOf<CorrectedMomentumSGD> {
 public:
  explicit CorrectedMomentumSGD(const MomentumOptions& options = {});
  explicit CorrectedMomentumSGD(Hyperparameter auto... by_position)
      : CorrectedMomentumSGD(MomentumOptions{static_cast<double>(by_position)...}) {}
  CHAINER_OTHER_NAMES(CorrectedMomentumSGD, ".lr, .momentum");
  std::shared_ptr<UpdateRule> create_update_rule() override;
};
/// Stochastic gradient descent with momentum.
class MomentumSGD : public GradientMethodOf<MomentumSGD> {
 public:
  explicit MomentumSGD(const MomentumOptions& options = {});
  explicit MomentumSGD(Hyperparameter auto... by_position)
      : MomentumSGD(MomentumOptions{static_cast<double>(by_position)...}) {}
  CHAINER_OTHER_NAMES(MomentumSGD, ".lr, .momentum");
  std::shared_ptr<UpdateRule> create_update_rule() override;
};
/// Nesterov's accelerated gradient, arXiv:1212.0901.
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
/// Balles and Hennig, arXiv:1705.07774.
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
/// Tieleman and Hinton 2012.
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
/// Plain stochastic gradient descent.
class SGD : public GradientMethodOf<SGD> {
 public:
  explicit SGD(const SGDOptions& options = {});
  explicit SGD(Hyperparameter auto... by_position) : SGD(SGDOptions{static_cast<double>(by_position)...}) {}
  CHAINER_OTHER_NAMES(SGD, ".lr; MomentumSGD has a momentum, the hook optimizer::WeightDecay decays weights");
  std::shared_ptr<UpdateRule> create_update_rule() override;
};

struct SMORMS3Options {
  double lr = 0.001, eps = 1e-16;
};
/// Funk 2015: RMSprop with a memory that fits itself to the gradient's noise.
class SMORMS3 : public GradientMethodOf<SMORMS3> {
 public:
  explicit SMORMS3(const SMORMS3Options& options = {});
  explicit SMORMS3(Hyperparameter auto... by_position) : SMORMS3(SMORMS3Options{static_cast<double>(by_position)...}) {}
  CHAINER_OTHER_NAMES(SMORMS3, ".lr, .eps");
  std::shared_ptr<UpdateRule> create_update_rule() override;
};

#undef CHAINER_OTHER_NAMES

}  // namespace chainer::optimizers
