// SPDX-License-Identifier: MIT
// The thread pool of the host, used by the CPU backend and by host loops above the backends.
#pragma once
#include <cstdint>
#include <type_traits>

namespace chainer::cpu {

/// Returns the number of threads that parallel work may use: the value of set_thread_count(), else OMP_NUM_THREADS,
/// else the number of cores available to this process (machine::cores()). At most 256, or four per core if that is
/// more.
int thread_count();
/// Sets the number of threads. 0 restores the default.
void set_thread_count(int n);

/// Work on fewer elements stays on the calling thread.
inline constexpr int64_t kParallelElements = 32768;

namespace detail {
void run(int parts, int64_t work, void (*f)(void*, int), void* context);
}

/// Calls f(part) for every part in [0, parts), spread over the threads. Exceptions propagate to the caller. `work`, the
/// number of elements touched, decides whether waking a thread pays. Nested calls, and calls made while another thread
/// uses the pool, run on the calling thread, so that any thread may call this function at any time.
template <class F>
void parallel(int parts, int64_t work, F&& f) {
  if (parts <= 1) {
    if (parts == 1) f(0);
    return;
  }
  detail::run(
      parts, work, [](void* c, int part) { (*static_cast<std::remove_reference_t<F>*>(c))(part); }, &f);
}

/// Splits [0, n) into ranges at multiples of `align` and calls f(begin, end). Uses one range if `work` (elements
/// touched) is small, otherwise up to two per thread, so that a thread that starts late finds less left to do.
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

/// Returns true while this thread runs a part of parallel(); nested work then runs on this thread alone.
bool in_parallel();

/// Sets whether denormal numbers are flushed to zero in this thread, and in pool threads while they work for it (see
/// Config::flush_denormals).
void flush_denormals(bool on);
bool denormals_flushed();

}  // namespace chainer::cpu
