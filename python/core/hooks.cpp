// SPDX-License-Identifier: MIT
// Function hooks written in Python.
#include "chainer/autograd/function_hook.h"
#include "python/core/casters.h"
#include "python/core/nodes.h"

namespace chainer::python {
namespace {

nb::object arrays(const Arrays& as) {
  nb::object t = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(as.size())));
  for (std::size_t i = 0; i < as.size(); ++i) PyTuple_SET_ITEM(t.ptr(), static_cast<Py_ssize_t>(i), to_numpy(as[i]));
  return t;
}

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

 private:
  void call(const char* method, FunctionNode& f, const Arrays& in, const Arrays* gy) {
    const nb::gil_scoped_acquire lock;
    const nb::object function = nb::steal(wrap_function(&f)), data = arrays(in);
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

void bind_hooks(nb::module_& m) {
  m.def("open_hooks", [](nb::object hooks) { opened = std::make_unique<Opened>(std::move(hooks)); });
  m.def("close_hooks", [] { opened.reset(); });
  m.def("add_hook", [](nb::handle function, nb::object hook, const std::string& name) {
    as_function(function.ptr())->add_hook(std::make_shared<Bridge>(std::move(hook), false), name);
  });
  m.def("delete_hook",
        [](nb::handle function, const std::string& name) { as_function(function.ptr())->delete_hook(name); });
}

}  // namespace chainer::python
