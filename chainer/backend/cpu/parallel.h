// The one pool of threads on the host.
#pragma once
#include <cstdint>
#include <type_traits>

namespace chainer::cpu {

/// How many threads work may use: set_thread_count(), else OMP_NUM_THREADS or the number of cores.
int thread_count();
void set_thread_count(int n);

/// Below this many elements work stays on the calling thread.
inline constexpr int64_t kParallelElements = 32768;

namespace detail {
void run(int parts, void (*f)(void*, int), void* context);
}

/// Calls f(part) for every part in [0, parts), spread over the pool; exceptions reach the caller. Nested calls run
/// on the calling thread.
template <class F>
void parallel(int parts, F&& f) {
  if (parts <= 1) {
    if (parts == 1) f(0);
    return;
  }
  detail::run(
      parts, [](void* c, int part) { (*static_cast<std::remove_reference_t<F>*>(c))(part); }, &f);
}

/// Splits [0, n) into one range a thread at multiples of `align` and calls f(begin, end); one range if `work`
/// (elements touched) is small.
template <class F>
void parallel_ranges(int64_t n, int64_t work, int64_t align, F&& f) {
  const int threads = work < kParallelElements ? 1 : thread_count();
  if (threads <= 1 || n <= align) {
    if (n > 0) f(int64_t(0), n);
    return;
  }
  const int64_t units = (n + align - 1) / align;
  const int parts = static_cast<int>(units < threads ? units : threads);
  parallel(parts, [&](int part) {
    const int64_t begin = units * part / parts * align, end = units * (part + 1) / parts * align;
    f(begin, end < n ? end : n);
  });
}

/// Flushes denormal numbers to zero in this thread and in the pool while it works for this thread. On by default
/// from the first training step; CHAINER_FLUSH_DENORMALS=0 keeps them.
void flush_denormals(bool on);
bool denormals_flushed();

}  // namespace chainer::cpu
