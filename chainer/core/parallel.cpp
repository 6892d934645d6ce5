// SPDX-License-Identifier: MIT
// A thread pool that runs one job at a time. The parts of a job are claimed one by one: the calling thread claims from
// the front, the others from the back. A thread that the system does not schedule delays nothing, because the caller
// takes its parts. A waiting thread spins briefly and then sleeps; on a busy machine it sleeps at once.
#include "chainer/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "chainer/core/system/float_mode.h"
#include "chainer/core/system/fork.h"
#include "chainer/core/system/machine.h"
#include "chainer/core/system/signals.h"
#include "chainer/core/thread_share.h"

namespace chainer::cpu {
namespace {

std::atomic<int> chosen{0};
constinit thread_local bool inside = false;
constinit thread_local int own_share = 0;

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

// The least work, in elements, for which a sleeping thread is woken: less work is done before the thread runs.
constexpr int64_t kWorthWaking = 65536, kWorthWakingWhenBusy = 1 << 20;
constexpr long kLeastMost = 256;  // the thread count that is always allowed
constexpr microseconds kSpin{30}, kPreempted{200}, kBusyFor{20000};

class Pool {
 public:
  void run(int parts, int64_t work, void (*f)(void*, int), void* context) {
    const std::unique_lock use(use_, std::try_to_lock);
    if (!use || parts > kMostParts) return alone(parts, f, context);
    f_ = f;
    context_ = context;
    mode_ = float_mode();
    error_ = nullptr;
    unfinished_.store(static_cast<uint32_t>(parts), std::memory_order_relaxed);
    claim_.store(++generation_ << 32 | static_cast<uint64_t>(parts), std::memory_order_seq_cst);
    wake(parts - 1, work);
    inside = true;
    int part;
    while ((part = claim(true)) >= 0) do_part(part);
    inside = false;
    wait();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }
  static void alone(int parts, void (*f)(void*, int), void* context) {
    for (int i = 0; i < parts; ++i) f(context, i);
  }

 private:
  static constexpr int kMostParts = 65535;

  // Returns the claimed part of the job, or -1 if none is left. The word holds the number of the job and the range of
  // unclaimed parts [low, high), 16 bits each.
  int claim(bool front) {
    uint64_t c = claim_.load(std::memory_order_acquire);
    for (;;) {
      const auto low = static_cast<int>(c >> 16 & 0xFFFF), high = static_cast<int>(c & 0xFFFF);
      if (low >= high) return -1;
      const uint64_t next = front ? c + (1 << 16) : c - 1;
      if (claim_.compare_exchange_weak(c, next, std::memory_order_acq_rel, std::memory_order_acquire))
        return front ? low : high - 1;
    }
  }
  // The job cannot end before this part is done, so its fields remain valid.
  void do_part(int part) {
    try {
      f_(context_, part);
    } catch (...) {
      const std::lock_guard lock(error_mutex_);
      if (!error_) error_ = std::current_exception();
    }
    if (unfinished_.fetch_sub(1, std::memory_order_seq_cst) == 1 && waiting_.load(std::memory_order_seq_cst))
      unfinished_.notify_one();
  }

  // Spins until done(), or for a short time; returns true if it is done. A gap between two readings of the clock shows
  // that the system ran another thread on this core: then no thread spins for a while.
  template <class F>
  bool spin(F&& done) {
    if (done()) return true;
    Clock::time_point now = Clock::now();
    if (now < busy_until()) return false;
    for (const Clock::time_point end = now + kSpin; now < end;) {
      for (int i = 0; i < 32; ++i) {
        pause();
        if (done()) return true;
      }
      const Clock::time_point then = std::exchange(now, Clock::now());
      if (now - then > kPreempted) {
        busy_until_.store((now + kBusyFor).time_since_epoch().count(), std::memory_order_relaxed);
        return done();
      }
    }
    return done();
  }
  Clock::time_point busy_until() const {
    return Clock::time_point(Clock::duration(busy_until_.load(std::memory_order_relaxed)));
  }

  void wait() {
    const auto done = [&] { return unfinished_.load(std::memory_order_acquire) == 0; };
    if (spin(done)) return;
    waiting_.store(true, std::memory_order_seq_cst);
    for (uint32_t n; (n = unfinished_.load(std::memory_order_seq_cst)) != 0;) unfinished_.wait(n);
    waiting_.store(false, std::memory_order_relaxed);
  }

  bool has_work() const {
    const uint64_t c = claim_.load(std::memory_order_seq_cst);
    return (c >> 16 & 0xFFFF) < (c & 0xFFFF);
  }

  // Waking a sleeping thread takes time. Spinning threads have already seen the job.
  void wake(int wanted, int64_t work) {
    while (threads_ < wanted && threads_ < thread_count() - 1 && start()) ++threads_;
    const int asleep = asleep_.load(std::memory_order_seq_cst);
    if (asleep == 0 || work < kWorthWaking) return;
    if (work < kWorthWakingWhenBusy && Clock::now() < busy_until()) return;
    signal_.fetch_add(1, std::memory_order_seq_cst);
    if (wanted >= asleep)
      signal_.notify_all();
    else
      for (int i = 0; i < wanted; ++i) signal_.notify_one();
  }

  bool start() {
    const BlockedSignals blocked;  // signals of the program are not delivered to pool threads
    try {
      std::thread([this] { work(); }).detach();
      return true;
    } catch (const std::system_error&) { return false; }  // work with fewer threads
  }
  [[noreturn]] void work() {
    inside = true;
    for (;;) {
      for (int part; (part = claim(false)) >= 0;) {
        set_float_mode(mode_);
        do_part(part);
      }
      if (spin([&] { return has_work(); })) continue;
      const uint32_t seen = signal_.load(std::memory_order_seq_cst);
      asleep_.fetch_add(1, std::memory_order_seq_cst);
      if (!has_work()) signal_.wait(seen);
      asleep_.fetch_sub(1, std::memory_order_seq_cst);
    }
  }

  std::mutex use_;  // held by the thread that uses the pool
  void (*f_)(void*, int) = nullptr;
  void* context_ = nullptr;
  unsigned long mode_ = 0;
  std::mutex error_mutex_;
  std::exception_ptr error_;
  uint64_t generation_ = 0;
  int threads_ = 0;
  alignas(64) std::atomic<uint64_t> claim_{0};
  alignas(64) std::atomic<uint32_t> unfinished_{0};
  std::atomic<bool> waiting_{false};
  alignas(64) std::atomic<uint32_t> signal_{0};
  std::atomic<int> asleep_{0};
  std::atomic<Clock::rep> busy_until_{0};
};

// Never destroyed: its threads may work until the process ends. A child of fork() has none of them and starts a new
// pool.
std::atomic<Pool*> current{nullptr};
Pool& pool() {
  static const bool made = [] {
    current = new Pool;
    at_fork({kForkThreads, [] {}, [] {}, [] { current = new Pool, inside = false; }});
    return true;
  }();
  (void)made;
  return *current;
}

// More than a few threads per core only wait for each other; an unlimited number would take forever to start.
int within_limit(long n) {
  static const long most = std::max(kLeastMost, 4L * machine::cores());
  return static_cast<int>(std::min(n, most));
}

int default_thread_count() {
  static const int count = [] {
    const char* v = std::getenv("OMP_NUM_THREADS");  // "4", or a list for nested levels
    const long n = v ? std::strtol(v, nullptr, 10) : 0;
    return n > 0 ? within_limit(n) : machine::cores();
  }();
  return count;
}

}  // namespace

int thread_count() {
  if (own_share > 0) return own_share;
  const int n = chosen.load(std::memory_order_relaxed);
  return n ? n : default_thread_count();
}
void set_thread_count(int n) { chosen = n > 0 ? within_limit(n) : 0; }

bool in_parallel() { return inside; }

ThreadShare::ThreadShare(int n) : outer_(own_share) { own_share = n > 0 ? within_limit(n) : 1; }
ThreadShare::~ThreadShare() { own_share = outer_; }

void flush_denormals(bool on) { set_float_mode(on ? kFlushDenormals : 0); }
bool denormals_flushed() { return kFlushDenormals != 0 && float_mode() == kFlushDenormals; }

void detail::run(int parts, int64_t work, void (*f)(void*, int), void* context) {
  if (inside || thread_count() == 1) return Pool::alone(parts, f, context);
  pool().run(parts, work, f, context);
}

}  // namespace chainer::cpu
