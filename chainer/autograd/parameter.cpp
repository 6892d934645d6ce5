// SPDX-License-Identifier: MIT
#include "chainer/autograd/parameter.h"

#include <cmath>
#include <limits>

#include "chainer/array/backend.h"
#include "chainer/array/recording/watch.h"
#include "chainer/core/living.h"
#include "chainer/routines/creation.h"

namespace chainer {

void Parameter::enlist() noexcept { listed_ = Living<Parameter>::add(this); }
void Parameter::delist() noexcept { Living<Parameter>::remove(this); }
void Parameter::moved_from() { throw RuntimeError("a Parameter is used after it was moved from"); }

bool Parameter::has_first_gradient() const {
  if (!body().fresh || !is_initialized()) return false;
  const Array g = grad();
  return g && g.size() > 0 && std::isnan(g.reshape({-1})[0].item<double>());
}

Parameter::Parameter(InitializerArg initializer, std::optional<Shape> shape, std::string name)
    : body_(std::make_shared<Body>()) {
  enlist();
  body().name = std::move(name);
  body().initializer = initializer.value_or(std::numeric_limits<double>::quiet_NaN());
  if (shape) {
    initialize(*shape);
  } else if (initializer.array()) {
    adopt(initializer.array());
    set_grad(full_like(array(), std::numeric_limits<double>::quiet_NaN()));
    body().fresh = true;
  }
}

Parameter Parameter::of(const Variable& variable) {
  Parameter p;
  p.body().variable = variable;
  return p;
}

void Parameter::adopt(Array data) {
  body().variable = Variable(std::move(data));
  if (!body().name.empty()) body().variable.set_name(body().name);
}

void Parameter::initialize(const Shape& shape) {
  adopt(generate_array(body().initializer, shape, {}, body().device));
  if (body().first_gradient == Body::Gradient::none || !is_floating(dtype())) return;
  const bool zero = body().first_gradient == Body::Gradient::zero;
  set_grad(full_like(array(), zero ? 0 : std::numeric_limits<double>::quiet_NaN()));
  body().fresh = !zero;
}

void Parameter::set_array(Array array) {
  if (is_initialized())
    body().variable.set_array(std::move(array));
  else
    adopt(std::move(array));
}

namespace {
void clears_a_gradient() {
  if (recording::any()) [[unlikely]]
    recording::refuse("the call clears gradients of parameters");
}
}  // namespace

void Parameter::cleargrad() {
  clears_a_gradient();
  body().fresh = false;
  body().variable.cleargrad();
  if (!is_initialized()) body().first_gradient = Body::Gradient::none;
}
void Parameter::zerograd() {
  clears_a_gradient();
  body().fresh = false;
  body().variable.zerograd();
  if (!is_initialized()) body().first_gradient = Body::Gradient::zero;
}

void Parameter::addgrad(const Parameter& other) {
  if (!other.grad()) return;
  if (!is_initialized()) {
    cleargrad();
    initialize(other.shape());
  }
  body().variable.addgrad(other.variable());
}

void Parameter::copydata(Parameter other) {
  if (!is_initialized() && !other.is_initialized()) return;
  if (!other.is_initialized()) other.initialize(shape());
  if (!is_initialized()) initialize(other.shape());
  body().variable.copydata(other.variable());
}

double Parameter::loss_scale() const {
  VariableNode* n = variable().node_pointer();
  return n ? n->loss_scale().value_or(1.0) : 1.0;
}

void Parameter::set_name(std::string name) {
  body().name = std::move(name);
  if (is_initialized()) body().variable.set_name(body().name);
}

void Parameter::update() {
  if (body().update_rule) body().update_rule->update(*this);
}

void Parameter::to_device(const Device& device) {
  body().device = device;
  if (!is_initialized() || array().device() == device) return;
  const Array g = grad();
  set_array(array().to_device(device));
  set_grad(g ? g.to_device(device) : Array());
}

Parameter Parameter::shared() const {
  Parameter p;
  p.body().initializer = body().initializer;
  p.body().device = body().device;
  p.body().name = body().name;
  p.body().first_gradient = is_initialized() ? Body::Gradient::none : body().first_gradient;
  if (is_initialized()) p.adopt(array());
  return p;
}

Parameter Parameter::copied() const {
  Parameter p = shared();
  if (!is_initialized()) return p;
  p.adopt(array().copy());
  if (const Array g = grad()) p.set_grad(g.copy());
  p.body().fresh = body().fresh;
  return p;
}

std::string repr(const Parameter& p) { return p.is_initialized() ? repr(p.variable()) : "variable(None)"; }

}  // namespace chainer
