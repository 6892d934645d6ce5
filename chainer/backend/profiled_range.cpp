// SPDX-License-Identifier: MIT
// Ranges of time for NVIDIA's profilers.
#include <cstdlib>

#include "chainer/backend/devices.h"
#include "chainer/core/error.h"
#include "chainer/core/system/run_time_library.h"

namespace chainer {
namespace {

// NVTX's C functions, which return at once if no profiler is attached.
struct Nvtx {
  int (*push)(const char* name) = nullptr;
  int (*pop)() = nullptr;
};

Nvtx open_nvtx() {
  std::string why;
  void* library = nullptr;
  const char* chosen = std::getenv("CHAINER_NVTX_LIBRARY");
  for (const char* name : {chosen ? chosen : "libnvtx3interop.so.1", chosen ? chosen : "libnvToolsExt.so.1"})
    if (!library) library = run_time_library::open(name, &why);
  if (!library) throw RuntimeError("CUDAProfileHook: NVTX is not available: ", why);
  Nvtx n;
  n.push = reinterpret_cast<int (*)(const char*)>(run_time_library::find(library, "nvtxRangePushA"));
  n.pop = reinterpret_cast<int (*)()>(run_time_library::find(library, "nvtxRangePop"));
  if (!n.push || !n.pop) throw RuntimeError("CUDAProfileHook: the library of NVTX has no nvtxRangePushA");
  return n;
}
const Nvtx& nvtx() {
  static const Nvtx n = open_nvtx();
  return n;
}

}  // namespace

void begin_profiled_range(const std::string& name) { nvtx().push(name.c_str()); }
void end_profiled_range() { nvtx().pop(); }

}  // namespace chainer
