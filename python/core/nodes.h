// SPDX-License-Identifier: MIT
// Functions written in Python, and the Python classes of nodes.
#pragma once
#include "chainer/autograd/composed_call.h"
#include "python/core/bridge.h"

namespace chainer::python {

class Call;
struct Shell;
struct Relay;
/// The relay (cycles.cpp) outlives its carrier.
void forget_carrier(Relay* r);

/// The graph node of a function written in Python. It owns the Python object, which refers back by a non-owning Shell,
/// so that there is no cycle.
class Carrier : public FunctionNode {
 public:
  explicit Carrier(PyObject* self) : self_(Py_NewRef(self)) { ++alive; }
  Carrier(Carrier&& o) noexcept : FunctionNode(std::move(o)), self_(std::exchange(o.self_, nullptr)) { ++alive; }
  ~Carrier() override;
  Arrays forward(const Arrays& in) override;
  Variables backward(const Indexes& wanted, const Variables& gy) override;
  Variables backward_accumulate(const Indexes& wanted, const Variables& gy, const Variables& gx) override;
  bool accumulates() const override { return accumulates_; }
  std::string label() const override;
  std::string impl_name() const override;
  PyObject* self() const { return self_; }

  using FunctionNode::retained_inputs;
  using FunctionNode::retained_outputs;
  Shell* shell = nullptr;
  Relay* relay = nullptr;
  static std::atomic<int64_t> alive;

 private:
  friend nb::object apply_python(nb::handle self, const nb::list& inputs);
  Variables call(const char* method, const Indexes& wanted, const Variables& gy, const Variables* gx);
  void leave_to(Shell& s);
  void check_gradients(const Variables& gx, const Indexes& wanted) const;
  PyObject* self_ = nullptr;
  bool accumulates_ = false;
};

/// Python's reference to a function node, or to a composed call that is shown as one. The graph owns the Python objects
/// that stand for its nodes, so that an object is the same as long as the graph lives, and they refer back by a
/// non-owning Shell. When a function of the library is destroyed while its object is referenced, the Shell becomes its
/// owner. When a carrier is destroyed, the object keeps the inputs and the retained arrays.
struct Shell {
  FunctionNode* node = nullptr;
  Call* call = nullptr;
  bool library = false;
  Ref<FunctionNode> owned;
  Ref<ComposedCall> owned_call;
  SmallVector<Ref<VariableNode>, 2> inputs;
  Variables retained_inputs, retained_outputs;
  int rank = 0;
  ~Shell();
};

/// Returns the object of a composed call, or the object of a function even if it completes a composed call.
PyObject* wrap_call(Call* c);
PyObject* wrap_own(FunctionNode* f);
/// Return true if Python code refers to the object of a node.
bool is_held(const VariableNode* n);
bool is_held(const FunctionNode* f);
/// Returns what a function describes for exporters.
nb::dict attributes_of(const FunctionNode& f);

/// Creates a node for a Python function, which refers to it by its attribute _node.
Ref<FunctionNode> make_carrier(PyObject* self);
/// Applies a Python function to Variables; returns a tuple of Variables.
nb::object apply_python(nb::handle self, const nb::list& inputs);

}  // namespace chainer::python
