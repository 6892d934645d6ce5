// SPDX-License-Identifier: MIT
// Internal: the lists of pending computations and their evaluation.
#pragma once
#include <mutex>
#include <span>
#include <vector>

#include "chainer/array/deferred/deferred.h"
#include "chainer/array/deferred/pending.h"

namespace chainer::deferred {

/// The pending computations of a thread, oldest first, with a lock. The lock also covers evaluation: another thread
/// that wants to read an array that is being computed, or to drop its last handle, waits until the evaluation is done.
/// Operands of a computation are in memory or pending in the same registry, and no thread acquires a second registry's
/// lock while it holds one. Registries are never destroyed; the registry of an ended thread is reused by the next new
/// thread.
struct Registry {
  std::recursive_mutex mutex;
  Pending *oldest = nullptr, *newest = nullptr;
  int64_t waiting = 0, programs = 0, operations = 0;
  std::atomic<int64_t> held_bytes{0};
  int64_t largest = 0;  ///< the largest number of bytes of a pending array since the list was empty
  uint64_t visits = 0;
  Registry* next = nullptr;  ///< in the list of all
  bool taken = true;         ///< by a running thread
};
/// Returns the registry of this thread.
Registry& registry();

/// Evaluates `root`, which is pending in `r`, and in the same pass those of `also` and of the pending reductions that
/// are over its space and share operands with it. Considers a bounded number of candidates, so its time does not grow
/// with the number of pending computations. The lock of `r` must be held.
void evaluate_locked(Registry& r, ArrayBody& root, std::span<ArrayBody* const> also);
/// Evaluates all `bodies`, which are pending in `r`.
void evaluate_all_locked(Registry& r, std::span<ArrayBody* const> bodies);
/// Returns true while this thread runs a program; then no other pending computation may be evaluated.
bool running();
/// Add a pending computation to the readers of its operands' memory, or remove it. The lock of `r` must be held.
void add_readers(Registry& r, Pending& p);
void remove_readers(Pending& p);
/// Called when an array has been computed: counts it as held by `r` if pending computations read it.
void hold_if_read(Registry& r, ArrayBody& owner);
using Computations = SmallVector<Pending*, 16>;
/// Finds the computations in `r` that read memory of `owner`, oldest first, among its `most` latest readers. The lock
/// of `r` must be held.
void readers_in(const Registry& r, ArrayBody& owner, std::size_t most, Computations& found);
/// Removes a computation from the list of `r` and releases its operands.
void release(Registry& r, Pending* p);
/// Calls the observer, if there is one.
void observe(const Program& program, double seconds);
/// Returns true if there is an observer.
bool observed();

/// For tests: called by a thread that drops the last handle of a pending array, before it acquires the lock.
extern std::atomic<void (*)()> before_drop;

}  // namespace chainer::deferred
