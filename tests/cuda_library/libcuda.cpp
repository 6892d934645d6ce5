// SPDX-License-Identifier: MIT
// A library in the place of NVIDIA's, for the calls that driver_cuda.cpp makes: devices whose memory is the host's,
// and whose work ends at once. Kernels do not run; launches are noted. With FAKE_MEMORY=none the devices have no memory
// either, only addresses: bytes that are copied from them are 255 (NaN, and no wrong index).
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

#include "chainer/backend/cuda/libcuda.h"

using namespace chainer::cuda;

namespace {

std::string failing, launched, copied, graphs, order;
CuHandle capturing = nullptr;  // a stream
CuResult result = 0;
long kernels_launched = 0, graphs_launched = 0;
int version = 13000, handles = 0, capability = 9, devices = 1;
std::string retained;  // the devices with a context, in order
thread_local CuHandle current = nullptr;
const bool has_memory = !std::getenv("FAKE_MEMORY");
std::size_t room = std::size_t(64) << (has_memory ? 20 : 30), used = 0;

// With FAKE_COUNTS=1 the numbers of launches are printed at the end.
struct Counts {
  ~Counts() {
    if (std::getenv("FAKE_COUNTS"))
      std::fprintf(stderr, "%ld kernels, %ld graphs\n", kernels_launched, graphs_launched);
  }
} counts;

CuResult answer(const char* call) { return failing == call ? result : 0; }
// Notes a call that orders two streams, or one of the copies that they order.
void note_order(const char* call, CuHandle stream) {
  if (order.size() < 10000)
    order += std::string(call) + " " + std::to_string(reinterpret_cast<std::size_t>(stream)) + ";";
}
CuHandle new_handle() { return reinterpret_cast<CuHandle>(static_cast<std::size_t>(++handles)); }

}  // namespace

extern "C" {

// NVTX, too: what was said is noted.
std::string ranges;
int nvtxRangePushA(const char* name) { return ranges += std::string("(") + name, 0; }
int nvtxRangePop() { return ranges += ")", 0; }
const char* fake_ranges() { return ranges.c_str(); }

// What tests ask of this library.
void fake_fail(const char* call, CuResult r) { failing = call, result = r; }
void fake_device(int driver_version, int major) { version = driver_version, capability = major; }
void fake_devices(int count) { devices = count; }
const char* fake_retained() { return retained.c_str(); }
const char* fake_copied() { return copied.c_str(); }
const char* fake_order() { return order.c_str(); }
const char* fake_graphs() { return graphs.c_str(); }
const char* fake_launched() { return launched.c_str(); }
std::size_t fake_used() { return used; }

CuResult cuInit(unsigned) { return answer("cuInit"); }
CuResult cuDriverGetVersion(int* v) { return *v = version, answer("cuDriverGetVersion"); }
CuResult cuDeviceGetCount(int* count) { return *count = devices, answer("cuDeviceGetCount"); }
CuResult cuDeviceGet(CuDevice* device, int number) { return *device = number, answer("cuDeviceGet"); }
CuResult cuDeviceGetName(char* name, int length, CuDevice) {
  return std::snprintf(name, static_cast<std::size_t>(length), "Fake"), 0;
}
CuResult cuDeviceTotalMem_v2(std::size_t* bytes, CuDevice) { return *bytes = room, 0; }
CuResult cuDeviceGetAttribute(int* value, int attribute, CuDevice) {
  return *value = attribute == 75 ? capability : 0, 0;
}
CuResult cuDevicePrimaryCtxRetain(CuHandle* c, CuDevice device) {
  retained += std::to_string(device);
  return *c = new_handle(), answer("cuDevicePrimaryCtxRetain");
}
CuResult cuCtxSetCurrent(CuHandle c) { return current = c, answer("cuCtxSetCurrent"); }
CuResult cuCtxGetCurrent(CuHandle* c) { return *c = current, answer("cuCtxGetCurrent"); }
CuResult cuModuleLoadData(CuHandle* m, const void*) { return *m = new_handle(), answer("cuModuleLoadData"); }
CuResult cuModuleGetFunction(CuHandle* f, CuHandle, const char* name) {
  static std::set<std::string> names;
  *f = const_cast<char*>(names.insert(name).first->c_str());
  return answer("cuModuleGetFunction");
}
CuResult cuMemAlloc_v2(CuAddress* p, std::size_t bytes) {
  if (used + bytes > room) return kCuOutOfMemory;
  used += bytes;
  if (!has_memory) {
    void* const reserved = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return *p = reinterpret_cast<CuAddress>(reserved), reserved == MAP_FAILED ? kCuOutOfMemory : 0;
  }
  auto* whole = static_cast<std::size_t*>(std::malloc(bytes + 64));
  *whole = bytes;
  *p = reinterpret_cast<CuAddress>(whole) + 64;
  return answer("cuMemAlloc");
}
CuResult cuMemFree_v2(CuAddress p) {
  if (!has_memory) return 0;
  auto* whole = reinterpret_cast<std::size_t*>(p - 64);
  used -= *whole;
  std::free(whole);
  return 0;
}
CuResult cuMemHostAlloc(void** p, std::size_t bytes, unsigned) {
  return *p = std::malloc(bytes), answer("cuMemHostAlloc");
}
CuResult cuMemFreeHost(void* p) { return std::free(p), 0; }
CuResult cuStreamCreate(CuHandle* s, unsigned) { return *s = new_handle(), answer("cuStreamCreate"); }
CuResult cuStreamDestroy_v2(CuHandle) { return 0; }
CuResult cuEventCreate(CuHandle* e, unsigned) { return *e = new_handle(), answer("cuEventCreate"); }
CuResult cuEventDestroy_v2(CuHandle) { return 0; }
CuResult cuEventRecord(CuHandle, CuHandle stream) {
  note_order("record", stream);
  return answer("cuEventRecord");
}
CuResult cuStreamWaitEvent(CuHandle stream, CuHandle, unsigned) {
  note_order("wait", stream);
  return answer("cuStreamWaitEvent");
}
CuResult cuEventSynchronize(CuHandle) { return answer("cuEventSynchronize"); }
CuResult cuEventQuery(CuHandle) { return answer("cuEventQuery"); }
CuResult cuEventElapsedTime(float* ms, CuHandle, CuHandle) { return *ms = 1.5f, answer("cuEventElapsedTime"); }
CuResult cuStreamSynchronize(CuHandle) { return answer("cuStreamSynchronize"); }
CuResult cuMemcpyHtoDAsync_v2(CuAddress to, const void* from, std::size_t bytes, CuHandle stream) {
  note_order("send", stream);
  if (has_memory) std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return answer("cuMemcpyHtoDAsync");
}
CuResult cuMemcpyDtoHAsync_v2(void* to, CuAddress from, std::size_t bytes, CuHandle) {
  if (has_memory)
    std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  else
    std::memset(to, 255, bytes);
  return answer("cuMemcpyDtoHAsync");
}
CuResult cuMemcpyPeerAsync(CuAddress to, CuHandle to_context, CuAddress from, CuHandle from_context, std::size_t bytes,
                           CuHandle) {
  copied = std::to_string(bytes) + (to_context && from_context && to_context != from_context ? "" : ", one context");
  if (has_memory) std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  return answer("cuMemcpyPeerAsync");
}
CuResult cuMemcpyDtoDAsync_v2(CuAddress to, CuAddress from, std::size_t bytes, CuHandle stream) {
  note_order("copy", stream);
  if (has_memory) std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  return answer("cuMemcpyDtoDAsync");
}
CuResult cuLaunchKernel(CuHandle f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CuHandle stream, void** args, void** packed) {
  kernels_launched += stream != capturing;  // captured ones are launched with their graph
  launched = std::string(static_cast<char*>(f)) + " " + std::to_string(gx * gy * gz) + " x " +
             std::to_string(bx * by * bz) + ", " + std::to_string(shared);
  if (packed && packed[0] == reinterpret_cast<void*>(1) && packed[2] == reinterpret_cast<void*>(2))
    launched += ", packed " + std::to_string(*static_cast<std::size_t*>(packed[3]));
  else if (!args || !args[0])
    launched += ", no arguments";
  return answer("cuLaunchKernel");
}
CuResult cuStreamBeginCapture_v2(CuHandle stream, int mode) {
  graphs += "begin " + std::to_string(mode) + ";";
  capturing = stream;
  return answer("cuStreamBeginCapture");
}
CuResult cuStreamEndCapture(CuHandle stream, CuHandle* graph) {
  graphs += stream == capturing ? "end;" : "end of another stream;";
  capturing = nullptr;
  return *graph = new_handle(), answer("cuStreamEndCapture");
}
CuResult cuGraphInstantiateWithFlags(CuHandle* executable, CuHandle, unsigned long long flags) {
  graphs += "instantiate " + std::to_string(flags) + ";";
  return *executable = new_handle(), answer("cuGraphInstantiate");
}
CuResult cuGraphLaunch(CuHandle, CuHandle) {
  ++graphs_launched;
  if (graphs.size() < 10000) graphs += "launch;";
  return answer("cuGraphLaunch");
}
CuResult cuGraphExecDestroy(CuHandle) { return graphs += "end executable;", 0; }
CuResult cuGraphDestroy(CuHandle) { return graphs += "end graph;", 0; }
CuResult cuGetErrorName(CuResult r, const char** name) {
  return *name = r == 719 ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR", 0;
}
CuResult cuGetErrorString(CuResult, const char** text) { return *text = "as it was told", 0; }

}  // extern "C"
