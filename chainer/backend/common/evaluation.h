// Between the list of what waits and its evaluation; nobody else includes this.
#pragma once
#include <mutex>
#include <span>

#include "chainer/backend/common/deferred.h"
#include "chainer/backend/common/pending.h"

namespace chainer::deferred {

/// Everything that waits, the oldest first, behind one lock. The lock also covers evaluation: another thread may drop
/// its handle of what is being computed here, and then waits in drop() until this is done.
struct Registry {
  std::recursive_mutex mutex;
  Pending *oldest = nullptr, *newest = nullptr;
  Statistics statistics;
  Observer observer;
  uint64_t visits = 0;
};
Registry& registry();

/// Computes `root`, and in the same pass those of `also` and of the waiting reductions that go over its space.
void evaluate_locked(ArrayBody& root, std::span<ArrayBody* const> also);
/// Takes a computation off the list and lets its operands go.
void release(Pending* p);

}  // namespace chainer::deferred
