// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/products/blas.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string_view>
#include <vector>

#include "chainer/array/memory.h"
#include "chainer/core/error.h"
#include "chainer/core/system/fork.h"
#include "chainer/core/system/pages.h"
#include "chainer/core/parallel.h"
#include "chainer/core/system/run_time_library.h"
#include "chainer/core/system/temporary_variable.h"

namespace chainer::cpu {
namespace {

// The library names found at configure time; empty if a library was not found or is disabled.
constexpr const char* kOneDnn = CHAINER_ONEDNN_LIBRARY;
constexpr const char* kOpenBlas = CHAINER_OPENBLAS_LIBRARY;
// The major version of oneDNN for which onednn/ was compiled.
constexpr int kOneDnnMajor = CHAINER_ONEDNN_MAJOR;

// CHAINER_MATMUL selects a single library: onednn, openblas or none. For exact comparisons with Chainer 5.4 choose
// OpenBLAS, which adds in the same order as NumPy's BLAS there.
std::string_view chosen() {
  const char* variable = std::getenv("CHAINER_MATMUL");
  return variable ? variable : "";
}
bool wanted(std::string_view library) {
  const std::string_view choice = chosen();
  if (!choice.empty() && choice != "onednn" && choice != "openblas" && choice != "none")
    throw ValueError("CHAINER_MATMUL must be onednn, openblas or none, not '", choice, "'");
  return choice.empty() || choice == library;
}

template <class F>
bool find(void* library, const char* symbol, F& function) {
  function = reinterpret_cast<F>(run_time_library::find(library, symbol));
  return function != nullptr;
}

struct OneDnn {
  SgemmFunction sgemm = nullptr;
  int (*omp_threads)() = nullptr;
  void (*set_omp_threads)(int) = nullptr;
  std::atomic<bool> forked{false};
  std::string version, problem;
  void* library = nullptr;
  [[gnu::cold]] OneDnn() {  // runs once, so it is optimized for size
    if (!wanted("onednn") || !*kOneDnn) return;
    // GNU's OpenMP spins for milliseconds at a barrier, which delays all threads if other programs need the cores. It
    // reads its settings when it is loaded: if oneDNN loads it, and the user has not set a policy, a short spin (about
    // 30 us) is set here.
    const TemporaryVariable spin(!run_time_library::is_loaded("omp_get_max_threads") && !std::getenv("OMP_WAIT_POLICY"),
                                 "GOMP_SPINCOUNT", "2000");
    std::string why;
    void* opened = run_time_library::open(kOneDnn, &why);
    if (!opened) {
      problem = "not available: " + why;
      return;
    }
    // A library of another major version is opened, asked for its version, and not used.
    struct Version {  // the beginning of oneDNN's dnnl_version_t
      int major, minor, patch;
    };
    const Version* (*get_version)() = nullptr;
    if (!find(opened, "dnnl_version", get_version)) {
      problem = text("not used: ", kOneDnn, " does not report its version");
      return;
    }
    const Version v = *get_version();
    const std::string found = text(v.major, '.', v.minor, '.', v.patch);
    if (v.major != kOneDnnMajor) {
      problem = text("not used: ", kOneDnn, " is oneDNN ", found, ", this build is for oneDNN ", kOneDnnMajor);
      return;
    }
    if (!find(opened, "dnnl_sgemm", sgemm)) {
      problem = text("not used: ", kOneDnn, " (", found, ") has no dnnl_sgemm");
      return;
    }
    library = opened;
    version = found;
    if (find(library, "omp_get_max_threads", omp_threads) && find(library, "omp_set_num_threads", set_omp_threads))
      at_fork({kForkThreads, [] {}, [] {}, [this] { forked = true; }});
  }
};
const OneDnn& onednn() {
  static constinit FirstUse<const OneDnn*> instance;
  return *instance.get([] { return new OneDnn; });  // never closed: unloading a library with a thread pool is not safe
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
// OpenBLAS has one thread count for all threads: the first user of OneThreadBlas saves it, the last one restores it. It
// also has internal locks, so fork() waits until no thread is in a call.
struct BlasCalls {
  std::mutex mutex;
  std::condition_variable changed;
  int users = 0, before = 0;
  bool forking = false;                            // only threads that are in a call may enter another
  int unlimited_calls = 0, unlimited_callers = 0;  // how many calls, by how many callers, need not ask for limits
  BlasCalls() {
    at_fork({kForkThreads,
             [this] {
               std::unique_lock lock(mutex);
               forking = true;
               changed.wait(lock, [this] { return users == 0; });
               lock.release();
             },
             [this] {
               forking = false;
               mutex.unlock();
               changed.notify_all();
             },
             [this] {
               new (&mutex) std::mutex;
               new (&changed) std::condition_variable;
               forking = false;
               unlimited_calls = 0;
             }});
  }
};
BlasCalls& blas_calls() {
  static constinit FirstUse<BlasCalls*> instance;
  return *instance.get([] { return new BlasCalls; });
}
constinit thread_local int inside_blas = 0;

// OpenBLAS allocates scratch memory from the system, one block per concurrent call, and retries forever if there is
// none.
constexpr std::size_t kWorkingMemory = std::size_t(32) << 22;  // its BUFFER_SIZE on x86-64; alignment needs more
bool is_room_for(std::size_t bytes) {
  const auto fits = [bytes] {
    void* p = pages::map(bytes);  // not reserve(): a data limit counts writable pages
    if (p) pages::unmap(p, bytes);
    return p != nullptr;
  };
  return fits() || (memory::empty_cache(), fits());
}
// Since 0.3.29, OpenBLAS allocates a block when it is loaded: it is not opened if the address space has no room for
// this block and the library.
bool may_open_openblas() {
  constexpr std::size_t kLibrary = std::size_t(64) << 20;
  return !pages::limited() || is_room_for(kLibrary + kWorkingMemory + kWorkingMemory / 8);
}
// Where the address space is limited, as many blocks as there will be callers are made here, or it is an error.
void reserve_memory(const Blas& b, BlasCalls& t, int callers) {
  // The limits are two system calls, which a small product would feel.
  constexpr int kUnlimitedCalls = 256;
  static constinit int reserved = 0;  // guarded by the lock of BlasCalls
  if (callers <= reserved || !b.take_memory || !b.give_memory) return;
  if (callers <= t.unlimited_callers && t.unlimited_calls > 0) {
    --t.unlimited_calls;
    return;
  }
  if (!pages::limited()) {
    t.unlimited_calls = kUnlimitedCalls;
    t.unlimited_callers = callers;
    return;
  }
  std::vector<void*> blocks;
  bool failed = false;
  while (!failed && static_cast<int>(blocks.size()) < callers) {
    if ((failed = !is_room_for(kWorkingMemory + kWorkingMemory / 8))) break;
    blocks.push_back(b.take_memory(0));
  }
  reserved = std::max(reserved, static_cast<int>(blocks.size()));
  for (void* p : blocks) b.give_memory(p);
  if (failed)
    throw MemoryError("OpenBLAS requires ", kWorkingMemory, " bytes of working memory for each of ", callers,
                      " threads, but the memory limit of the process (ulimit -v, ulimit -d) has room for ", reserved);
}
}  // namespace

OneThreadBlas::OneThreadBlas() {
  const Blas* b = blas();
  if (!b) return;
  BlasCalls& t = blas_calls();
  std::unique_lock lock(t.mutex);
  if (inside_blas == 0) t.changed.wait(lock, [&] { return !t.forking; });
  reserve_memory(*b, t, t.users + thread_count());
  ++inside_blas;
  if (t.users++ == 0 && b->set_threads && (t.before = b->get_threads()) != 1) b->set_threads(1);
}
OneThreadBlas::~OneThreadBlas() {
  const Blas* b = blas();
  if (!b) return;
  BlasCalls& t = blas_calls();
  const std::lock_guard lock(t.mutex);
  --inside_blas;
  if (--t.users > 0) return;
  if (b->set_threads && t.before != 1) b->set_threads(t.before);
  t.changed.notify_all();
}

bool library_is_chosen() {
  static const bool chosen_one = !chosen().empty() && chosen() != "none";
  return chosen_one;
}
SgemmFunction onednn_sgemm() { return onednn().sgemm; }
void* onednn_library() { return onednn().library; }
std::string onednn_version() { return onednn().version; }
std::string onednn_state() {
  const OneDnn& o = onednn();
  return !o.version.empty() ? o.version : !o.problem.empty() ? o.problem : "not available";
}

const Blas* blas() {
  static constinit FirstUse<const Blas*> instance;
  return instance.get([]() -> const Blas* {
    if (!wanted("openblas") || !*kOpenBlas || !may_open_openblas()) return nullptr;
    // If memory is limited, OpenBLAS must not start threads when it is loaded, because they allocate scratch memory,
    // too.
    const TemporaryVariable one_thread(pages::limited(), "OPENBLAS_NUM_THREADS", "1");
    void* library = run_time_library::open(kOpenBlas);
    if (!library) return nullptr;
    Blas b;
    int (*get_parallel)() = nullptr;
    char* (*get_config)() = nullptr;
    if (!find(library, "cblas_sgemm", b.sgemm) || !find(library, "cblas_dgemm", b.dgemm)) return nullptr;
    find(library, "dgesdd_", b.dgesdd);
    find(library, "dgetrf_", b.dgetrf);
    find(library, "dgetri_", b.dgetri);
    // The build with its own threads would compete with this library's pool: see OneThreadBlas.
    if (!find(library, "openblas_set_num_threads", b.set_threads) ||
        !find(library, "openblas_get_num_threads", b.get_threads))
      b.set_threads = nullptr;
    find(library, "blas_memory_alloc", b.take_memory);
    find(library, "blas_memory_free", b.give_memory);
    if (find(library, "openblas_get_config", get_config)) b.description = get_config();
    const char* kinds[] = {"sequential", "pthreads", "OpenMP"};
    if (find(library, "openblas_get_parallel", get_parallel))
      if (const int p = get_parallel(); p >= 0 && p <= 2) b.threading = kinds[p];
    return new Blas(b);
  });
}

}  // namespace chainer::cpu
