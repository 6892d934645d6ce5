// SPDX-License-Identifier: MIT
// The interface between a parameter and the optimizer that updates it.
#pragma once
#include <string>
#include <string_view>

namespace chainer {

class Parameter;

class ParameterUpdater {
 public:
  virtual ~ParameterUpdater() = default;
  /// Updates the parameter from its gradient if `enabled` is true.
  virtual void update(Parameter& param) = 0;
  /// Returns a hyperparameter of this parameter, or the optimizer's if this parameter has no value of its own. Throws
  /// KeyError if neither has the name.
  virtual double get(std::string_view name) const = 0;
  /// Sets a hyperparameter for this parameter alone: W.update_rule()->set("lr", 0.1).
  virtual void set(const std::string& name, double value) = 0;
  bool enabled = true;
};

}  // namespace chainer
