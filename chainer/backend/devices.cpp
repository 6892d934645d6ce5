// The devices of this build, by name and by number.
#include "chainer/backend/devices.h"

#include <charconv>

namespace chainer {

std::string Device::name() const { return backend_->name(index_); }
void Device::synchronize() const { backend_->synchronize(index_); }

Device get_device(int id) {
  if (id < 0) return Device();
  throw DeviceError("get_device: no device ", id, ": this build has the host (-1, \"@cpu\") and \"@reference\" only");
}

Device get_device(std::string_view name) {
  // "@cpu:0", "@cpu:1": parts of the host, between which updaters share its cores.
  if (name.substr(0, 5) == "@cpu:" && name.size() > 5 && name.find_first_not_of("0123456789", 5) == name.npos)
    return Device();
  if (name == "@cpu" || name == "cpu" || name == "native" || name == "@numpy") return Device();
  if (name == "@reference") return Device(reference_backend());
  int id = 0;
  if (auto r = std::from_chars(name.data(), name.data() + name.size(), id);
      r.ec == std::errc() && r.ptr == name.data() + name.size())
    return get_device(id);
  throw DeviceError("get_device: no device '", name, "': this build has \"@cpu\" (or -1) and \"@reference\" only");
}

}  // namespace chainer
