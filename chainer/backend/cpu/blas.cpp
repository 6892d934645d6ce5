#include "chainer/backend/cpu/blas.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>

#include "chainer/core/error.h"
#include "chainer/core/fork.h"

namespace chainer::cpu {
namespace {

// The names found at configure time; empty where a library was not found or not wanted.
constexpr const char* kOneDnn = CHAINER_ONEDNN_LIBRARY;
constexpr const char* kOpenBlas = CHAINER_OPENBLAS_LIBRARY;

// CHAINER_MATMUL names the one library to use: onednn, openblas or none (plain loops). Runs that are compared with
// the release's number by number take OpenBLAS, which adds in the same order as the release's.
bool wanted(std::string_view library) {
  const char* variable = std::getenv("CHAINER_MATMUL");
  const std::string_view choice = variable ? variable : "";
  if (!choice.empty() && choice != "onednn" && choice != "openblas" && choice != "none")
    throw ValueError("CHAINER_MATMUL must be onednn, openblas or none, not '", choice, "'");
  return choice.empty() || choice == library;
}

void* open_library(const char* name, std::string_view library) {
  return wanted(library) && *name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : nullptr;
}

template <class F>
bool find(void* library, const char* symbol, F& function) {
  function = reinterpret_cast<F>(dlsym(library, symbol));
  return function != nullptr;
}

// GNU's OpenMP lets its threads spin for milliseconds at a barrier, which stalls everybody where another program wants
// the cores. It reads its settings when it is loaded: if oneDNN brings it along, and nobody has chosen, it gets a short
// spin (some 30 us).
class ShortSpin {
 public:
  ShortSpin() {
    const bool loaded = dlsym(RTLD_DEFAULT, "omp_get_max_threads") != nullptr;
    if (loaded || std::getenv("GOMP_SPINCOUNT") || std::getenv("OMP_WAIT_POLICY")) return;
    ours_ = setenv("GOMP_SPINCOUNT", "2000", 0) == 0;
  }
  ~ShortSpin() {
    if (ours_) unsetenv("GOMP_SPINCOUNT");
  }
  ShortSpin(const ShortSpin&) = delete;
  ShortSpin& operator=(const ShortSpin&) = delete;

 private:
  bool ours_ = false;
};

struct OneDnn {
  SgemmFunction sgemm = nullptr;
  int (*omp_threads)() = nullptr;
  void (*set_omp_threads)(int) = nullptr;
  std::atomic<bool> forked{false};
  std::string version;
  void* library = nullptr;
  OneDnn() {
    const ShortSpin spin;
    library = open_library(kOneDnn, "onednn");
    if (!library) return;
    if (find(library, "omp_get_max_threads", omp_threads) && find(library, "omp_set_num_threads", set_omp_threads))
      at_fork({kForkThreads, [] {}, [] {}, [this] { forked = true; }});
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
  static OneDnn* instance = new OneDnn;  // stays open: unloading a library with a thread pool is not safe
  return *instance;
}

}  // namespace

int library_threads(int n) { return onednn().forked ? 1 : n; }

LibraryThreads::LibraryThreads(int n) {
  const OneDnn& o = onednn();
  if (!o.set_omp_threads) return;
  n = library_threads(n);
  if (const int now = o.omp_threads(); now != n) {
    before_ = now;
    o.set_omp_threads(n);
  }
}
LibraryThreads::~LibraryThreads() {
  if (before_) onednn().set_omp_threads(before_);
}

namespace {
// OpenBLAS has one number for all threads: the first that needs it to be one saves it, the last restores it.
struct BlasThreads {
  std::mutex mutex;
  int users = 0, before = 0;
  BlasThreads() {
    at_fork({kForkThreads, [this] { mutex.lock(); }, [this] { mutex.unlock(); },
             [this] {
               new (&mutex) std::mutex;
               if (std::exchange(users, 0) > 0) blas()->set_threads(before);
             }});
  }
};
BlasThreads& blas_threads() {
  static BlasThreads* t = new BlasThreads;
  return *t;
}
}  // namespace

OneThreadBlas::OneThreadBlas() {
  const Blas* b = blas();
  if (!b || !b->set_threads) return;
  BlasThreads& t = blas_threads();
  const std::lock_guard lock(t.mutex);
  if (t.users++ == 0 && (t.before = b->get_threads()) != 1) b->set_threads(1);
}
OneThreadBlas::~OneThreadBlas() {
  const Blas* b = blas();
  if (!b || !b->set_threads) return;
  BlasThreads& t = blas_threads();
  const std::lock_guard lock(t.mutex);
  if (--t.users == 0 && t.before != 1) b->set_threads(t.before);
}

SgemmFunction onednn_sgemm() { return onednn().sgemm; }
void* onednn_library() { return onednn().library; }
std::string onednn_version() { return onednn().version; }

const Blas* blas() {
  static const Blas* instance = []() -> const Blas* {
    void* library = open_library(kOpenBlas, "openblas");
    if (!library) return nullptr;
    Blas b;
    int (*get_parallel)() = nullptr;
    char* (*get_config)() = nullptr;
    if (!find(library, "cblas_sgemm", b.sgemm) || !find(library, "cblas_dgemm", b.dgemm)) return nullptr;
    find(library, "dgesdd_", b.dgesdd);
    find(library, "dgetrf_", b.dgetrf);
    find(library, "dgetri_", b.dgetri);
    // The build with its own threads fights our pool for the cores: OneThreadBlas.
    if (!find(library, "openblas_set_num_threads", b.set_threads) ||
        !find(library, "openblas_get_num_threads", b.get_threads))
      b.set_threads = nullptr;
    if (find(library, "openblas_get_config", get_config)) b.description = get_config();
    const char* kinds[] = {"sequential", "pthreads", "OpenMP"};
    if (find(library, "openblas_get_parallel", get_parallel))
      if (const int p = get_parallel(); p >= 0 && p <= 2) b.threading = kinds[p];
    return new Blas(b);
  }();
  return instance;
}

}  // namespace chainer::cpu
