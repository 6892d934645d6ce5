#include "chainer/autograd/parameter.h"

#include <limits>

#include "chainer/array/backend.h"
#include "chainer/routines/creation.h"

namespace chainer {

Parameter::Parameter(InitializerArg initializer, std::optional<Shape> shape, std::string name)
    : body_(std::make_shared<Body>()) {
  body_->name = std::move(name);
  body_->initializer = initializer.value_or(std::numeric_limits<double>::quiet_NaN());
  if (shape) {
    initialize(*shape);
  } else if (initializer.array()) {
    adopt(initializer.array());
    set_grad(full_like(array(), std::numeric_limits<double>::quiet_NaN()));
  }
}

void Parameter::adopt(Array data) {
  body_->variable = Variable(std::move(data));
  if (!body_->name.empty()) body_->variable.set_name(body_->name);
}

void Parameter::initialize(const Shape& shape) {
  adopt(generate_array(body_->initializer, shape, {}, body_->device));
  if (body_->first_gradient == Body::Gradient::none || !is_floating(dtype())) return;
  set_grad(
      full_like(array(), body_->first_gradient == Body::Gradient::zero ? 0 : std::numeric_limits<double>::quiet_NaN()));
}

void Parameter::set_array(Array array) {
  if (is_initialized())
    body_->variable.set_array(std::move(array));
  else
    adopt(std::move(array));
}

void Parameter::cleargrad() {
  body_->variable.cleargrad();
  if (!is_initialized()) body_->first_gradient = Body::Gradient::none;
}
void Parameter::zerograd() {
  body_->variable.zerograd();
  if (!is_initialized()) body_->first_gradient = Body::Gradient::zero;
}

void Parameter::addgrad(const Parameter& other) {
  if (!other.grad()) return;
  if (!is_initialized()) {
    cleargrad();
    initialize(other.shape());
  }
  body_->variable.addgrad(other.variable());
}

void Parameter::copydata(Parameter other) {
  if (!is_initialized() && !other.is_initialized()) return;
  if (!other.is_initialized()) other.initialize(shape());
  if (!is_initialized()) initialize(other.shape());
  body_->variable.copydata(other.variable());
}

double Parameter::loss_scale() const {
  VariableNode* n = variable().node_pointer();
  return n ? n->loss_scale().value_or(1.0) : 1.0;
}

void Parameter::set_name(std::string name) {
  body_->name = std::move(name);
  if (is_initialized()) body_->variable.set_name(body_->name);
}

void Parameter::update() {
  if (body_->update_rule) body_->update_rule->update(*this);
}

void Parameter::to_device(const Device& device) {
  body_->device = device;
  if (!is_initialized() || array().device() == device) return;
  const Array g = grad();
  set_array(array().to_device(device));
  set_grad(g ? g.to_device(device) : Array());
}

Parameter Parameter::shared() const {
  Parameter p;
  p.body_->initializer = body_->initializer;
  p.body_->device = body_->device;
  p.body_->name = body_->name;
  p.body_->first_gradient = is_initialized() ? Body::Gradient::none : body_->first_gradient;
  if (is_initialized()) p.adopt(array());
  return p;
}

Parameter Parameter::copied() const {
  Parameter p = shared();
  if (!is_initialized()) return p;
  p.adopt(array().copy());
  if (const Array g = grad()) p.set_grad(g.copy());
  return p;
}

std::string repr(const Parameter& p) { return p.is_initialized() ? repr(p.variable()) : "variable(None)"; }

}  // namespace chainer
