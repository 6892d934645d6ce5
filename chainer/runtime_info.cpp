// SPDX-License-Identifier: MIT
#include "chainer/runtime_info.h"

#include "chainer/array/backend.h"
#include "chainer/autograd/config.h"
#include "chainer/backend/devices.h"
#include "chainer/core/parallel.h"
#include "chainer/viewing/plot/figure.h"

namespace chainer {

std::string runtime_info() {
#if defined(__clang__)
  const std::string compiler = text("Clang ", __clang_major__, ".", __clang_minor__);
#elif defined(__GNUC__)
  const std::string compiler = text("GCC ", __GNUC__, ".", __GNUC_MINOR__);
#else
  const std::string compiler = "unknown";
#endif
  return text("chainer: ", CHAINER_VERSION, "\ncompiler: ", compiler, "\n", kHostBackend->description(), "\n",
              cuda_description(), "\nthreads: ", cpu::thread_count(),
              "\ndenormals: ", config().flush_denormals ? "flushed to zero in threads that use functions" : "kept",
              "\nplots: ", plot::available() ? "cairo" : "not available", "\n");
}
void print_runtime_info(std::FILE* out) { std::fputs(runtime_info().c_str(), out); }

}  // namespace chainer
