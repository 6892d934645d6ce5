// What a parameter knows of the optimizer that updates it.
#pragma once
#include <string>
#include <string_view>

namespace chainer {

class Parameter;

class ParameterUpdater {
 public:
  virtual ~ParameterUpdater() = default;
  /// Updates the parameter from its gradient, unless `enabled` is off.
  virtual void update(Parameter& param) = 0;
  /// A hyperparameter of this parameter, or the optimizer's where it has none of its own; KeyError where neither has
  /// it.
  virtual double get(std::string_view name) const = 0;
  /// Gives this parameter a value of its own: W.update_rule()->set("lr", 0.1).
  virtual void set(const std::string& name, double value) = 0;
  bool enabled = true;
};

}  // namespace chainer
