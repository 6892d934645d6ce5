// Variables that links own and optimizers update.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "chainer/autograd/initializer.h"
#include "chainer/autograd/variable.h"
#include "chainer/core/update_rule.h"

namespace chainer {

/// A handle to a trainable variable; copies refer to the same one. It may be uninitialized: its shape is then settled
/// by initialize(), usually at the first call of the link that owns it.
///
/// Construction: without a shape and with an array, that array is the data; without a shape otherwise it stays
/// uninitialized; with a shape it is filled at once, in the initializer's dtype or the configured one. No initializer
/// fills with NaN. A new parameter's gradient is NaN until cleargrad() or backward, so that forgetting both shows.
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

  /// The variable; none while uninitialized.
  const Variable& variable() const { return body().variable; }
  operator const Variable&() const { return body().variable; }
  bool is_initialized() const { return static_cast<bool>(body().variable); }
  /// Allocates and fills data and gradient.
  void initialize(const Shape& shape);
  /// Back to the state before initialize(): neither data nor gradient.
  void uninitialize() { body().variable = Variable(); }
  const InitializerArg& initializer() const { return body().initializer; }

  const Array& array() const { return variable().array(); }
  const Array& data() const { return array(); }
  /// Replaces the array, keeping the parameter's identity.
  void set_array(Array array);
  Dtype dtype() const { return variable().dtype(); }
  const Shape& shape() const { return variable().shape(); }
  int ndim() const { return variable().ndim(); }
  int64_t size() const { return variable().size(); }
  Array grad() const { return variable().grad(); }
  Variable grad_var() const { return variable().grad_var(); }
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
  /// Copies the other's data; an uninitialized side is initialized first, both uninitialized do nothing.
  void copydata(Parameter other);
  /// The scale of the loss whose gradient this holds.
  double loss_scale() const;

  const std::string& name() const { return body().name; }
  void set_name(std::string name);
  const std::shared_ptr<ParameterUpdater>& update_rule() const { return body().update_rule; }
  void set_update_rule(std::shared_ptr<ParameterUpdater> rule) { body().update_rule = std::move(rule); }
  /// Applies the update rule, if there is one.
  void update();
  void to_device(const Device& device);
  void to_cpu() { to_device(Device()); }
  void to_gpu(std::optional<int> id = {}) { to_device(gpu_device(id)); }

  /// Another parameter: on the same array with no gradient (share), or with a copy of it.
  Parameter shared() const;
  Parameter copied() const;
  /// Whether both handles refer to one parameter.
  bool is(const Parameter& o) const { return body_ == o.body_; }
  const void* id() const { return body_.get(); }
  /// Whether the gradient is still the NaN of a new parameter: nobody cleared or set it.
  bool has_first_gradient() const;

 private:
  struct Body {
    Variable variable;
    InitializerArg initializer;
    std::string name;
    Device device;
    enum class Gradient { nan, zero, none } first_gradient = Gradient::nan;
    bool fresh = false;  // the gradient is the NaN of the beginning, or grew from it
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
  bool listed_ = false;  // in Living<Parameter>: made or moved here, not copied
};

std::string repr(const Parameter& p);
inline int64_t len(const Parameter& p) { return len(p.array()); }

}  // namespace chainer
