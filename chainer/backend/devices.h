// The backends beside the host's, each defined in its folder.
#pragma once
#include "chainer/array/backend.h"

namespace chainer {

/// Makes devices of a part that a program may link beside the library known to get_device(): `find` gives device number
/// n of those that are named `prefix`:n, or throws DeviceError.
bool add_devices(std::string_view prefix, Device (*find)(int index));

/// "@cuda:N" (backend/cuda); throws DeviceError that says what is missing.
Device cuda_device(int index);
int cuda_device_count();
/// Lines "what: value" about these devices, for runtime_info(): what they are, or why there are none.
std::string cuda_description();
/// Ranges of time on a thread that NVIDIA's profilers show (NVTX), one inside the other. RuntimeError where its library
/// is missing, which CHAINER_NVTX_LIBRARY names where it lies elsewhere.
void begin_profiled_range(const std::string& name);
void end_profiled_range();

/// "@reference": plain loops, memory that the host cannot reach (backend/reference).
Backend& reference_backend();

}  // namespace chainer
