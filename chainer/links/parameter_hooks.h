// SPDX-License-Identifier: MIT
// Hooks that compute with functions of a link's parameters, and adaptation by matrices of low rank.
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chainer/core/other_options.h"
#include "chainer/links/link_hook.h"
#include "chainer/links/members.h"

namespace chainer {
namespace link_hooks {

/// Base of hooks that replace parameters of a link while its forward() runs. Gradients reach the parameters that the
/// replacements are computed from. A link with such a hook is not called by several threads at a time; copies are.
class ParameterHook : public LinkHook {
 public:
  void forward_preprocess(const LinkHookArgs& args) override;
  void forward_postprocess(const LinkHookArgs& args) override;
  void forward_aborted(const LinkHookArgs& args) noexcept override;
  /// Returns true if the hook has the same effect when integers take the place of W (Linear::quantize()). By default
  /// such links are not quantized.
  virtual bool allows_quantized(const Link& link) const { return (void)link, false; }

 protected:
  /// Returns the replacement of an initialized parameter of the link, or an empty variable to keep it.
  virtual Variable replacement(Link& link, const std::string& name, const Parameter& p) = 0;

 private:
  struct Call {
    const Link* link;
    std::vector<std::pair<Parameter*, Parameter>> kept;
  };
  void restore(const Link& link) noexcept;
  std::mutex mutex_;
  std::vector<Call> calls_;
};

/// Options of SpectralNormalization, those of Chainer 6.
struct SpectralNormalizationOptions {
  int64_t n_power_iteration = 1;
  double eps = 1e-6;                  ///< added to norms of vectors
  bool use_gamma = false;             ///< multiplies by a parameter <weight_name>_gamma, initially the singular value
  std::optional<double> factor = {};  ///< multiplies the result
  std::string weight_name = "W";
};
/// Divides a link's weight by its largest singular value, found by power iteration on the matrix whose rows are output
/// channels: the axis 1 of deconvolutions, else the axis 0. The vector of the iteration is the persistent value
/// <weight_name>_u of the link; calls in train mode improve it. Miyato et al., arXiv:1802.05957. add_hook() throws
/// ValueError for a link without an initialized parameter of this name with two axes or more.
///   L::Linear link(3, 2);
///   link.add_hook(std::make_shared<link_hooks::SpectralNormalization>());
class SpectralNormalization : public ParameterHook {
 public:
  explicit SpectralNormalization(const SpectralNormalizationOptions& options = {}) : options_(options) {}
  CHAINER_OTHER_OPTIONS(SpectralNormalization, ".n_power_iteration, .eps, .use_gamma, .factor, .weight_name");
  std::string name() const override { return "SpectralNormalization"; }
  void added(Link* link) override;

 protected:
  Variable replacement(Link& link, const std::string& name, const Parameter& p) override;

 private:
  SpectralNormalizationOptions options_;
};

/// Options of WeightStandardization.
struct WeightStandardizationOptions {
  double eps = 1e-5;
  std::string weight_name = "W";
};
/// Computes with (W - mean) / sqrt(variance + eps), where mean and variance are those of each output channel. Qiao et
/// al., arXiv:1903.10520. add_hook() throws ValueError for a link without an initialized parameter of this name with
/// two axes or more.
///   L::Linear link(3, 2);
///   link.add_hook(std::make_shared<link_hooks::WeightStandardization>());
class WeightStandardization : public ParameterHook {
 public:
  explicit WeightStandardization(const WeightStandardizationOptions& options = {}) : options_(options) {}
  CHAINER_OTHER_OPTIONS(WeightStandardization, ".eps, .weight_name");
  std::string name() const override { return "WeightStandardization"; }
  void added(Link* link) override;

 protected:
  Variable replacement(Link& link, const std::string& name, const Parameter& p) override;

 private:
  WeightStandardizationOptions options_;
};

}  // namespace link_hooks

namespace links {

/// Options of LowRankAdaptation.
struct LowRankAdaptationOptions {
  int64_t rank = 8;
  std::optional<double> alpha = {};  ///< the product is multiplied by alpha / rank; the rank by default
  std::vector<std::string> links = {"query", "value"};  ///< last names of the links to adapt
  InitializerArg initial_down = {};                     ///< LeCunNormal by default
  double dropout = 0;  ///< fraction of the inputs of the products that is dropped in train mode
};
/// A trained model, adapted by training few parameters (LoRA): each weight W (out, in) of the links that are named
/// becomes W + alpha / rank up down, with the parameters `down` (rank, in) and `up` (out, rank), which are the only
/// parameters of this link; `up` is initially zero, so that nothing changes. All parameters of the model are constants,
/// without gradients. Optimizers, files and snapshots hold the parameters of this link, and the persistent values of
/// the model, which is loaded from a file of its own. Hu et al., arXiv:2106.09685.
///
/// Called, it calls the model. Other calls of the model and of its parts are adapted, too. merge() adds the products to
/// the weights, which ends the adaptation: the model is then a plain one, and this link has no parameters. With
/// dropout, a link in train mode adds alpha / rank up down dropout(x) to its result instead. The constructor throws
/// ValueError if no link has one of the names, if one that has is without an initialized W of two axes, for a rank
/// below 1, for a dropout that is not in [0, 1) or if a link with dropout is no Linear, and for a model that was
/// adapted before. The weights of Linear may be quantized before or after (inference::quantize_weights()); they cannot
/// be merged then.
///
///   auto model = std::make_shared<L::TransformerEncoder>(2, 8, 2);
///   (void)model->forward(zeros({1, 3, 8}));  // creates the weights
///   L::LowRankAdaptation adapted(model, {.rank = 2, .links = {"query", "value"}});
///   adapted.count_params()  // 128
class LowRankAdaptation : public Link {
 public:
  explicit LowRankAdaptation(Kept<Link> model, const LowRankAdaptationOptions& options = {});
  CHAINER_OTHER_OPTIONS(LowRankAdaptation, ".rank, .alpha, .links, .initial_down, .dropout", Kept<Link>);
  Variables forward(const Variables& x) { return model_->call(x); }
  template <std::convertible_to<Variable>... V>
  requires(sizeof...(V) > 0) Variable forward(const V&... x) { return only(model_->call(Variables{Variable(x)...})); }
  Variables call(const NamedVariables& x) override { return model_->call(x); }
  /// The adapted model.
  Link& model() const { return *model_; }
  Link* wrapped() const override { return &*model_; }
  /// The adapted links, by path below the model.
  const std::vector<std::string>& paths() const { return paths_; }
  /// Throws RuntimeError if the products were merged before, and for quantized weights.
  void merge();
  void visit(MemberVisitor& v) override;
  CHAINER_LINK(LowRankAdaptation);

 private:
  static Variable only(const Variables& y);
  Child model_;
  std::vector<std::string> paths_;
  double scale_;
};

}  // namespace links
namespace L = links;
}  // namespace chainer
