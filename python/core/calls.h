// SPDX-License-Identifier: MIT
// Calls of functions that are one node in the release, though the library composes them of other functions. The
// bindings (generate.py) record them, so that graphs and hooks show one node with the call's parameters.
#pragma once
#include "chainer/autograd/composed_call.h"
#include "chainer/autograd/function_hook.h"
#include "python/core/casters.h"

namespace chainer::python {

/// Which function was called, and as what the graph shows it.
struct CallName {
  const char* function;  ///< in chainer.functions
  const char* label;     ///< the class of its node
  bool takes_list;       ///< true if the inputs are one argument
};

class Call : public ComposedCall {
 public:
  Call(const CallName& name, std::span<const Variable* const> inputs)
      : name(name), ndim(inputs.empty() || !*inputs[0] ? 0 : inputs[0]->ndim()) {}
  /// Returns the values of the parameters that are not inputs.
  virtual nb::dict parameters() const = 0;
  const CallName name;
  const int ndim;        ///< of the first input
  bool watched = false;  ///< a Python object stands for it

 protected:
  void last_reference() final;
  virtual void release() = 0;
};

// Python's values of parameters.
nb::object give(const PerAxis& v);
nb::object give(const Indices& v);
inline nb::object give(const Axes& v) { return v.given() ? nb::steal(int_tuple(v.list())) : nb::none(); }
inline nb::object give(const AnyAxes& v) { return give(static_cast<const Axes&>(v)); }
inline nb::object give(const Dims& v) { return nb::steal(int_tuple(v)); }
inline nb::object give(const Shape& v) { return nb::steal(int_tuple(v)); }
inline nb::object give(const Flag& v) { return nb::bool_(v.v); }
inline nb::object give(const Array& v) { return nb::steal(to_numpy(v)); }
inline nb::object give(const IntList& v) {
  nb::list all;
  for (int64_t n : v.v) all.append(n);
  return nb::tuple(all);
}
template <class E>
nb::object give(const Word<E>& v) {
  return nb::str(v.text.c_str());
}
template <class T>
nb::object give(const T& v) {
  return nb::cast(v);
}

template <class Parameters>
class CallOf : public Call {
 public:
  static Ref<ComposedCall> make(const CallName& name, std::span<const Variable* const> inputs, Parameters p) {
    auto* call = new (pool::allocate(sizeof(CallOf))) CallOf(name, inputs, std::move(p));
    return Ref<ComposedCall>(call, Ref<ComposedCall>::Adopt{});
  }
  nb::dict parameters() const override {
    nb::dict d;
    parameters_(d);
    return d;
  }

 private:
  CallOf(const CallName& name, std::span<const Variable* const> inputs, Parameters p)
      : Call(name, inputs), parameters_(std::move(p)) {}
  void release() override {
    this->~CallOf();
    pool::release(this, sizeof(CallOf));
  }
  Parameters parameters_;
};

using Pointers = SmallVector<const Variable*, 4>;
inline void add_pointers(Pointers& p, const Variable& v) { p.push_back(&v); }
inline void add_pointers(Pointers& p, const Variables& vs) {
  for (const Variable& v : vs) p.push_back(&v);
}
/// Returns pointers to all of the given variables and lists of variables.
template <class... V>
Pointers pointers(const V&... v) {
  Pointers p;
  (add_pointers(p, v), ...);
  return p;
}

/// Calls the thread's hooks around one call, and hides the functions that it is composed of from them.
class HookedOne {
 public:
  HookedOne(Call& call, std::span<const Variable* const> inputs);
  HookedOne(const HookedOne&) = delete;
  HookedOne& operator=(const HookedOne&) = delete;
  ~HookedOne();
  void finish();

 private:
  nb::object node_, arrays_;
  bool finished_ = false;
};

/// Returns compute(). If that makes a graph, the graph shows the call as one node; hooks see one function.
template <class Compute, class Parameters>
auto as_one(const CallName& name, const Pointers& inputs, Compute&& compute, Parameters parameters) {
  const std::span<const Variable* const> in(inputs.begin(), inputs.size());
  Ref<ComposedCall> call;
  const auto make = [&] {
    if (!call) call = CallOf<Parameters>::make(name, in, std::move(parameters));
    return static_cast<Call*>(call.get());
  };
  std::optional<HookedOne> hooked;
  if (function_hook_count > 0) hooked.emplace(*make(), in);
  auto y = compute();
  if (hooked) hooked->finish();
  const Pointers out = pointers(y);
  for (const Variable* v : out)
    if (v->node_pointer() && v->node_pointer()->creator()) {
      make()->attach(in, {out.begin(), out.size()});
      break;
    }
  return y;
}

}  // namespace chainer::python
