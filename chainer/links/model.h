// SPDX-License-Identifier: MIT
// L: links that wrap others for training (manual: "Machine learning models").
#pragma once
#include <concepts>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "chainer/functions/evaluation.h"
#include "chainer/functions/loss.h"
#include "chainer/links/members.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace links {

/// Options of Classifier.
struct ClassifierOptions {
  std::function<Variable(const Variable&, const Variable&)> lossfun = functions::softmax_cross_entropy;
  std::function<Variable(const Variable&, const Variable&)> accfun = functions::accuracy;  ///< may be empty
  std::variant<int64_t, std::string> label_key = int64_t(-1);  ///< position or name of the label argument
};
/// A predictor (any link) with its loss. forward(inputs..., label) computes the loss, shape (), keeps y, loss and
/// accuracy, and reports loss and accuracy. Throws ValueError if the label is not among the arguments, TypeError unless
/// the predictor returns one variable.
class Classifier : public Chain {
 public:
  explicit Classifier(Child predictor, const ClassifierOptions& options = {});
  CHAINER_OTHER_OPTIONS(Classifier, ".lossfun, .accfun, .label_key", Child);
  Variable forward(const Variables& args);
  Variable forward(const NamedVariables& args);
  Variable forward(const Variable& x, const Variable& t) { return forward(Variables{x, t}); }
  Link& predictor() const { return *predictor_; }
  Variables call(const NamedVariables& x) override { return {forward(x)}; }
  bool compute_accuracy = true;
  Variable y, loss, accuracy;
  CHAINER_DECLARE_MEMBERS(Classifier);

 private:
  Variable evaluate(const Variables& inputs, const Variable& t);
  Child predictor_;
  ClassifierOptions options_;
};

/// Options of AveragedModel.
struct AveragedModelOptions {
  /// m = decay m + (1 - decay) w at each update; without it all updates count the same, m = m + (w - m) / n.
  std::optional<double> decay = 0.999;
};
/// A copy of a model whose weights are running averages of the model's: exponential (Polyak), or equal ones (stochastic
/// weight averaging, Izmailov et al., arXiv:1803.05407). update(), once after each update of the optimizer, takes the
/// model's weights in; the first takes them over. Other values, as the statistics of batch normalization, are the
/// model's of the last update(). Called, it calls the copy. It is saved and loaded with the number of updates. A decay
/// outside of 0 ... 1 is a ValueError.
///   L::AveragedModel(L::Linear(3, 2), {.decay = 0.99}).n_averaged()  // 0
class AveragedModel : public Link {
 public:
  explicit AveragedModel(const Link& model, const AveragedModelOptions& options = {});
  CHAINER_OTHER_OPTIONS(AveragedModel, ".decay", const Link&);
  /// Takes the weights of a model in that is like the one it was made from; parameters without values yet wait.
  void update(const Link& model);
  /// The copy with the averaged weights, to evaluate or save alone.
  Link& model() const { return *model_; }
  int64_t n_averaged() const { return n_averaged_; }
  Variable forward(const Variables& args);
  template <std::convertible_to<Variable>... V>
  requires(sizeof...(V) > 0) Variable forward(const V&... args) { return forward(Variables{Variable(args)...}); }
  Variables call(const NamedVariables& x) override { return model_->call(x); }
  /// Saves or loads also the averages of 16-bit parameters in float32, if the file has them.
  void serialize(Serializer& s) override;
  CHAINER_DECLARE_MEMBERS(AveragedModel);

 private:
  Child model_;
  int64_t n_averaged_ = 0;
  AveragedModelOptions options_;
  std::map<std::string, Array> wide_;  // averages of 16-bit parameters, which would not take small steps, by path
};

}  // namespace links
namespace L = links;
}  // namespace chainer
