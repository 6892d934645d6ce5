// SPDX-License-Identifier: MIT
// Groups of devices of several processes, for chainermn.
#include "chainer/array/device_group.h"

#include <chrono>
#include <thread>

#include "chainer/array/backend.h"
#include "python/core/casters.h"
#include "python/core/device_array.h"

namespace chainer::python {
namespace {

// The sums of a process in a group.
class GroupHere {
 public:
  GroupHere(int device, const nb::bytes& key, int rank, int size) {
    const std::string k(key.c_str(), key.size());
    const Device d = get_device(device);
    const nb::gil_scoped_release unlocked;  // it waits for the others
    group_ = d.backend().join_group(device, k, rank, size);
    if (!group_) throw RuntimeError("Group: ", d, " has no library for sums over devices");
  }
  void sum(nb::handle o) {
    Array a = array_operand("Group.sum", o);
    if (!is_floating(a.dtype()) || !a.is_contiguous())
      throw TypeError("Group.sum: the array must have a floating dtype and no gaps, not ", a.dtype(), " of shape ",
                      a.shape());
    force(a.body());
    summed_ = a;
    const nb::gil_scoped_release unlocked;
    group_->sum(a);
  }
  bool done() { return group_->done(); }
  void wait() {
    const auto is_done = [&] {
      const nb::gil_scoped_release unlocked;
      for (int k = 0; k < 1000; ++k) {
        if (group_->done()) return true;
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      }
      return false;
    };
    while (!is_done())
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

 private:
  std::unique_ptr<DeviceGroup> group_;
  Array summed_;  // stays until the next sum, even if wait() is interrupted
};

}  // namespace

void bind_device_groups(nb::module_& m) {
  // Returns the key of a new group, empty without a library for groups.
  m.def("group_key", [](int device) {
    const std::string key = get_device(device).backend().group_key(device);
    return nb::bytes(key.data(), key.size());
  });
  nb::class_<GroupHere>(m, "Group")
      .def(nb::init<int, const nb::bytes&, int, int>(), "device"_a, "key"_a, "rank"_a, "size"_a)
      .def("sum", &GroupHere::sum, "a"_a)
      .def("done", &GroupHere::done)
      .def("wait", &GroupHere::wait);
}

}  // namespace chainer::python
