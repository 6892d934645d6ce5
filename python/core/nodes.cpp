// SPDX-License-Identifier: MIT
// The Python classes VariableNode and FunctionNode.
#include "python/core/nodes.h"

#include <unordered_map>

#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/loss.h"
#include "python/core/casters.h"

namespace chainer::python {
namespace {

struct Node {
  Ref<VariableNode> n;
  ~Node();
};
// The Python objects of nodes, borrowed: an entry is removed with its object.
std::unordered_map<const VariableNode*, PyObject*> nodes;
std::unordered_map<const FunctionNode*, PyObject*> shells;

Node::~Node() { nodes.erase(n.get()); }

// The inputs' nodes; for a destroyed carrier those that it left.
const SmallVector<Ref<VariableNode>, 2>& inputs_of(const Shell& s) { return s.node ? s.node->inputs() : s.inputs; }

nb::object tuple_of(const SmallVector<Ref<VariableNode>, 2>& list) {
  nb::object t = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(list.size())));
  for (std::size_t i = 0; i < list.size(); ++i)
    PyTuple_SET_ITEM(t.ptr(), static_cast<Py_ssize_t>(i), wrap_node(list[i].get()));
  return t;
}
nb::object known_tuple(const Variables& vs) {
  nb::object t = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(vs.size())));
  for (std::size_t i = 0; i < vs.size(); ++i) PyTuple_SET_ITEM(t.ptr(), static_cast<Py_ssize_t>(i), known(vs[i]));
  return t;
}
Variables retained_inputs(const Shell& s) {
  return s.owned ? Variables() : s.node ? static_cast<Carrier*>(s.node)->retained_inputs() : s.retained_inputs;
}
Variables retained_outputs(const Shell& s) {
  return s.owned ? Variables() : s.node ? static_cast<Carrier*>(s.node)->retained_outputs() : s.retained_outputs;
}

// The softmax that softmax_cross_entropy keeps without enable_double_backprop; None if cache_score is false.
nb::object kept_softmax(const Shell& s) {
  const auto* described = dynamic_cast<const Described*>(s.node);
  if (described && s.node->label() == "SoftmaxCrossEntropy") {
    NodeAttributes attributes;
    described->describe(attributes);
    const auto& o = attributes.get<functions::SoftmaxCrossEntropyOptions>("options");
    if (!o.enable_double_backprop) {
      if (!o.cache_score) return nb::none();
      return nb::steal(to_numpy(functions::softmax(Variable(s.node->input_data()[0], false), 1).array()));
    }
  }
  throw nb::attribute_error("'FunctionNode' object has no attribute 'y'");
}

}  // namespace

Shell::~Shell() {
  if (owned)
    shells.erase(owned.get());
  else if (node)
    static_cast<Carrier*>(node)->shell = nullptr;
}

PyObject* wrap_node(VariableNode* n) {
  if (!n) Py_RETURN_NONE;
  if (const auto it = nodes.find(n); it != nodes.end()) return Py_NewRef(it->second);
  PyObject* o = nb::cast(new Node{Ref<VariableNode>(n)}, nb::rv_policy::take_ownership).release().ptr();
  nodes[n] = o;
  return o;
}

PyObject* python_function(FunctionNode* f) {
  auto* c = dynamic_cast<Carrier*>(f);
  return c ? c->self() : nullptr;
}

PyObject* wrap_function(FunctionNode* f) {
  if (!f) Py_RETURN_NONE;
  if (PyObject* p = python_function(f)) return Py_NewRef(p);
  if (const auto it = shells.find(f); it != shells.end()) return Py_NewRef(it->second);
  auto* shell = new Shell;
  shell->node = f;
  shell->owned = Ref<FunctionNode>(f);
  PyObject* o = nb::cast(shell, nb::rv_policy::take_ownership).release().ptr();
  shells[f] = o;
  return o;
}

Ref<FunctionNode> as_function(PyObject* o) {
  nb::object shell = nb::borrow(o);
  if (o == Py_None) return {};
  if (!nb::isinstance<Shell>(shell)) shell = nb::getattr(shell, "_node", nb::none());
  if (shell.is_none()) return make_carrier(o);
  return Ref<FunctionNode>(nb::cast<Shell&>(shell).node);
}

void bind_nodes(nb::module_& m) {
  auto v = nb::class_<Node>(m, "VariableNode", nb::is_weak_referenceable());
  v.def(
      "__init__",
      [](Node*, nb::handle, nb::handle, nb::kwargs) { throw ValueError("a VariableNode is created by its Variable"); },
      "variable"_a.none(), "name"_a.none(), "kwargs"_a);
  v.def_prop_ro("dtype", [](const Node& s) { return nb::steal(dtype_to_python(s.n->dtype())); });
  v.def_prop_ro("shape", [](const Node& s) { return nb::steal(int_tuple(s.n->shape())); });
  v.def_prop_ro("requires_grad", [](const Node& s) { return s.n->requires_grad(); });
  v.def_prop_ro("rank", [](const Node& s) { return s.n->rank(); });
  v.def_prop_ro("label", [](const Node& s) { return label_of(s.n->shape(), s.n->dtype()); });
  v.def_prop_ro("name", [](const Node& s) -> nb::object {
    const std::string n = s.n->name();
    return n.empty() ? nb::none() : nb::object(nb::str(n.c_str()));
  });
  v.def_prop_ro("grad", [](const Node& s) { return nb::steal(to_numpy(s.n->grad.array())); });
  v.def_prop_ro("grad_var", [](const Node& s) { return nb::steal(known(s.n->grad)); });
  v.def_prop_ro("_retained", [](const Node& s) { return nb::steal(to_numpy(s.n->data())); });
  v.def_prop_rw(
      "creator_node", [](const Node& s) { return nb::steal(wrap_function(s.n->creator())); },
      [](Node& s, nb::handle f) { s.n->set_creator(as_function(f.ptr())); }, nb::for_setter(nb::arg().none()));
  v.def(
      "set_creator_node", [](Node& s, nb::handle f) { s.n->set_creator(as_function(f.ptr())); },
      nb::arg("creator_node").none());
  v.def("unchain", [](Node& s) { s.n->unchain(); });
  v.def_prop_rw(
      "_rank", [](const Node& s) { return s.n->rank(); }, [](Node& s, int rank) { s.n->set_rank(rank); });
  v.def_prop_rw(
      "_requires_grad", [](const Node& s) { return s.n->requires_grad(); },
      [](Node& s, bool requires_grad) { s.n->set_requires_grad(requires_grad); });
  v.def("get_variable_or_none", [](const Node& s) { return nb::steal(known_or_none(s.n.get())); });
  v.def("get_variable", [](const Node& s) { return nb::steal(known(Variable(s.n->data(), s.n))); });

  auto f = nb::class_<Shell>(m, "FunctionNode", nb::is_weak_referenceable());
  f.def_prop_ro("inputs", [](const Shell& s) -> nb::object {
    const auto& in = inputs_of(s);
    return in.empty() ? nb::none() : tuple_of(in);
  });
  f.def_prop_ro("_outputs", [](const Shell& s) {
    nb::list out;
    if (s.node)
      for (VariableNode* n : s.node->outputs()) out.append(nb::steal(wrap_node(n)));
    return out;
  });
  f.def_prop_ro("alive", [](const Shell& s) { return s.node != nullptr; });
  f.def_prop_ro("rank", [](const Shell& s) { return s.node ? s.node->rank() : s.rank; });
  f.def_prop_ro("label", [](const Shell& s) { return s.node ? s.node->label() : std::string(); });
  f.def_prop_ro("_impl_name", [](const Shell& s) {
    std::string name = s.node ? s.node->impl_name() : std::string();
    if (name.ends_with("Node")) name.resize(name.size() - 4);
    return name;
  });
  f.def_prop_ro("y", &kept_softmax);
  f.def("unchain", [](Shell& s) {
    s.inputs = {};
    if (s.node) s.node->unchain();
  });
  f.def("get_retained_inputs", [](const Shell& s) { return known_tuple(retained_inputs(s)); });
  f.def("get_retained_outputs", [](const Shell& s) { return known_tuple(retained_outputs(s)); });
  m.def("apply", &apply_python, "function"_a, "inputs"_a);
}

}  // namespace chainer::python
