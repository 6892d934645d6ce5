#include "chainer/backend/cpu/cpu_backend.h"

#include <charconv>

namespace chainer {

cpu::CpuBackend& cpu::backend() {
  static CpuBackend* b = new CpuBackend;  // never destroyed: arrays may outlive main
  return *b;
}

cpu::Compute cpu::compute_type(Dtype d) { return d == Dtype::float64 ? kF64 : is_floating(d) ? kF32 : kI64; }

Device::Device() : backend_(&cpu::backend()) {}
std::string Device::name() const { return backend_->name(index_); }

Device get_device(int id) {
  if (id < 0) return Device();
  throw DeviceError("get_device: no device ", id, ": this build has the host (-1, \"@cpu\") only");
}

Device get_device(std::string_view name) {
  // "@cpu:0", "@cpu:1": parts of the host, between which updaters share its cores.
  if (name.substr(0, 5) == "@cpu:" && name.size() > 5 && name.find_first_not_of("0123456789", 5) == name.npos)
    return Device();
  if (name == "@cpu" || name == "cpu" || name == "native" || name == "@numpy") return Device();
  int id = 0;
  if (auto r = std::from_chars(name.data(), name.data() + name.size(), id);
      r.ec == std::errc() && r.ptr == name.data() + name.size())
    return get_device(id);
  throw DeviceError("get_device: no device '", name, "': this build has \"@cpu\" (or -1) only");
}

}  // namespace chainer
