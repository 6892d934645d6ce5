// SPDX-License-Identifier: MIT
// Every optimizer, with one or several sets of options, for tests of failing updates, resumed runs, devices and damaged
// files. Each eps is representable in float16.
#pragma once
#include <chainer/chainer.h>

#include <memory>

namespace all_optimizers {

struct Row {
  const char* name;
  std::unique_ptr<chainer::GradientMethod> (*make)();
};
namespace detail {
namespace o = chainer::optimizers;
template <class Optimizer, class Options>
std::unique_ptr<chainer::GradientMethod> of(const Options& options) {
  return std::make_unique<Optimizer>(options);
}
}  // namespace detail

inline const std::vector<Row>& rows() {
  using namespace detail;
  static const std::vector<Row> all = {
      {"Adam", [] { return of<o::Adam>(o::AdamOptions{.alpha = .01, .eps = 1e-3}); }},
      {"AdaDelta", [] { return of<o::AdaDelta>(o::AdaDeltaOptions{.eps = 1e-3}); }},
      {"AdaGrad", [] { return of<o::AdaGrad>(o::AdaGradOptions{.lr = .01, .eps = 1e-3}); }},
      {"MomentumSGD", [] { return of<o::MomentumSGD>(o::MomentumOptions()); }},
      {"NesterovAG", [] { return of<o::NesterovAG>(o::MomentumOptions()); }},
      {"CorrectedMomentumSGD", [] { return of<o::CorrectedMomentumSGD>(o::MomentumOptions()); }},
      {"MSVAG", [] { return of<o::MSVAG>(o::MSVAGOptions{.lr = .01}); }},
      {"RMSprop", [] { return of<o::RMSprop>(o::RMSpropOptions{.eps = 1e-3}); }},
      {"RMSpropGraves", [] { return of<o::RMSpropGraves>(o::RMSpropGravesOptions{.eps = 1e-3}); }},
      {"SMORMS3", [] { return of<o::SMORMS3>(o::SMORMS3Options{.eps = 1e-3}); }},
      {"AdamW", [] { return of<o::AdamW>(o::AdamWOptions{.eps = 1e-3}); }},
      {"SGD", [] { return of<o::SGD>(o::SGDOptions()); }},
      {"AMSGrad", [] { return of<o::Adam>(o::AdamOptions{.eps = 1e-3, .amsgrad = true}); }},
      {"Adam with decay", [] { return of<o::Adam>(o::AdamOptions{.eps = 1e-3, .eta = .5, .weight_decay_rate = .1}); }},
      {"AdamW with maxima", [] { return of<o::AdamW>(o::AdamWOptions{.eps = 1e-3, .amsgrad = true}); }},
      {"RMSpropInside", [] { return of<o::RMSprop>(o::RMSpropOptions{.eps = 1e-3, .eps_inside_sqrt = true}); }},
  };
  return all;
}

}  // namespace all_optimizers
