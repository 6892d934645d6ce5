// SPDX-License-Identifier: MIT
#include "chainer/autograd/reporter.h"
#include "chainer/links/model.h"

namespace chainer::links {

Classifier::Classifier(Child predictor, const ClassifierOptions& o) : predictor_(std::move(predictor)), options_(o) {
  compute_accuracy = static_cast<bool>(o.accfun);
}

Variable Classifier::evaluate(const Variables& inputs, const Variable& t) {
  if (inputs.empty())
    throw TypeError(
        "Classifier: called with the label only, without inputs for the predictor; examples of "
        "the dataset must be pairs of an input and a label, as in TupleDataset(x, t)");
  y = loss = accuracy = Variable();
  Variables out = predictor_->call(inputs);
  if (out.size() != 1) throw TypeError("Classifier: the predictor must return one variable, got ", out.size());
  y = out[0];
  loss = options_.lossfun(y, t);
  report({{"loss", loss}}, this);
  if (compute_accuracy) {
    accuracy = options_.accfun(y, t);
    report({{"accuracy", accuracy}}, this);
  }
  return loss;
}

Variable Classifier::forward(const Variables& args) {
  const auto* key = std::get_if<int64_t>(&options_.label_key);
  if (!key)
    throw ValueError("Classifier: the label is named '", std::get<std::string>(options_.label_key),
                     "', but the arguments have no names");
  const auto n = static_cast<int64_t>(args.size());
  if (*key < -n || *key >= n)
    throw ValueError("Classifier: label key ", *key, " is out of range for ", n, " arguments");
  const auto at = static_cast<std::size_t>(*key < 0 ? *key + n : *key);
  Variables inputs;
  for (std::size_t i = 0; i < args.size(); ++i)
    if (i != at) inputs.push_back(args[i]);
  return evaluate(inputs, args[at]);
}

Variable Classifier::forward(const NamedVariables& args) {
  const auto* key = std::get_if<std::string>(&options_.label_key);
  if (!key) throw ValueError("Classifier: named arguments need a label_key that is a name");
  const auto it = args.find(*key);
  if (it == args.end()) throw ValueError("Classifier: label key '", *key, "' is not among the arguments");
  Variables inputs;
  for (const auto& [name, v] : args)
    if (name != *key) inputs.push_back(v);
  return evaluate(inputs, it->second);
}

CHAINER_DEFINE_MEMBERS(Classifier, predictor_)

}  // namespace chainer::links
