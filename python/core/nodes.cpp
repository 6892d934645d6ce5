// SPDX-License-Identifier: MIT
// The Python classes VariableNode and FunctionNode.
#include "python/core/nodes.h"

#include <unordered_map>

#include "chainer/autograd/node_attributes.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/loss.h"
#include "python/core/calls.h"

namespace chainer::python {
namespace {

// The Python object of a variable's node. The node owns it, until it is destroyed while the object is referenced.
struct Node {
  VariableNode* n;
  Ref<VariableNode> owned;
  ~Node();
};
std::unordered_map<const VariableNode*, PyObject*> nodes;
// The objects of functions of the library and of composed calls.
std::unordered_map<const void*, PyObject*> shells;

Node::~Node() {
  if (!n) return;
  nodes.erase(n);
  n->watch(false);
}

PyObject* find(const auto& objects, const auto* key) {
  const auto it = objects.find(key);
  return it != objects.end() && Py_REFCNT(it->second) > 0 ? it->second : nullptr;
}

// The last reference to a node is gone. Returns true if its object is not referenced either.
template <class T>
bool end_of(T& node, const auto& objects, const auto& adopt) {
  if (!Py_IsInitialized()) return true;
  const nb::gil_scoped_acquire lock;
  PyObject* const o = find(objects, &node);
  if (!o) return true;
  const nb::error_scope pending;  // an exception that is on its way
  const bool held = Py_REFCNT(o) > 1;
  if (held && node.refs.value() == 0) node.refs.increment();
  adopt(o, held);
  Py_DECREF(o);
  return !held;
}
bool end_of_variable(VariableNode& n) {
  return end_of(n, nodes, [&](PyObject* o, bool held) {
    auto* const node = nb::inst_ptr<Node>(nb::handle(o));
    if (held) {
      node->owned = Ref<VariableNode>(&n, Ref<VariableNode>::Adopt{});
    } else {
      nodes.erase(&n);
      node->n = nullptr;
    }
  });
}
Shell& shell_of(PyObject* o) { return nb::cast<Shell&>(nb::handle(o).attr("_node")); }
bool end_of_function(FunctionNode& f) {
  return end_of(f, shells, [&](PyObject* o, bool held) {
    Shell& s = shell_of(o);
    if (held) {
      s.owned = Ref<FunctionNode>(&f, Ref<FunctionNode>::Adopt{});
    } else {
      shells.erase(&f);
      s.node = nullptr;
    }
  });
}

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
// The inputs' nodes; for a destroyed carrier those that it left.
const SmallVector<Ref<VariableNode>, 2>& inputs_of(const Shell& s) {
  return s.call ? s.call->inputs() : s.node ? s.node->inputs() : s.inputs;
}
Variables retained_inputs(const Shell& s) {
  return s.library ? Variables() : s.node ? static_cast<Carrier*>(s.node)->retained_inputs() : s.retained_inputs;
}
Variables retained_outputs(const Shell& s) {
  return s.library ? Variables() : s.node ? static_cast<Carrier*>(s.node)->retained_outputs() : s.retained_outputs;
}
std::string impl_name(const Shell& s) {
  std::string name = s.call ? s.call->name.label : s.node ? s.node->impl_name() : std::string();
  if (name.ends_with("Node")) name.resize(name.size() - 4);
  return name;
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
  if (!library) {
    if (node) static_cast<Carrier*>(node)->shell = nullptr;
    return;
  }
  if (node) {
    shells.erase(node);
    node->watch(false);
  }
  if (call) {
    shells.erase(call);
    call->watched = false;
  }
}

void Call::last_reference() {
  if (!watched || end_of(*this, shells, [&](PyObject* o, bool held) {
        Shell& s = shell_of(o);
        if (held) {
          s.owned_call = Ref<ComposedCall>(this, Ref<ComposedCall>::Adopt{});
        } else {
          shells.erase(this);
          s.call = nullptr;
        }
      }))
    release();
}

bool is_held(const VariableNode* n) {
  PyObject* const o = find(nodes, n);
  return o && Py_REFCNT(o) > 1;
}
bool is_held(const FunctionNode* f) {
  PyObject* const o = find(shells, f);
  if (o && Py_REFCNT(o) > 1) return true;
  PyObject* const c = f->composed_call() ? find(shells, f->composed_call()) : nullptr;
  return c && Py_REFCNT(c) > 1;
}

PyObject* wrap_node(VariableNode* n) {
  if (!n) Py_RETURN_NONE;
  if (PyObject* o = find(nodes, n)) return Py_NewRef(o);
  PyObject* o = nb::cast(new Node{n, {}}, nb::rv_policy::take_ownership).release().ptr();
  nodes[n] = o;
  n->watch(true);
  return Py_NewRef(o);
}

PyObject* python_function(FunctionNode* f) {
  auto* c = dynamic_cast<Carrier*>(f);
  return c ? c->self() : nullptr;
}

// Makes the object that stands for a function: an instance of the release's class, which is not initialized.
static PyObject* make_object(const void* key, const std::string& label, Shell* shell) {
  static auto& classes = *new std::unordered_map<std::string, PyObject*>;
  const nb::object node = nb::cast(shell, nb::rv_policy::take_ownership);
  const std::string impl = impl_name(*shell);
  PyObject*& made =
      classes[(shell->call ? "" : impl + " ") + (impl.find("Constant") == std::string::npos ? label : "")];
  if (!made) made = nb::module_::import_("chainer.functions._nodes").attr("class_of")(label, impl).release().ptr();
  nb::object o = nb::handle(made).attr("_of_node")(node);
  shells[key] = o.ptr();
  return Py_NewRef(o.release().ptr());
}

PyObject* wrap_call(Call* c) {
  if (PyObject* o = find(shells, c)) return Py_NewRef(o);
  auto* shell = new Shell;
  shell->call = c;
  shell->library = true;
  PyObject* o = make_object(c, c->name.label, shell);
  c->watched = true;
  return o;
}

PyObject* wrap_own(FunctionNode* f) {
  if (PyObject* p = python_function(f)) return Py_NewRef(p);
  if (PyObject* o = find(shells, f)) return Py_NewRef(o);
  auto* shell = new Shell;
  shell->node = f;
  shell->library = true;
  PyObject* o = make_object(f, f->label(), shell);
  f->watch(true);
  return o;
}

PyObject* wrap_function(FunctionNode* f) {
  if (!f) Py_RETURN_NONE;
  if (auto* call = static_cast<Call*>(f->composed_call())) return wrap_call(call);
  return wrap_own(f);
}

Ref<FunctionNode> as_function(PyObject* o) {
  nb::object shell = nb::borrow(o);
  if (o == Py_None) return {};
  if (!nb::isinstance<Shell>(shell)) shell = nb::getattr(shell, "_node", nb::none());
  if (shell.is_none()) return make_carrier(o);
  const Shell& s = nb::cast<Shell&>(shell);
  if (!s.call) return Ref<FunctionNode>(s.node);
  for (FunctionNode* f : s.call->makers())
    if (f) return Ref<FunctionNode>(f);
  throw RuntimeError(s.call->name.function, ": its graph no longer exists");
}

void bind_nodes(nb::module_& m) {
  VariableNode::last_reference = &end_of_variable;
  FunctionNode::last_reference = &end_of_function;
  auto v = nb::class_<Node>(m, "VariableNode", nb::is_weak_referenceable(), nb::dynamic_attr());
  v.def(
      "__init__",
      [](Node*, nb::handle, nb::handle, nb::kwargs) { throw ValueError("a VariableNode is created by its Variable"); },
      "variable"_a.none(), "name"_a.none(), "kwargs"_a);
  v.def_prop_ro("dtype", [](const Node& s) { return nb::steal(dtype_to_python(s.n->dtype())); });
  v.def_prop_ro("shape", [](const Node& s) { return nb::steal(int_tuple(s.n->shape())); });
  v.def_prop_ro("requires_grad", [](const Node& s) { return s.n->requires_grad(); });
  v.def_prop_ro("rank", [](const Node& s) { return shown_rank(*s.n); });
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
  v.def("get_variable_or_none", [](const Node& s) -> nb::object {
    PyObject* const o = living(s.n);
    return o ? nb::borrow(o) : nb::none();
  });
  v.def("get_variable", [](const Node& s) {
    (void)living(s.n);  // known() finds it then
    return nb::steal(known(Variable(s.n->data(), Ref<VariableNode>(s.n))));
  });
  v.def("retain_data", [](const Node& s) {
    PyObject* const o = living(s.n);
    if (!o) throw RuntimeError("retain_data: the variable of this node exists no more");
    as_handle(o)->v.retain_data();
  });

  auto f = nb::class_<Shell>(m, "FunctionNode", nb::is_weak_referenceable());
  f.def_prop_ro("inputs", [](const Shell& s) -> nb::object {
    const auto& in = inputs_of(s);
    return in.empty() ? nb::none() : tuple_of(in);
  });
  f.def_prop_ro("_outputs", [](const Shell& s) {
    nb::list out;
    if (s.call)
      for (VariableNode* n : s.call->outputs()) out.append(nb::steal(wrap_node(n)));
    else if (s.node)
      for (VariableNode* n : s.node->outputs()) out.append(nb::steal(wrap_node(n)));
    return out;
  });
  f.def_prop_ro("alive", [](const Shell& s) { return s.node || s.call; });
  f.def_prop_ro("rank", [](const Shell& s) {
    return s.call ? shown_rank(*s.call) : s.node ? shown_rank(*s.node) : s.rank;
  });
  f.def_prop_ro("label", [](const Shell& s) {
    return s.call ? std::string(s.call->name.label) : s.node ? s.node->label() : std::string();
  });
  f.def_prop_ro("_impl_name", &impl_name);
  // Of functions of the library: what they describe for exporters, or the parameters of a call.
  f.def("attributes", [](const Shell& s) -> nb::dict {
    if (s.call) return s.call->parameters();
    return s.node && s.library ? attributes_of(*s.node) : nb::dict();
  });
  f.def_prop_ro("function", [](const Shell& s) -> nb::object {
    return s.call ? nb::object(nb::str(s.call->name.function)) : nb::none();
  });
  f.def_prop_ro("takes_list", [](const Shell& s) { return s.call && s.call->name.takes_list; });
  f.def_prop_ro("ndim", [](const Shell& s) { return s.call ? s.call->ndim : -1; });
  f.def("forward", [](const Shell& s, const Variables& in) {
    Arrays arrays;
    for (const Variable& v : in) arrays.push_back(v.array());
    if (!s.node || !s.library) throw RuntimeError("forward: the function no longer exists");
    return s.node->forward(arrays);
  });
  f.def("backward", [](const Shell& s, const std::vector<int>& wanted, const Variables& gy) {
    if (!s.node || !s.library) throw RuntimeError("backward: the function no longer exists");
    Indexes indexes;
    for (int i : wanted) indexes.push_back(i);
    return s.node->backward(indexes, gy);
  });
  f.def_prop_ro("y", &kept_softmax);
  f.def("unchain", [](Shell& s) {
    s.inputs = {};
    if (s.call) s.call->unchain();
    if (s.node) s.node->unchain();
  });
  f.def("get_retained_inputs", [](const Shell& s) { return known_tuple(retained_inputs(s)); });
  f.def("get_retained_outputs", [](const Shell& s) { return known_tuple(retained_outputs(s)); });
  m.def("apply", &apply_python, "function"_a, "inputs"_a);
}

}  // namespace chainer::python
