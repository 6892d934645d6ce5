// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/emulation/block.h"

#include <algorithm>
#include <bit>

#include "chainer/core/error.h"
#include "chainer/core/system/poison.h"

namespace chainer::cuda::emulation {

// Static arrays are followed by unused bytes, so that the address sanitizer sees accesses beyond their ends.
static constexpr std::size_t kGap = 16, kStaticRoom = kMostShared + 64 * kGap;

BlockRunner& BlockRunner::own() {
  // Not the runner itself: the Python module's thread-local variables must be small.
  static thread_local const std::unique_ptr<BlockRunner> runner(new BlockRunner);
  return *runner;
}

void BlockRunner::run(Entry entry, void (*kernel)(), const void* args, std::size_t dynamic_bytes,
                      std::string_view name) {
  entry_ = entry, kernel_ = kernel, args_ = args;
  n_ = static_cast<int>(place.block_dim.count());
  alive_ = n_, begun_ = 0, at_barrier_ = 0, error_.clear();
  std::fill_n(state_.begin(), n_, kRuns);
  for (int w = 0; w * kWarp < n_; ++w) warp_[w] = {0, n_ - w * kWarp >= kWarp ? ~0u : (1u << (n_ - w * kWarp)) - 1};
  permutation_ = Permutation(static_cast<uint32_t>(n_), place.block.x);
  prepare_shared(dynamic_bytes);
  Fiber::change(own_, free_fiber());
  if (error_.empty()) return;
  const std::string where = text(name, ", block ", place.block, ", thread ", error_thread_, ": ", error_);
  free_.clear(), fibers_.clear();  // of threads that cannot finish
  throw DeviceError(where);
}

void BlockRunner::block_barrier(int line) {
  if (at_barrier_ == 0) barrier_line_ = line;
  if (line != barrier_line_) return fail(text("waits at line ", line, ", other threads at line ", barrier_line_));
  if (alive_ < n_) return fail(text("waits at line ", line, " for threads that have ended"));
  state_[current_] = kWaits;
  if (++at_barrier_ < n_) return go_on();
  at_barrier_ = 0;
  std::fill_n(state_.begin(), n_, kRuns);  // this thread continues at once
}

uint64_t BlockRunner::warp_meeting(WarpOp op, uint32_t mask, uint64_t value, int source, int line) {
  const int me = current_, w = me / kWarp;
  if (!(mask >> me % kWarp & 1)) fail(text("is not in its own mask at line ", line));
  meeting_[me] = {op, line, source, mask, value, 0};
  state_[me] = kMeets;
  warp_[w].arrived |= 1u << me % kWarp;
  if (!complete(w, mask)) go_on();
  return meeting_[me].result;
}

// Returns true if all running lanes of the mask have arrived; sets their results.
bool BlockRunner::complete(int w, uint32_t mask) {
  Warp& warp = warp_[w];
  const uint32_t all = mask & warp.alive;
  if ((warp.arrived & all) != all || all == 0) return false;
  Meeting* m = &meeting_[w * kWarp];
  const Meeting& first = m[std::countr_zero(all)];
  uint64_t ballot = 0;
  for (uint32_t rest = all; rest; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    if (m[i].mask != mask) return false;
    if (m[i].op != first.op || m[i].line != first.line)
      return fail(text("meets at line ", m[i].line, " lanes that are at line ", first.line)), false;
    ballot |= uint64_t(m[i].value != 0) << i;
  }
  for (uint32_t rest = all; rest; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    if (first.op == WarpOp::ballot) m[i].result = ballot;
    if (first.op == WarpOp::shuffle) {
      if (m[i].source < 0 || m[i].source >= kWarp || !(all >> m[i].source & 1))
        return fail(text("lane ", i, " reads from lane ", m[i].source, ", which takes no part, at line ", m[i].line)),
               false;
      m[i].result = m[m[i].source].value;
    }
    state_[w * kWarp + i] = kRuns;
  }
  warp.arrived &= ~all;
  return true;
}

void* BlockRunner::shared_memory(const void* key, std::size_t bytes) {
  for (const Shared& s : shared_)
    if (s.key == key) return s.address;
  const std::size_t padded = (bytes + 15) / 16 * 16;
  taken_ += padded;
  if (taken_ > kMostShared) fail(text("more than ", kMostShared, " bytes of shared memory"));
  if (used_ + padded + kGap > kStaticRoom) fail("too many arrays in shared memory for the emulation");
  char* p = memory_.get() + used_;
  unpoison(p, bytes);
  std::memset(p, 0xff, bytes);
  shared_.push_back({key, p});
  used_ += padded + kGap;
  return p;
}

void BlockRunner::prepare_shared(std::size_t dynamic_bytes) {
  if (!memory_) memory_ = std::make_unique<char[]>(kStaticRoom + kMostShared);
  poison(memory_.get(), kStaticRoom + kMostShared);
  shared_.clear();
  used_ = 0, taken_ = dynamic_bytes;
  dynamic_ = memory_.get() + kStaticRoom;
  if (dynamic_bytes == 0) return;
  unpoison(dynamic_, dynamic_bytes);
  std::memset(dynamic_, 0xff, dynamic_bytes);
}

void BlockRunner::body(void* self) {
  Fiber::arrived();
  static_cast<BlockRunner*>(self)->threads();
}

// The body of each fiber: runs threads one after another until all have started, then waits for the next block.
void BlockRunner::threads() {
  for (;;) {
    Fiber& here = *fiber_;
    while (begun_ < n_ && error_.empty()) {
      enter(static_cast<int>(permutation_[static_cast<uint32_t>(begun_++)]));
      fiber_of_[current_] = &here;
      entry_(kernel_, args_);
      end_thread();
    }
    free_.push_back(&here);
    Fiber* next = &own_;
    if (error_.empty() && alive_ > 0) next = waiting_fiber();
    if (next != &own_) fiber_ = next;
    Fiber::change(here, *next);
  }
}

void BlockRunner::enter(int thread) {
  current_ = thread;
  const auto x = place.block_dim.x, y = place.block_dim.y, t = static_cast<unsigned>(thread);
  if (y == 1 && place.block_dim.z == 1)
    place.thread = {t, 0, 0};
  else
    place.thread = {t % x, t / x % y, t / x / y};
}

void BlockRunner::end_thread() {
  state_[current_] = kEnded;
  --alive_;
  const int w = current_ / kWarp;
  warp_[w].alive &= ~(1u << current_ % kWarp);
  if (at_barrier_) return fail(text("ends while others wait at line ", barrier_line_));
  for (uint32_t rest = warp_[w].arrived; rest; rest &= rest - 1)
    if (complete(w, meeting_[w * kWarp + std::countr_zero(rest)].mask)) break;
}

// Suspends the current thread until it may continue, possibly forever.
void BlockRunner::go_on() {
  const int me = current_;
  Fiber& here = *fiber_;
  if (begun_ < n_) {
    Fiber::change(here, free_fiber());
  } else if (Fiber* next = waiting_fiber(); next != &here) {
    if (next != &own_) fiber_ = next;
    Fiber::change(here, *next);
  }
  fiber_ = &here;
  enter(me);
}

// Returns the fiber of the next thread that may continue; the runner's own if there is none.
Fiber* BlockRunner::waiting_fiber() {
  for (int k = 1, i = current_; k <= n_; ++k) {
    i = i + 1 == n_ ? 0 : i + 1;
    if (state_[i] == kRuns) return fiber_of_[i];
  }
  note("waits for threads that wait elsewhere");
  return &own_;
}

Fiber& BlockRunner::free_fiber() {
  if (free_.empty()) {
    fibers_.emplace_back().start(body, this, static_cast<int>(fibers_.size()));
    free_.push_back(&fibers_.back());
  }
  fiber_ = free_.back();
  free_.pop_back();
  return *fiber_;
}

void BlockRunner::note(std::string what) {
  if (!error_.empty()) return;
  error_ = std::move(what);
  error_thread_ = place.thread;
}

// Ends the block; the thread is not resumed.
void BlockRunner::fail(std::string what) {
  note(std::move(what));
  Fiber& here = *fiber_;
  Fiber::change(here, own_);
}

}  // namespace chainer::cuda::emulation
