// L: links that wrap others for training (manual: "Machine learning models").
#pragma once
#include <functional>
#include <variant>

#include "chainer/functions/evaluation.h"
#include "chainer/functions/loss.h"
#include "chainer/links/members.h"

namespace chainer {
namespace links {

/// Options of Classifier.
struct ClassifierOptions {
  std::function<Variable(const Variable&, const Variable&)> lossfun = functions::softmax_cross_entropy;
  std::function<Variable(const Variable&, const Variable&)> accfun = functions::accuracy;  ///< may be empty
  std::variant<int64_t, std::string> label_key = int64_t(-1);  ///< which argument is the label
};
/// A predictor with its loss: called with inputs and label, it computes the loss, keeps y, loss and accuracy, and
/// reports loss and accuracy. The predictor may be any link.
class Classifier : public Chain {
 public:
  explicit Classifier(Child predictor, const ClassifierOptions& options = {});
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

}  // namespace links
namespace L = links;
}  // namespace chainer
