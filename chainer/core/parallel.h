// The threads that share work on the host: for the host's backend, and for loops above the backends that run there.
#pragma once
#include <cstdint>
#include <type_traits>

namespace chainer::cpu {

/// How many threads work may use: set_thread_count(), else OMP_NUM_THREADS, else the cores of this process, of which
/// affinity and the quotas of control groups leave some (machine::cores()). At most 256, or four a core if that is
/// more, whatever was asked for.
int thread_count();
/// 0 undoes what an earlier call set.
void set_thread_count(int n);

/// Below this many elements work stays on the calling thread.
inline constexpr int64_t kParallelElements = 32768;

namespace detail {
void run(int parts, int64_t work, void (*f)(void*, int), void* context);
}

/// Calls f(part) for every part in [0, parts), spread over the threads; exceptions reach the caller. `work` (elements
/// touched) tells whether it is worth while to wake a thread. Nested calls, and calls while another thread uses the
/// pool, run on the calling thread: threads of a program, and its own parallel regions, may call at any time.
template <class F>
void parallel(int parts, int64_t work, F&& f) {
  if (parts <= 1) {
    if (parts == 1) f(0);
    return;
  }
  detail::run(
      parts, work, [](void* c, int part) { (*static_cast<std::remove_reference_t<F>*>(c))(part); }, &f);
}

/// Splits [0, n) into ranges at multiples of `align` and calls f(begin, end): one range if `work` (elements touched) is
/// small, otherwise several a thread, so that a thread that comes late finds less left to do.
template <class F>
void parallel_ranges(int64_t n, int64_t work, int64_t align, F&& f) {
  const int threads = work < kParallelElements ? 1 : thread_count();
  if (threads <= 1 || n <= align) {
    if (n > 0) f(int64_t(0), n);
    return;
  }
  const int64_t units = (n + align - 1) / align, useful = work / (kParallelElements / 2);
  const int64_t most = useful < 2 * threads ? (useful < threads ? threads : useful) : 2 * threads;
  const int parts = static_cast<int>(units < most ? units : most);
  parallel(parts, work, [&](int part) {
    const int64_t begin = units * part / parts * align, end = units * (part + 1) / parts * align;
    f(begin, end < n ? end : n);
  });
}

/// Whether this thread works for the pool now: inside it everything runs on one thread.
bool in_parallel();

/// Flushes denormal numbers to zero in this thread, and in the pool while it works for this thread (see
/// Config::flush_denormals).
void flush_denormals(bool on);
bool denormals_flushed();

}  // namespace chainer::cpu
