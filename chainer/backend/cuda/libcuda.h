// SPDX-License-Identifier: MIT
// The functions of NVIDIA's driver library that the backend calls. The library is opened at run time and not needed to
// build: its C interface has not changed since version 4.
#pragma once
#include <cstddef>

namespace chainer::cuda {

using CuResult = int;
using CuDevice = int;
using CuAddress = unsigned long long;
using CuHandle = void*;  // contexts, modules, functions, streams, events, graphs

// X(member, name in the library, parameters)
#define CHAINER_LIBCUDA(X)                                                                                          \
  X(init, cuInit, (unsigned flags))                                                                                 \
  X(driver_version, cuDriverGetVersion, (int* version))                                                             \
  X(device_count, cuDeviceGetCount, (int* count))                                                                   \
  X(device, cuDeviceGet, (CuDevice * device, int number))                                                           \
  X(device_name, cuDeviceGetName, (char* name, int length, CuDevice device))                                        \
  X(device_memory, cuDeviceTotalMem_v2, (std::size_t * bytes, CuDevice device))                                     \
  X(device_attribute, cuDeviceGetAttribute, (int* value, int attribute, CuDevice device))                           \
  X(retain_context, cuDevicePrimaryCtxRetain, (CuHandle * context, CuDevice device))                                \
  X(set_context, cuCtxSetCurrent, (CuHandle context))                                                               \
  X(current_context, cuCtxGetCurrent, (CuHandle * context))                                                         \
  X(load_module, cuModuleLoadData, (CuHandle * module, const void* image))                                          \
  X(find_function, cuModuleGetFunction, (CuHandle * function, CuHandle module, const char* name))                   \
  X(allocate, cuMemAlloc_v2, (CuAddress * memory, std::size_t bytes))                                               \
  X(release, cuMemFree_v2, (CuAddress memory))                                                                      \
  X(allocate_pinned, cuMemHostAlloc, (void** memory, std::size_t bytes, unsigned flags))                            \
  X(release_pinned, cuMemFreeHost, (void* memory))                                                                  \
  X(make_stream, cuStreamCreate, (CuHandle * stream, unsigned flags))                                               \
  X(end_stream, cuStreamDestroy_v2, (CuHandle stream))                                                              \
  X(make_event, cuEventCreate, (CuHandle * event, unsigned flags))                                                  \
  X(end_event, cuEventDestroy_v2, (CuHandle event))                                                                 \
  X(record, cuEventRecord, (CuHandle event, CuHandle stream))                                                       \
  X(wait, cuStreamWaitEvent, (CuHandle stream, CuHandle event, unsigned flags))                                     \
  X(synchronize_event, cuEventSynchronize, (CuHandle event))                                                        \
  X(query_event, cuEventQuery, (CuHandle event))                                                                    \
  X(time_between, cuEventElapsedTime, (float* milliseconds, CuHandle begin, CuHandle end))                          \
  X(synchronize_stream, cuStreamSynchronize, (CuHandle stream))                                                     \
  X(copy_to_device, cuMemcpyHtoDAsync_v2, (CuAddress to, const void* from, std::size_t bytes, CuHandle stream))     \
  X(copy_to_host, cuMemcpyDtoHAsync_v2, (void* to, CuAddress from, std::size_t bytes, CuHandle stream))             \
  X(copy_between, cuMemcpyPeerAsync,                                                                                \
    (CuAddress to, CuHandle to_context, CuAddress from, CuHandle from_context, std::size_t bytes, CuHandle stream)) \
  X(copy_within, cuMemcpyDtoDAsync_v2, (CuAddress to, CuAddress from, std::size_t bytes, CuHandle stream))          \
  X(launch, cuLaunchKernel,                                                                                         \
    (CuHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,      \
     unsigned block_z, unsigned shared_bytes, CuHandle stream, void** args, void** extra))                          \
  X(begin_capture, cuStreamBeginCapture_v2, (CuHandle stream, int mode))                                            \
  X(end_capture, cuStreamEndCapture, (CuHandle stream, CuHandle * graph))                                           \
  X(instantiate, cuGraphInstantiateWithFlags, (CuHandle * executable, CuHandle graph, unsigned long long flags))    \
  X(launch_graph, cuGraphLaunch, (CuHandle executable, CuHandle stream))                                            \
  X(end_executable, cuGraphExecDestroy, (CuHandle executable))                                                      \
  X(end_graph, cuGraphDestroy, (CuHandle graph))                                                                    \
  X(error_name, cuGetErrorName, (CuResult result, const char** name))                                               \
  X(error_text, cuGetErrorString, (CuResult result, const char** text))

struct Libcuda {
#define X(MEMBER, NAME, PARAMETERS) CuResult(*MEMBER) PARAMETERS = nullptr;
  CHAINER_LIBCUDA(X)
#undef X
};

/// Opens the library. Throws DeviceError naming what is missing.
Libcuda open_libcuda(const char* name);

// Results that are handled separately.
inline constexpr CuResult kCuOutOfMemory = 2, kCuNoDevice = 100, kCuNotReady = 600;
/// Returns true if the device is unusable after this result.
bool is_lost(CuResult result);

}  // namespace chainer::cuda
