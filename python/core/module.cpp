#include "python/core/bridge.h"

namespace chainer::python {
void bind_functions(nb::module_& m);
}

NB_MODULE(_core, m) {
  namespace cp = chainer::python;
  nb::set_leak_warnings(false);
  cp::import_numpy();
  cp::bind_errors(m);
  cp::bind_variable(m);
  cp::bind_nodes(m);
  cp::bind_hooks(m);
  cp::bind_config(m);
  cp::bind_updates(m);
  nb::module_ f = m.def_submodule("functions");
  cp::bind_functions(f);
  cp::bind_adapters(f);
}
