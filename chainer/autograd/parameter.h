// SPDX-License-Identifier: MIT
// Parameters: variables owned by links and updated by optimizers.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "chainer/autograd/initializer.h"
#include "chainer/autograd/variable.h"
#include "chainer/core/update_rule.h"

namespace chainer {

/// A handle to a trainable variable; copies refer to the same variable. A parameter may be uninitialized: then
/// initialize() sets its shape later, usually at the first call of the link that owns it.
///
/// If a shape is given, the constructor fills the parameter at once, in the initializer's dtype or the configured one.
/// Without a shape, an array as initializer becomes the data; otherwise the parameter stays uninitialized. The default
/// initializer is NaN. The gradient of a new parameter is NaN until cleargrad() or backward(), so that a missing
/// cleargrad() is noticed.
class Parameter {
 public:
  Parameter() : Parameter(InitializerArg()) {}
  explicit Parameter(InitializerArg initializer, std::optional<Shape> shape = {}, std::string name = {});
  Parameter(const Parameter& o) : body_(o.body_) {}
  Parameter(Parameter&& o) noexcept : body_(std::move(o.body_)) { enlist(); }
  Parameter& operator=(const Parameter& o) {
    body_ = o.body_;
    return *this;
  }
  Parameter& operator=(Parameter&& o) noexcept {
    body_ = std::move(o.body_);
    return *this;
  }
  ~Parameter() {
    if (listed_) delist();
  }

  /// Returns a parameter whose variable is this one, as of a program in another language that owns it.
  static Parameter of(const Variable& variable);
  /// Returns the variable; empty if uninitialized.
  const Variable& variable() const { return body().variable; }
  operator const Variable&() const { return body().variable; }
  bool is_initialized() const { return static_cast<bool>(body().variable); }
  /// Allocates data and gradient and fills the data. Throws as generate_array().
  void initialize(const Shape& shape);
  /// Restores the state before initialize(), without data and gradient.
  void uninitialize() { body().variable = Variable(); }
  const InitializerArg& initializer() const { return body().initializer; }

  const Array& array() const { return variable().array(); }
  const Array& data() const { return array(); }
  /// Replaces the array. The parameter keeps its identity.
  void set_array(Array array);
  Dtype dtype() const { return variable().dtype(); }
  const Shape& shape() const { return variable().shape(); }
  int ndim() const { return variable().ndim(); }
  int64_t size() const { return variable().size(); }
  Array grad() const { return variable().grad(); }
  Variable grad_var() const { return variable().grad_var(); }
  /// Sets the gradient. Throws TypeError or ValueError as Variable::set_grad().
  void set_grad(const Array& g) {
    body().fresh = false;
    body().variable.set_grad(g);
  }
  void set_grad_var(const Variable& g) {
    body().fresh = false;
    body().variable.set_grad_var(g);
  }
  void cleargrad();
  void zerograd();
  void addgrad(const Parameter& other);
  /// Copies the data of `other`. If only one side is initialized, the other is initialized first; if neither is, does
  /// nothing. Throws DimensionError if the shapes differ.
  void copydata(Parameter other);
  /// Returns the scale of the loss whose gradient is stored; 1 by default.
  double loss_scale() const;

  const std::string& name() const { return body().name; }
  void set_name(std::string name);
  const std::shared_ptr<ParameterUpdater>& update_rule() const { return body().update_rule; }
  void set_update_rule(std::shared_ptr<ParameterUpdater> rule) { body().update_rule = std::move(rule); }
  /// Applies the update rule, if any.
  void update();
  void to_device(const Device& device);
  void to_cpu() { to_device(Device()); }
  void to_gpu(std::optional<int> id = {}) { to_device(gpu_device(id)); }

  /// Return a new parameter: shared() on the same array without a gradient, copied() with copies of data and gradient.
  Parameter shared() const;
  Parameter copied() const;
  /// Returns true if both handles refer to the same parameter.
  bool is(const Parameter& o) const { return body_ == o.body_; }
  const void* id() const { return body_.get(); }
  /// Returns true if the gradient is still the NaN of a new parameter, neither cleared nor set.
  bool has_first_gradient() const;

 private:
  struct Body {
    Variable variable;
    InitializerArg initializer;
    std::string name;
    Device device;
    enum class Gradient { nan, zero, none } first_gradient = Gradient::nan;
    bool fresh = false;  // the gradient is the initial NaN, or includes it
    std::shared_ptr<ParameterUpdater> update_rule;
  };
  [[noreturn]] static void moved_from();
  Body& body() const {
    if (!body_) [[unlikely]]
      moved_from();
    return *body_;
  }
  void adopt(Array data);
  void enlist() noexcept;
  void delist() noexcept;
  std::shared_ptr<Body> body_;
  bool listed_ = false;  // in Living<Parameter>: constructed or moved here, not copied
};

std::string repr(const Parameter& p);
inline int64_t len(const Parameter& p) { return len(p.array()); }

}  // namespace chainer
