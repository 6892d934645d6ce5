// SPDX-License-Identifier: MIT
// Hooks that change the gradients g of the parameters w before an update (manual: "Hook functions"). All except
// GradientClipping may also be added to a single update rule. Hooks throw nothing of their own.
#pragma once
#include "chainer/optimizers/optimizer.h"

namespace chainer::optimizer_hooks {

/// Weight decay: g += rate w.
class WeightDecay : public optimizer::Hook {
 public:
  explicit WeightDecay(double r) : rate(r) {}
  std::string name() const override { return "WeightDecay"; }
  void operator()(UpdateRule& rule, Parameter& param) override;
  using Hook::operator();
  double rate;
};

/// L1 regularization: g += rate sign(w).
class Lasso : public optimizer::Hook {
 public:
  explicit Lasso(double r) : rate(r) {}
  std::string name() const override { return "Lasso"; }
  void operator()(UpdateRule& rule, Parameter& param) override;
  using Hook::operator();
  double rate;
};

/// Scales all gradients so that their L2 norm, taken together, is at most `threshold`.
class GradientClipping : public optimizer::Hook {
 public:
  explicit GradientClipping(double threshold) : threshold(threshold) {}
  std::string name() const override { return "GradientClipping"; }
  bool call_for_each_param() const override { return false; }
  void operator()(Optimizer& optimizer) override;
  using Hook::operator();
  double threshold;
};

/// Limits each element of the gradients to [lower_bound, upper_bound].
class GradientHardClipping : public optimizer::Hook {
 public:
  GradientHardClipping(double lower_bound, double upper_bound) : lower_bound(lower_bound), upper_bound(upper_bound) {}
  std::string name() const override { return "GradientHardClipping"; }
  void operator()(UpdateRule& rule, Parameter& param) override;
  using Hook::operator();
  double lower_bound, upper_bound;
};

/// Adds noise to gradients: N(0, eta / (1 + t)^0.55) by default. Neelakantan et al., arXiv:1511.06807.
class GradientNoise : public optimizer::Hook {
 public:
  using NoiseFunction = std::function<Array(const Shape&, Dtype, const GradientNoise&, const UpdateRule&)>;
  explicit GradientNoise(double eta, NoiseFunction noise_func = exponential_decay_noise)
      : eta(eta), noise_func_(std::move(noise_func)) {}
  static Array exponential_decay_noise(const Shape& shape, Dtype dtype, const GradientNoise& hook,
                                       const UpdateRule& rule);
  std::string name() const override { return "GradientNoise"; }
  void operator()(UpdateRule& rule, Parameter& param) override;
  using Hook::operator();
  double eta;

 private:
  NoiseFunction noise_func_;
};

/// Layer-wise adaptive rate scaling: g = (g + decay w) |w| / (eps + |g| + decay |w|) if |w| > threshold, else
/// g = g + decay w, with L2 norms of each parameter. You et al., arXiv:1708.03888.
class GradientLARS : public optimizer::Hook {
 public:
  explicit GradientLARS(double threshold = 0.01, double weight_decay = 0.0, double eps = 1e-9)
      : threshold(threshold), weight_decay(weight_decay), eps(eps) {}
  std::string name() const override { return "GradientLARS"; }
  void operator()(UpdateRule& rule, Parameter& param) override;
  using Hook::operator();
  double threshold, weight_decay, eps;
};

}  // namespace chainer::optimizer_hooks
