// What a parameter knows of the optimizer that updates it.
#pragma once

namespace chainer {

class Parameter;

class ParameterUpdater {
 public:
  virtual ~ParameterUpdater() = default;
  /// Updates the parameter from its gradient, unless `enabled` is off.
  virtual void update(Parameter& param) = 0;
  bool enabled = true;
};

}  // namespace chainer
