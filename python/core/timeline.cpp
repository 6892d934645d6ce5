// SPDX-License-Identifier: MIT
// Events for timelines (chainer/core/timeline.h).
#include "chainer/core/timeline.h"

#include "python/core/bridge.h"

namespace chainer::python {

void bind_timeline(nb::module_& m) {
  m.def("on", &timeline::on, "Returns True if a recorder is installed.");
  m.def("now", &now, "Returns the time in seconds.");
  m.def(
      "tell",
      [](const std::string& what, const std::string& category, double begin) {
        timeline::tell(what, category, begin, now());
      },
      "what"_a, "category"_a, "begin"_a, "Records an event that began at this result of now() and ends now.");
}

}  // namespace chainer::python
