// SPDX-License-Identifier: MIT
// The optimizers' fused passes: one call per parameter.
#include "chainer/array/backend.h"
#include "chainer/array/operations/updates.h"
#include "chainer/array/version.h"
#include "chainer/routines/creation.h"
#include "python/core/casters.h"

namespace chainer::python {

void bind_updates(nb::module_& m) {
#define CHAINER_UPDATE(NAME, STATES, FORMULA) {#NAME, Update::NAME},
  static const std::pair<const char*, Update> kUpdates[] = {CHAINER_UPDATE_OPS(CHAINER_UPDATE)};
#undef CHAINER_UPDATE
  // Replaces missing gradients by zeros.
  m.def(
      "fill_grads",
      [](nb::handle params) {
        for (nb::handle p : params)
          if (Handle* h = as_handle(p.ptr()); h && h->v && !h->v.grad_var()) h->v.set_grad(zeros_like(h->v.array()));
      },
      "params"_a);
  // Clears gradients; for objects other than plain parameters with an array the method is called.
  m.def(
      "clear_grads",
      [](nb::handle params, nb::handle plain) {
        for (nb::handle p : params) {
          Handle* h = reinterpret_cast<PyObject*>(Py_TYPE(p.ptr())) == plain.ptr() ? as_handle(p.ptr()) : nullptr;
          if (h && h->v)
            h->v.cleargrad();
          else
            p.attr("cleargrad")();
        }
      },
      "params"_a, "plain"_a);
  m.def(
      "zeros_like", [](const Variable& v) { return zeros_like(v.array()); }, "variable"_a);
  m.def(
      "update",
      [](const std::string& name, const Variable& param, const std::vector<Array>& states,
         const std::vector<double>& hyper) {
        for (const auto& [known_name, op] : kUpdates) {
          if (name != known_name) continue;
          Array data = param.array();
          std::vector<Array> s = states;
          const UpdateOf update(data);
          data.device().backend().update(op, data, param.grad(), s, hyper);
          return;
        }
        throw KeyError("no update rule named '", name, "'");
      },
      "name"_a, "param"_a, "states"_a, "hyper"_a);
}

}  // namespace chainer::python
