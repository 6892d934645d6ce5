#include "chainer/backend/cpu/blas.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

#include "chainer/core/error.h"

namespace chainer::cpu {
namespace {

// The names found at configure time; empty where a library was not found or not wanted.
constexpr const char* kOneDnn = CHAINER_ONEDNN_LIBRARY;
constexpr const char* kOpenBlas = CHAINER_OPENBLAS_LIBRARY;

// CHAINER_MATMUL names the one library to use: onednn, openblas or none (plain loops). Runs that are compared with
// the release's number by number take OpenBLAS, which adds in the same order as the release's.
bool wanted(std::string_view library) {
  const char* choice = std::getenv("CHAINER_MATMUL");
  return !choice || !*choice || choice == library;
}

void* open_library(const char* name, std::string_view library) {
  return *name && wanted(library) ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : nullptr;
}

template <class F>
bool find(void* library, const char* symbol, F& function) {
  function = reinterpret_cast<F>(dlsym(library, symbol));
  return function != nullptr;
}

struct OneDnn {
  SgemmFunction sgemm = nullptr;
  std::string version;
  void* library = open_library(kOneDnn, "onednn");
  OneDnn() {
    if (!library) return;
    struct Version {  // the head of oneDNN's dnnl_version_t
      int major, minor, patch;
    };
    const Version* (*get_version)() = nullptr;
    if (!find(library, "dnnl_version", get_version) || !find(library, "dnnl_sgemm", sgemm)) {
      library = nullptr;
      return;
    }
    const Version* v = get_version();
    version = text(v->major, '.', v->minor, '.', v->patch);
  }
};
const OneDnn& onednn() {
  static const OneDnn* instance = new OneDnn;  // stays open: unloading a library with a thread pool is not safe
  return *instance;
}

}  // namespace

SgemmFunction onednn_sgemm() { return onednn().sgemm; }
void* onednn_library() { return onednn().library; }
std::string onednn_version() { return onednn().version; }

const Blas* blas() {
  static const Blas* instance = []() -> const Blas* {
    void* library = open_library(kOpenBlas, "openblas");
    if (!library) return nullptr;
    Blas b;
    void (*set_threads)(int) = nullptr;
    int (*get_parallel)() = nullptr;
    char* (*get_config)() = nullptr;
    if (!find(library, "cblas_sgemm", b.sgemm) || !find(library, "cblas_dgemm", b.dgemm)) return nullptr;
    find(library, "dgesdd_", b.dgesdd);
    find(library, "dgetrf_", b.dgetrf);
    find(library, "dgetri_", b.dgetri);
    // The build with its own threads fights our pool for the cores; one thread in it and our own split instead.
    if (find(library, "openblas_set_num_threads", set_threads)) set_threads(1);
    if (find(library, "openblas_get_config", get_config)) b.description = get_config();
    const char* kinds[] = {"sequential", "pthreads", "OpenMP"};
    if (find(library, "openblas_get_parallel", get_parallel))
      if (const int p = get_parallel(); p >= 0 && p <= 2) b.threading = kinds[p];
    return new Blas(b);
  }();
  return instance;
}

}  // namespace chainer::cpu
