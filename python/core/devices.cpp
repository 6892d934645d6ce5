// SPDX-License-Identifier: MIT
// Devices by number, and the thread's current one.
#include "python/core/casters.h"
#include "python/core/device_array.h"

namespace chainer::python {

void bind_devices(nb::module_& m) {
  m.def("count", [] { return gpu_devices().size(); });
  // Returns the number of the device of new arrays.
  m.def("current", [] { return device_of_new_arrays().index(); });
  m.def("use", [](int id) { get_device(id).use(); });
  m.def("name", [](int id) { return get_device(id).name(); });
  m.def("synchronize", [](int id) {
    const nb::gil_scoped_release unlocked;
    get_device(id).synchronize();
  });
  m.def("empty_cache", [](int id) { get_device(id).empty_cache(); });
  m.def("memory", [](int id) {
    const memory::Statistics s = get_device(id).memory_statistics();
    return nb::make_tuple(s.in_use, s.cached);
  });
  m.def("set_memory_limit", [](int id, int64_t bytes) { get_device(id).set_memory_limit(bytes); });
}

}  // namespace chainer::python
