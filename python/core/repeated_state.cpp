// SPDX-License-Identifier: MIT
// What functions.forget keeps of the state that its function changes (chainer/autograd/repeated_state.h).
#include "chainer/autograd/repeated_state.h"

#include "python/core/casters.h"
#include "python/core/device_array.h"

namespace chainer::python {
namespace {

// A scope as a context manager of Python.
struct Scope {
  std::shared_ptr<StateRecord> record;
  StateScope::Use use;
  std::unique_ptr<StateScope> entered = nullptr;
};

}  // namespace

void bind_repeated_state(nb::module_& m) {
  struct Record {
    std::shared_ptr<StateRecord> record = std::make_shared<StateRecord>();
  };
  nb::class_<Scope>(m, "StateScope")
      .def("__enter__", [](Scope& s) { s.entered = std::make_unique<StateScope>(*s.record, s.use); })
      .def("__exit__", [](Scope& s, const nb::args&) { s.entered.reset(); });
  nb::class_<Record>(m, "StateRecord")
      .def(nb::init<>())
      .def("recording",
           [](const Record& r) {
             return Scope{r.record, StateScope::record};
           })
      .def("repeated", [](const Record& r) {
        return Scope{r.record, StateScope::repeat};
      });
  m.def("repeated_state", [](const nb::callable& compute) {
    return StateRecord::get([&] {
      Arrays out;
      for (nb::handle a : compute()) out.push_back(from_array(a.ptr()));
      return out;
    });
  });
}

}  // namespace chainer::python
