// SPDX-License-Identifier: MIT
// Function hooks written in Python.
#include "chainer/autograd/function_hook.h"
#include "python/core/calls.h"
#include "python/core/nodes.h"

namespace chainer::python {
namespace {

nb::object arrays(const Arrays& as) {
  nb::object t = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(as.size())));
  for (std::size_t i = 0; i < as.size(); ++i) PyTuple_SET_ITEM(t.ptr(), static_cast<Py_ssize_t>(i), to_numpy(as[i]));
  return t;
}

// Inside of a call that hooks see as one function.
thread_local int hidden = 0;

// Calls a method of one hook, or of all hooks in a dictionary.
class Bridge : public FunctionHook {
 public:
  Bridge(nb::object hooks, bool all) : hooks_(std::move(hooks)), all_(all) {}
  ~Bridge() override { give_up(hooks_.release().ptr()); }
  std::string name() const override { return "Python"; }
  void forward_preprocess(FunctionNode& f, const Arrays& in) override { call("forward_preprocess", f, in, nullptr); }
  void forward_postprocess(FunctionNode& f, const Arrays& in) override { call("forward_postprocess", f, in, nullptr); }
  void backward_preprocess(FunctionNode& f, const Arrays& in, const Arrays& gy) override {
    call("backward_preprocess", f, in, &gy);
  }
  void backward_postprocess(FunctionNode& f, const Arrays& in, const Arrays& gy) override {
    call("backward_postprocess", f, in, &gy);
  }

  // Parts of a composed call are hidden: in backward() its last function stands for it.
  void call(const char* method, FunctionNode& f, const Arrays& in, const Arrays* gy) {
    if (all_ && (hidden > 0 || f.is_inside())) return;
    const nb::gil_scoped_acquire lock;
    const nb::object function = nb::steal(wrap_function(&f)), data = arrays(in);
    call(method, function, data, gy);
  }
  void call(const char* method, nb::handle function, nb::handle data, const Arrays* gy) {
    const nb::list hooks = all_ ? nb::list(hooks_.attr("values")()) : nb::list();
    const auto one = [&](nb::handle hook) {
      if (gy)
        hook.attr(method)(function, data, arrays(*gy));
      else
        hook.attr(method)(function, data);
    };
    if (!all_) return one(hooks_);
    for (nb::handle hook : hooks) one(hook);
  }

 private:
  nb::object hooks_;
  bool all_;
};

// This thread's Python hooks; installed only while there are any.
struct Opened {
  Opened(nb::object hooks) : bridge(std::move(hooks), true), scope(bridge) {}
  Bridge bridge;
  FunctionHookScope scope;
};
thread_local std::unique_ptr<Opened> opened;

}  // namespace

HookedOne::HookedOne(Call& call, std::span<const Variable* const> inputs) {
  if (opened && hidden == 0) {
    Arrays in;
    for (const Variable* v : inputs)
      if (*v) in.push_back(v->array());
    node_ = nb::steal(wrap_call(&call));
    arrays_ = arrays(in);
    opened->bridge.call("forward_preprocess", node_, arrays_, nullptr);
  }
  ++hidden;
}
HookedOne::~HookedOne() {
  if (!finished_) --hidden;
}
void HookedOne::finish() {
  --hidden;
  finished_ = true;
  if (opened && node_.is_valid()) opened->bridge.call("forward_postprocess", node_, arrays_, nullptr);
}

void bind_hooks(nb::module_& m) {
  // A context in which functions are hidden from this thread's hooks.
  struct HiddenHooks {};
  nb::class_<HiddenHooks>(m, "HiddenHooks")
      .def(nb::init<>())
      .def("__enter__", [](HiddenHooks&) { ++hidden; })
      .def("__exit__", [](HiddenHooks&, const nb::args&) { --hidden; });
  m.def("open_hooks", [](nb::object hooks) { opened = std::make_unique<Opened>(std::move(hooks)); });
  m.def("close_hooks", [] { opened.reset(); });
  m.def("add_hook", [](nb::handle function, nb::object hook, const std::string& name) {
    as_function(function.ptr())->add_hook(std::make_shared<Bridge>(std::move(hook), false), name);
  });
  m.def("delete_hook",
        [](nb::handle function, const std::string& name) { as_function(function.ptr())->delete_hook(name); });
}

}  // namespace chainer::python
