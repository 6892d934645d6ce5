#include "chainer/backend/cpu/parallel.h"

#include <atomic>
#include <exception>

#include "chainer/backend/cpu/thread_share.h"

#if defined(_OPENMP)
#include <omp.h>
#endif
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace chainer::cpu {
namespace {
std::atomic<int> chosen{0};
[[maybe_unused]] thread_local bool inside = false;
constinit thread_local int own_share = 0;

#if defined(__SSE2__)
constexpr unsigned kFlush = 0x8040;  // flush to zero, denormals are zero
unsigned float_mode() { return _mm_getcsr() & kFlush; }
void set_float_mode(unsigned mode) {
  if (const unsigned now = _mm_getcsr(); (now & kFlush) != mode) _mm_setcsr((now & ~kFlush) | mode);
}
#else
constexpr unsigned kFlush = 0;
unsigned float_mode() { return 0; }
void set_float_mode(unsigned) {}
#endif
}  // namespace

int thread_count() {
  if (own_share > 0) return own_share;
  if (const int n = chosen.load(std::memory_order_relaxed)) return n;
#if defined(_OPENMP)
  return omp_get_max_threads();
#else
  return 1;
#endif
}

void set_thread_count(int n) {
  chosen = n > 0 ? n : 0;
#if defined(_OPENMP)
  if (n > 0) omp_set_num_threads(n);  // libraries that share the pool follow
#endif
}

ThreadShare::ThreadShare(int n) : outer_(own_share) {
  own_share = n > 0 ? n : 1;
#if defined(_OPENMP)
  outer_openmp_ = omp_get_max_threads();
  omp_set_num_threads(own_share);
#endif
}
ThreadShare::~ThreadShare() {
  own_share = outer_;
#if defined(_OPENMP)
  omp_set_num_threads(outer_openmp_);
#endif
}

void flush_denormals(bool on) { set_float_mode(on ? kFlush : 0); }
bool denormals_flushed() { return kFlush != 0 && float_mode() == kFlush; }

void detail::run(int parts, void (*f)(void*, int), void* context) {
#if defined(_OPENMP)
  if (!inside && !omp_in_parallel()) {
    const unsigned mode = float_mode();
    std::exception_ptr error;
    std::atomic<bool> failed{false};
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int i = 0; i < parts; ++i) {
      set_float_mode(mode);
      inside = true;
      try {
        f(context, i);
      } catch (...) {
        if (!failed.exchange(true)) error = std::current_exception();
      }
      inside = false;
    }
    if (error) std::rethrow_exception(error);
    return;
  }
#endif
  for (int i = 0; i < parts; ++i) f(context, i);
}

}  // namespace chainer::cpu
