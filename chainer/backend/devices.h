// SPDX-License-Identifier: MIT
// The backends other than the host's, each defined in its own folder.
#pragma once
#include <cstdint>

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
/// Streams of other libraries on a CUDA device, by CUDA's handle, or 1 and 2 for its two default streams (legacy and of
/// the thread). stream_handle() returns the handle of the device's own stream. wait_for_stream() lets later work of the
/// device run after that stream's work so far, let_stream_wait() later work of that stream after the device's work so
/// far; neither waits on the host. Devices of other kinds have finished their work: their handle is 1, and
/// wait_for_stream() does nothing.
std::uintptr_t stream_handle(const Device& device);
void wait_for_stream(const Device& device, std::uintptr_t other);
void let_stream_wait(const Device& device, std::uintptr_t other);
/// Begin and end a nested range of time on this thread for NVIDIA's profilers (NVTX). Throw RuntimeError if the NVTX
/// library is missing; CHAINER_NVTX_LIBRARY sets its path.
void begin_profiled_range(const std::string& name);
void end_profiled_range();

/// Returns the backend of "@reference": simple loops, and memory that the host cannot access (backend/reference).
Backend& reference_backend();

}  // namespace chainer
