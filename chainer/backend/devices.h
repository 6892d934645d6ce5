// SPDX-License-Identifier: MIT
// The backends other than the host's, each defined in its own folder.
#pragma once
#include "chainer/array/backend.h"

namespace chainer {

/// Registers the devices of an optional component for get_device(): `find` returns device number n of those named
/// `prefix`:n, or throws DeviceError.
bool add_devices(std::string_view prefix, Device (*find)(int index));

/// Returns "@cuda:N" (backend/cuda). Throws DeviceError naming what is missing.
Device cuda_device(int index);
int cuda_device_count();
/// Returns lines "what: value" about these devices, for runtime_info(): their descriptions, or the reason why there are
/// none.
std::string cuda_description();
/// Begin and end a nested range of time on this thread for NVIDIA's profilers (NVTX). Throw RuntimeError if the NVTX
/// library is missing; CHAINER_NVTX_LIBRARY sets its path.
void begin_profiled_range(const std::string& name);
void end_profiled_range();

/// Returns the backend of "@reference": simple loops, and memory that the host cannot access (backend/reference).
Backend& reference_backend();

}  // namespace chainer
