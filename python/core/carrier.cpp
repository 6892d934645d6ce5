// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/array/recording/step.h"
#include "chainer/graph_optimizations/static_code.h"
#include "python/core/casters.h"
#include "python/core/nodes.h"

namespace chainer::python {
namespace {

nb::object tuple_of(const Indexes& wanted) {
  nb::object t = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(wanted.size())));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    PyTuple_SET_ITEM(t.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLong(wanted[i]));
  return t;
}
nb::object tuple_of(const Variables& vs) {
  nb::object t = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(vs.size())));
  for (std::size_t i = 0; i < vs.size(); ++i) PyTuple_SET_ITEM(t.ptr(), static_cast<Py_ssize_t>(i), known(vs[i]));
  return t;
}
Indexes indexes(nb::handle o, std::size_t count) {
  Indexes out;
  for (nb::handle h : o) {
    auto i = nb::cast<int>(h);
    if (i < 0) i += static_cast<int>(count);
    if (i < 0 || static_cast<std::size_t>(i) >= count)
      throw ValueError("retained index ", i, " is out of range for ", count, " arrays");
    out.push_back(i);
  }
  return out;
}
// Arrays created by a function in Python are on the device of the arrays that it gets.
class OnDeviceOf {
 public:
  explicit OnDeviceOf(const Array& a) {
    if (a && !a.device().is_host()) [[unlikely]]
      scope_.emplace(a.device());
  }

 private:
  std::optional<DeviceScope> scope_;
};
std::string type_text(nb::handle o) { return nb::cast<std::string>(nb::str(o.type())); }

}  // namespace

void Carrier::leave_to(Shell& s) {
  for (const Ref<VariableNode>& n : inputs()) s.inputs.push_back(n);
  try {
    s.retained_inputs = retained_inputs();
    for (const Array& a : output_data())
      if (a) s.retained_outputs.push_back(a);
  } catch (const Error&) {}  // written to since then
}

Carrier::~Carrier() {
  --alive;
  if (!self_ || !Py_IsInitialized()) return;
  const nb::gil_scoped_acquire lock;
  if (relay) forget_carrier(relay);
  if (shell) {
    if (Py_REFCNT(self_) > 1) leave_to(*shell);
    shell->rank = rank();
    shell->node = nullptr;
  }
  Py_DECREF(self_);
}

namespace {

// Calls forward(arrays) of a function written in Python.
Arrays call_forward(nb::handle self, const Arrays& in, const std::string& label) {
  const nb::object args = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(in.size())));
  for (std::size_t i = 0; i < in.size(); ++i) PyTuple_SET_ITEM(args.ptr(), static_cast<Py_ssize_t>(i), to_numpy(in[i]));
  const OnDeviceOf scope(in.empty() ? Array() : in[0]);
  const nb::object out = self.attr("forward")(args);
  if (!PyTuple_Check(out.ptr())) throw TypeError("forward output must be a tuple (", type_text(out), ") in ", label);
  Arrays result;
  for (nb::handle h : out) {
    In a;
    if (h.is_none() || as_variable(h.ptr()) || !load(h.ptr(), a))
      throw TypeError("forward of ", label, " must return arrays, not ", type_text(h));
    result.push_back(a.get().array());
  }
  return result;
}

// As a step of a recording. A replay calls the method again, but backward() sees the attributes of the recording call.
Arrays record_forward(nb::handle self, const Arrays& in, const std::string& label) {
  const nb::dict before = nb::steal<nb::dict>(PyDict_Copy(nb::object(self.attr("__dict__")).ptr()));
  // Replays use an object that does not keep arrays of this call, as the node of `self` does.
  const nb::object again = self.type().attr("__new__")(self.type());
  for (const auto& [name, value] : before)
    if (nb::cast<std::string>(name) != "_node") nb::setattr(again, name, value);
  const std::shared_ptr<PyObject> kept(nb::object(again).release().ptr(), [](PyObject* p) { give_up(p); });
  const auto replays = std::make_shared<bool>(false);
  const Arrays out = static_graphs::run_code(
      [kept, replays, label, self](const Arrays& arrays, Arrays&) {
        const nb::gil_scoped_acquire lock;
        return call_forward(*replays ? nb::handle(kept.get()) : self, arrays, label);
      },
      in, {});
  *replays = true;
  for (const auto& [name, value] : nb::borrow<nb::dict>(self.attr("__dict__")))
    if (!nb::cast<std::string>(name).ends_with("_to_retain") && !(before.contains(name) && before[name].is(value)))
      recording::refuse(text("forward() of ", label, " sets the attribute ", nb::cast<std::string>(name)));
  return out;
}

}  // namespace

Arrays Carrier::forward(const Arrays& in) {
  const nb::gil_scoped_acquire lock;
  const nb::handle self(self_);
  const bool recorded = recording::any() && recording::here();
  const Arrays result = (recorded ? record_forward : call_forward)(self, in, label());
  if (const nb::object r = self.attr("_input_indexes_to_retain"); !r.is_none()) retain_inputs(indexes(r, in.size()));
  if (const nb::object r = self.attr("_output_indexes_to_retain"); !r.is_none())
    retain_outputs(indexes(r, result.size()));
  return result;
}

Variables Carrier::call(const char* method, const Indexes& wanted, const Variables& gy, const Variables* gx) {
  const nb::gil_scoped_acquire lock;
  const nb::handle self(self_);
  const auto given = std::find_if(gy.begin(), gy.end(), [](const Variable& g) { return static_cast<bool>(g); });
  const OnDeviceOf scope(given == gy.end() ? Array() : given->array());
  const nb::object out = gx ? self.attr(method)(tuple_of(wanted), tuple_of(gy), tuple_of(*gx))
                            : self.attr(method)(tuple_of(wanted), tuple_of(gy));
  if (out.is_none()) throw TypeError(method, " of ", label(), " must return a tuple of Variables, not None");
  Variables result;
  for (nb::handle h : out) {
    In v;
    if (!h.is_none() && !as_variable(h.ptr()))
      throw ValueError("type of gradients returned from backward is incorrect: ", type_text(h), " in ", label());
    load(h.ptr(), v);
    result.push_back(v.get());
  }
  if (result.size() != wanted.size() && result.size() != inputs().size())
    throw ValueError("number of gradients returned from backward is incorrect: ", result.size(), " for ",
                     inputs().size(), " inputs in ", label());
  check_gradients(result, wanted);
  return result;
}

void Carrier::check_gradients(const Variables& gx, const Indexes& wanted) const {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto at = static_cast<std::size_t>(wanted[i]);
    const Variable& g = gx[gx.size() == wanted.size() ? i : at];
    if (!g) continue;
    const VariableNode& x = *inputs()[at];
    if (g.shape() != x.shape())
      throw ValueError("shape of gradients returned from backward is incorrect: ", g.shape(), " for input ", at, " of ",
                       label(), " with shape ", x.shape());
    if (g.dtype() != x.dtype())
      throw ValueError("dtype of gradients returned from backward is incorrect: ", g.dtype(), " for input ", at, " of ",
                       label(), " with dtype ", x.dtype());
  }
}

Variables Carrier::backward(const Indexes& wanted, const Variables& gy) {
  if (!accumulates_) return call("backward", wanted, gy, nullptr);
  return call("backward_accumulate", wanted, gy, std::make_unique<Variables>(wanted.size()).get());
}
Variables Carrier::backward_accumulate(const Indexes& wanted, const Variables& gy, const Variables& gx) {
  return call("backward_accumulate", wanted, gy, &gx);
}

std::string Carrier::label() const {
  const nb::gil_scoped_acquire lock;
  return nb::cast<std::string>(nb::str(nb::object(nb::handle(self_).attr("label"))));
}

std::string Carrier::impl_name() const {
  const nb::gil_scoped_acquire lock;
  return nb::cast<std::string>(nb::handle(self_).attr("_impl_name"));
}

Ref<FunctionNode> make_carrier(PyObject* self) {
  Ref<FunctionNode> node = FunctionNode::make(Carrier(self));
  auto* carrier = static_cast<Carrier*>(node.get());
  auto* shell = new Shell;
  shell->node = carrier;
  carrier->shell = shell;
  nb::handle(self).attr("_node") = nb::cast(shell, nb::rv_policy::take_ownership);
  return node;
}

nb::object apply_python(nb::handle self, const nb::list& inputs) {
  give_back();
  Variables in;
  for (nb::handle h : inputs) {
    const Variable* v = as_variable(h.ptr());
    if (!v) throw TypeError("apply() takes Variables, not ", type_text(h));
    if (v->requires_grad()) remember(h.ptr());
    in.push_back(*v);
  }
  const Ref<FunctionNode> node = make_carrier(self.ptr());
  auto* carrier = static_cast<Carrier*>(node.get());
  carrier->accumulates_ = nb::cast<bool>(self.attr("_accumulates")());
  self.attr("_add_local_hooks")();
  const Variables out = apply(node, in);
  nb::object result = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(out.size())));
  for (std::size_t i = 0; i < out.size(); ++i) {
    PyObject* o = wrap(out[i]);
    if (out[i].node_pointer()) remember(o);
    PyTuple_SET_ITEM(result.ptr(), static_cast<Py_ssize_t>(i), o);
  }
  return result;
}

}  // namespace chainer::python
