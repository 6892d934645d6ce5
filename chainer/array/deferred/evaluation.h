// Between the lists of what waits and their evaluation; nobody else includes this.
#pragma once
#include <mutex>
#include <span>
#include <vector>

#include "chainer/array/deferred/deferred.h"
#include "chainer/array/deferred/pending.h"

namespace chainer::deferred {

/// What waits for a thread, the oldest first, behind a lock of its own. The lock also covers evaluation: another thread
/// that wants to read, or to drop the last handle of, what is being computed here waits until this is done. Operands of
/// a computation are in memory or wait in the same registry, and no thread ever takes a second registry's lock while it
/// holds one. Registries are never destroyed: when a thread ends, the next new thread takes its registry over.
struct Registry {
  std::recursive_mutex mutex;
  Pending *oldest = nullptr, *newest = nullptr;
  int64_t waiting = 0, programs = 0, operations = 0;
  std::atomic<int64_t> held_bytes{0};
  int64_t largest = 0;  ///< bytes of an array that waits, or waited since the list was empty
  uint64_t visits = 0;
  Registry* next = nullptr;  ///< in the list of all
  bool taken = true;         ///< by a thread that lives
};
/// The registry of this thread.
Registry& registry();

/// Computes `root`, which waits in `r`, and in the same pass those of `also` and of the waiting reductions that go over
/// its space and share something with it. Takes time in proportion to what it computes, however much waits: it looks at
/// so many candidates only. The lock of `r` is held.
void evaluate_locked(Registry& r, ArrayBody& root, std::span<ArrayBody* const> also);
/// All of these, which wait in `r`.
void evaluate_all_locked(Registry& r, std::span<ArrayBody* const> bodies);
/// Whether this thread is running a program. Then nothing else that waits may be computed.
bool running();
/// Before and after a computation waits: it is a reader of its operands' memory. The lock of `r` is held.
void add_readers(Registry& r, Pending& p);
void remove_readers(Pending& p);
/// An array has its elements now, which `r` keeps alive if computations wait that read them.
void hold_if_read(Registry& r, ArrayBody& owner);
/// Finds the computations in `r` that read memory of `owner`, the oldest first, among its `most` latest readers. The
/// lock of `r` is held.
void readers_in(const Registry& r, ArrayBody& owner, std::size_t most, std::vector<Pending*>& found);
/// Takes a computation off the list of `r` and lets its operands go.
void release(Registry& r, Pending* p);
/// Tells the observer, if there is one.
void observe(const Program& program, double seconds);
/// Whether there is an observer.
bool observed();

/// For tests: called by a thread that drops the last handle of an array that waits, before it takes the lock.
extern std::atomic<void (*)()> before_drop;

}  // namespace chainer::deferred
