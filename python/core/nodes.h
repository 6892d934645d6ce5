// Functions written in Python, and what Python sees of nodes.
#pragma once
#include "python/core/bridge.h"

namespace chainer::python {

struct Shell;

/// The node that carries a function written in Python through the graph. It owns the Python object; that refers back
/// by its Shell, which does not own, so that there is no cycle.
class Carrier : public FunctionNode {
 public:
  explicit Carrier(PyObject* self) : self_(Py_NewRef(self)) {}
  Carrier(Carrier&& o) noexcept : FunctionNode(std::move(o)), self_(std::exchange(o.self_, nullptr)) {}
  ~Carrier() override;
  Arrays forward(const Arrays& in) override;
  Variables backward(const Indexes& wanted, const Variables& gy) override;
  Variables backward_accumulate(const Indexes& wanted, const Variables& gy, const Variables& gx) override;
  bool accumulates() const override { return accumulates_; }
  std::string label() const override;
  PyObject* self() const { return self_; }

  using FunctionNode::retained_inputs;
  using FunctionNode::retained_outputs;
  Shell* shell = nullptr;

 private:
  friend nb::object apply_python(nb::handle self, const nb::list& inputs);
  Variables call(const char* method, const Indexes& wanted, const Variables& gy, const Variables* gx);
  void leave_to(Shell& s);
  void check_gradients(const Variables& gx, const Indexes& wanted) const;
  PyObject* self_ = nullptr;
  bool accumulates_ = false;
};

/// What Python holds of a function node: of one of the library's strongly, of a carrier weakly. When a carrier goes and
/// somebody holds its Python object, that keeps the inputs and
/// what was retained.
struct Shell {
  FunctionNode* node = nullptr;
  Ref<FunctionNode> owned;
  SmallVector<Ref<VariableNode>, 2> inputs;
  Variables retained_inputs, retained_outputs;
  int rank = 0;
  ~Shell();
};

/// A new node that carries a Python function, which refers to it by its attribute _node.
Ref<FunctionNode> make_carrier(PyObject* self);
/// Applies a Python function to Variables: a tuple of Variables.
nb::object apply_python(nb::handle self, const nb::list& inputs);

}  // namespace chainer::python
