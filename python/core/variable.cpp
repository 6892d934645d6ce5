// SPDX-License-Identifier: MIT
// The Python class Variable around the library's handle.
#include <time.h>

#include <unordered_map>

#include "chainer/autograd/backprop.h"
#include "chainer/autograd/backward_scope.h"
#include "chainer/autograd/composed_call.h"
#include "chainer/functions/functions.h"
#include "python/core/casters.h"
#include "python/core/device_array.h"
#include "python/core/operators.h"

namespace chainer::python {

PyTypeObject* variable_type = nullptr;
std::ptrdiff_t handle_distance = 0;

namespace {

// The Python variables that can be looked up by node; borrowed, an entry is removed with its Handle.
std::unordered_map<const VariableNode*, PyObject*> by_node;

Handle& handle_of(nb::handle o) { return *nb::inst_ptr<Handle>(o); }

Array array_or_none(nb::handle o, const char* what) {
  if (o.is_none()) return Array();
  if (!is_array(o.ptr()))
    throw TypeError(what, " must be a numpy.ndarray, not ", nb::cast<std::string>(nb::str(o.type())));
  return from_array(o.ptr());
}

// -1 for an array on the host, or none.
int device_number(const Array& a) { return !a || a.device().is_host() ? -1 : a.device().index(); }

Variable made(nb::handle data, const nb::kwargs& kwargs) {
  nb::object name = nb::none(), grad = nb::none();
  bool requires_grad = true;
  PyObject *key = nullptr, *option = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(kwargs.ptr(), &at, &key, &option);) {
    const std::string k = PyUnicode_AsUTF8(key);
    const nb::handle value(option);
    if (k == "name")
      name = nb::borrow(value);
    else if (k == "grad")
      grad = nb::borrow(value);
    else if (k == "requires_grad")
      requires_grad = nb::cast<Flag>(value);
    else if (k == "volatile")
      throw ValueError("volatile argument is not supported anymore. Use chainer.using_config");
    else
      throw TypeError("Variable() got an unexpected keyword argument '", k, "'");
  }
  Variable v;
  if (const Array array = array_or_none(data, "the data of a Variable"))
    v = Variable(array, requires_grad);
  else  // it has a node, and its array is not initialized
    v = Variable(Array(), make_ref<VariableNode>(Shape(), Dtype::float32, requires_grad));
  if (!name.is_none()) v.set_name(nb::cast<std::string>(name));
  if (!grad.is_none()) v.set_grad(array_or_none(grad, "the gradient of a Variable"));
  return v;
}
// The Handle exists only if there was no error, because it is listed as long as it exists.
void init(Handle* self, nb::handle data, const nb::kwargs& kwargs) { new (self) Handle(made(data, kwargs)); }

nb::object grad_var(const Handle& h) { return nb::steal(known(h.v.grad_var())); }
void set_grad_var(Handle& h, nb::handle g) {
  if (g.is_none()) return h.v.cleargrad();
  const Variable* v = as_variable(g.ptr());
  if (!v) throw TypeError("grad_var must be a Variable, not ", nb::cast<std::string>(nb::str(g.type())));
  h.v.set_grad_var(*v);
  remember(g.ptr());
}

// Between two functions of a backward(), some times a second: whether the user has interrupted the program.
void look_for_signals() {
  static std::atomic<int64_t> last{0};
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  const int64_t ms = now.tv_sec * 1000 + now.tv_nsec / 1000000;
  if (ms - last.load(std::memory_order_relaxed) < 50) return;
  last.store(ms, std::memory_order_relaxed);
  const nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() < 0) throw nb::python_error();
}

void backward(const Handle& h, Flag retain_grad, Flag twice, std::optional<double> loss_scale) {
  const Variable v = h.v;  // code called here may drop the Python object
  if (v && v.size() == 1 && v.ndim() > 0 && !v.grad() && v.creator() &&
      PyErr_WarnEx(
          PyExc_DeprecationWarning,
          "Treating a variable with only one element as a scalar in Variable.backward is deprecated. A scalar "
          "variable must be a 0-dimensional array. Apply chainer.functions.squeeze to obtain a scalar variable.",
          1) < 0)
    throw nb::python_error();
  const BackwardOptions options{.retain_grad = retain_grad, .enable_double_backprop = twice, .loss_scale = loss_scale};
  {
    const Unlocked unlocked(true);
    v.backward(options);
  }
  give_back();
}

}  // namespace

Handle::~Handle() {
  (previous ? previous->next : first) = next;
  if (next) next->previous = previous;
  Py_XDECREF(relay);
  if (!known) return;
  if (const auto it = by_node.find(known); it != by_node.end() && it->second == self) by_node.erase(it);
}

void remember(PyObject* o) {
  Handle& h = handle_of(o);
  if (!h.v && !h.v.node_pointer()) return;
  VariableNode* const node = h.v.node().get();
  if (h.known == node) return;
  if (h.known) by_node.erase(h.known);
  h.known = node;
  h.self = o;
  by_node.emplace(node, o);
}

std::string label_of(const Shape& shape, Dtype dtype) {
  std::string lengths;
  for (int64_t n : shape) lengths += text(lengths.empty() ? "" : ", ", n);
  return shape.empty() ? to_string(dtype) : text("(", lengths, "), ", dtype);
}

PyObject* wrap(Variable v) {
  if (!v) Py_RETURN_NONE;
  PyObject* o = nb::inst_alloc(nb::handle(reinterpret_cast<PyObject*>(variable_type))).release().ptr();
  new (reinterpret_cast<char*>(o) + handle_distance) Handle(std::move(v));
  nb::inst_mark_ready(nb::handle(o));
  return o;
}

PyObject* living(const VariableNode* n) {
  if (const auto it = by_node.find(n); it != by_node.end()) return it->second;
  // (Variables are registered when they are asked for, so that calls of functions do not pay for it.)
  for (Handle* h = Handle::first; h; h = h->next) {
    if (h->v.node_pointer() != n) continue;
    PyObject* const o = reinterpret_cast<PyObject*>(reinterpret_cast<char*>(h) - handle_distance);
    if (Py_REFCNT(o) <= 0) return nullptr;  // it is being destroyed
    remember(o);
    return o;
  }
  return nullptr;
}

PyObject* known(Variable v) {
  if (const VariableNode* n = v.node_pointer())
    if (const auto it = by_node.find(n); it != by_node.end() && Py_REFCNT(it->second) > 0) {
      const Array& there = handle_of(it->second).v.array();
      if (!v || there.is(v.array())) return Py_NewRef(it->second);
    }
  if (!v && v.node_pointer()) {
    PyObject* o = nb::inst_alloc(nb::handle(reinterpret_cast<PyObject*>(variable_type))).release().ptr();
    new (nb::inst_ptr<Handle>(nb::handle(o))) Handle(std::move(v));
    nb::inst_mark_ready(nb::handle(o));
    return o;
  }
  return wrap(std::move(v));
}

void bind_variable(nb::module_& m) {
  auto c = nb::class_<Handle>(m, "Variable", nb::type_slots(variable_slots()), nb::is_weak_referenceable(),
                              nb::dynamic_attr(), nb::pooled(256));
  variable_type = reinterpret_cast<PyTypeObject*>(c.ptr());
  {
    const nb::object one = nb::inst_alloc(c);
    handle_distance = reinterpret_cast<char*>(nb::inst_ptr<Handle>(one)) - reinterpret_cast<char*>(one.ptr());
  }
  c.def("__init__", init, "data"_a.none() = nb::none(), "kwargs"_a);
  const auto array = [](const Handle& h) { return nb::steal(to_numpy(h.v.array())); };
  // Functions that were applied to the variable, or made it, read the new array in backward(), as in the release.
  const auto set_array = [](Handle& h, nb::handle a) {
    h.v.set_array(array_or_none(a, "the data of a Variable"));
    const VariableNode* const n = h.v.node_pointer();
    if (h.v && n && (n->creator() || n->refs.value() > 1)) h.v.retain_data();
  };
  c.def_prop_rw("array", array, set_array, nb::for_setter(nb::arg().none()));
  c.def_prop_rw("data", array, set_array, nb::for_setter(nb::arg().none()));
  c.def_prop_rw(
      "grad", [](const Handle& h) { return nb::steal(to_numpy(h.v.grad())); },
      [](Handle& h, nb::handle g) {
        if (g.is_none()) return h.v.cleargrad();
        h.v.set_grad(array_or_none(g, "the gradient of a Variable"));
      },
      nb::for_setter(nb::arg().none()));
  c.def_prop_rw("grad_var", grad_var, set_grad_var, nb::for_setter(nb::arg().none()));
  c.def_prop_rw(
      "name",
      [](const Handle& h) -> nb::object {
        const std::string n = h.v.name();
        return n.empty() ? nb::none() : nb::object(nb::str(n.c_str()));
      },
      [](Handle& h, nb::handle n) { h.v.set_name(n.is_none() ? "" : nb::cast<std::string>(n)); },
      nb::for_setter(nb::arg().none()));
  c.def_prop_ro("shape", [](const Handle& h) { return nb::steal(h.v ? int_tuple(h.v.shape()) : PyTuple_New(0)); });
  c.def_prop_ro("ndim", [](const Handle& h) { return h.v ? h.v.ndim() : 0; });
  c.def_prop_ro("size", [](const Handle& h) { return h.v ? h.v.size() : 0; });
  c.def_prop_ro("dtype", [](const Handle& h) { return h.v ? nb::steal(dtype_to_python(h.v.dtype())) : nb::none(); });
  c.def_prop_ro("requires_grad", [](const Handle& h) { return h.v.requires_grad(); });
  // Without access to the memory.
  c.def_prop_ro("_has_array", [](const Handle& h) { return static_cast<bool>(h.v); });
  c.def_prop_ro("_has_half", [](const Handle& h) { return h.v && h.v.dtype() == Dtype::float16; });
  c.def_prop_ro("_has_grad", [](const Handle& h) { return static_cast<bool>(h.v.grad_var()); });
  // Memory owned by the library, to which no other code writes, so computations on it may be deferred and derived forms
  // of its elements cached.
  c.def("_own", [](Handle& h) {
    if (h.v) h.v.set_array(h.v.array().copy());
  });
  c.def_prop_ro("rank", [](const Handle& h) {
    const VariableNode* const n = h.v.node_pointer();
    return n ? shown_rank(*n) : 0;
  });
  c.def_prop_ro("label", [](const Handle& h) { return h.v ? label_of(h.v.shape(), h.v.dtype()) : h.v.label(); });
  c.def_prop_rw(
      "_loss_scale", [](const Handle& h) { return h.v.node()->loss_scale(); },
      [](Handle& h, std::optional<double> s) { h.v.node()->set_loss_scale(s); }, nb::for_setter(nb::arg().none()));
  c.def_prop_ro("node", [](nb::handle self) {
    remember(self.ptr());
    return nb::steal(wrap_node(handle_of(self).v.node().get()));
  });
  c.def("_creator_node", [](const Handle& h) { return nb::steal(wrap_function(h.v.creator().get())); });
  c.def(
      "_set_creator_node",
      [](nb::handle self, nb::handle f) {
        remember(self.ptr());
        handle_of(self).v.set_creator(as_function(f.ptr()));
      },
      nb::arg().none());
  c.def("cleargrad", [](Handle& h) { h.v.cleargrad(); });
  c.def("zerograd", [](Handle& h) { h.v.zerograd(); });
  c.def(
      "addgrad", [](Handle& h, const Handle& other) { h.v.addgrad(other.v); }, "var"_a);
  c.def(
      "copydata", [](Handle& h, const Handle& other) { h.v.copydata(other.v); }, "var"_a);
  c.def("unchain", [](Handle& h) { h.v.unchain(); });
  c.def("unchain_backward", [](Handle& h) { h.v.unchain_backward(); });
  c.def("retain_data", [](Handle& h) { h.v.retain_data(); });
  c.def("backward", backward, "retain_grad"_a = false, "enable_double_backprop"_a = false,
        "loss_scale"_a.none() = nb::none());
  c.def("_become", [](Handle& h, const Handle& other) { h.v = other.v; });
  m.def(
      "grad",
      [](const Variables& ys, const Variables& xs, const Variables& gys, const Variables& gxs, Flag set_grad,
         Flag retain_grad, Flag twice, std::optional<double> loss_scale) {
        nb::list out;
        Variables gs = grad(ys, xs,
                            {.grad_outputs = gys,
                             .grad_inputs = gxs,
                             .set_grad = set_grad,
                             .retain_grad = retain_grad,
                             .enable_double_backprop = twice,
                             .loss_scale = loss_scale});
        for (std::size_t i = 0; i < gs.size(); ++i) {
          nb::object o = nb::steal(known(gs[i]));
          if (!o.is_none()) remember(o.ptr());
          if (const Variable* g = as_variable(o.ptr()); g && set_grad)
            Variable(xs[i]).set_grad_var(*g);  // so that it is x.grad_var
          out.append(std::move(o));
        }
        return out;
      },
      "outputs"_a, "inputs"_a, "grad_outputs"_a.none(), "grad_inputs"_a.none(), "set_grad"_a, "retain_grad"_a,
      "enable_double_backprop"_a, "loss_scale"_a.none());
  m.def("current_loss_scale", &BackwardScope::current_loss_scale);
  Backprop::interruption = &look_for_signals;
  c.def_prop_ro("_device_id", [](const Handle& h) { return device_number(h.v.array()); });
  c.def("_to_device", [](Handle& h, int id) {
    const Device device = get_device(id);
    if (h.v) h.v.set_array(h.v.array().to_device(device));
    if (const Array g = h.v.grad()) h.v.set_grad(g.to_device(device));
  });
  m.def("exposed", &exposed);
  m.def("is_shared", [](const Handle& h) { return is_shared(h.v.array()); });
}

}  // namespace chainer::python
