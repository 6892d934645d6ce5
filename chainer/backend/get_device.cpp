// SPDX-License-Identifier: MIT
// The devices of this build, by name and by number. Linked only into programs that use these functions.
#include "chainer/backend/devices.h"

#include <charconv>
#include <cstdlib>
#include <vector>

namespace chainer {
namespace {

struct OtherDevices {
  std::string_view prefix;
  Device (*find)(int index);
};
// Modified before main() only.
std::vector<OtherDevices>& others() {
  static auto* all = new std::vector<OtherDevices>;
  return *all;
}

// Returns the number after "prefix:"; 0 for the prefix alone, -1 for anything else.
int number_after(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return -1;
  name.remove_prefix(prefix.size());
  if (name.empty()) return 0;
  int n = -1;
  if (name[0] != ':') return -1;
  const auto r = std::from_chars(name.data() + 1, name.data() + name.size(), n);
  return r.ec == std::errc() && r.ptr == name.data() + name.size() && n >= 0 ? n : -1;
}

// Returns the name before the colon of the devices that numbers stand for.
std::string_view numbered() {
  const char* name = std::getenv("CHAINER_GPU");
  return name && *name ? name : "@cuda";
}

}  // namespace

bool add_devices(std::string_view prefix, Device (*find)(int index)) {
  others().push_back({prefix, find});
  return true;
}

Device get_device(int id) {
  if (id < 0) return Device();
  return numbered() == "@cuda" ? cuda_device(id) : get_device(text(numbered(), ":", id));
}
std::vector<Device> gpu_devices() {
  std::vector<Device> all;
  if (numbered() == "@cuda") {
    for (int i = 0, count = cuda_device_count(); i < count; ++i) all.push_back(cuda_device(i));
    return all;
  }
  try {
    while (true) all.push_back(get_device(static_cast<int>(all.size())));
  } catch (const DeviceError&) { return all; }
}
Device gpu_device(std::optional<int> id) {
  if (id) return get_device(*id);
  const std::optional<Device> used = current_device();
  return used && !used->is_host() ? *used : get_device(0);
}

Device get_device(std::string_view name) {
  // "@cpu:0", "@cpu:1": shares of the host's cores, used by parallel updaters.
  if (name.substr(0, 5) == "@cpu:" && name.size() > 5 && name.find_first_not_of("0123456789", 5) == name.npos)
    return Device();
  if (name == "@cpu" || name == "cpu" || name == "native" || name == "@numpy") return Device();
  if (number_after("@reference", name) == 0) return Device(reference_backend());
  for (const OtherDevices& o : others())
    if (const int n = number_after(o.prefix, name); n >= 0) return o.find(n);
  if (const int n = number_after("@cuda", name); n >= 0) return cuda_device(n);
  int id = 0;
  if (auto r = std::from_chars(name.data(), name.data() + name.size(), id);
      r.ec == std::errc() && r.ptr == name.data() + name.size())
    return get_device(id);
  throw DeviceError("get_device: no device '", name,
                    "'; devices are \"@cpu\" (or -1), \"@cuda:0\" (or 0), ..., and \"@reference\"");
}

}  // namespace chainer
