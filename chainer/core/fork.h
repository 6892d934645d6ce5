// What fork() needs: a child has the forking thread only, so no lock may be held by another at that moment.
#pragma once
#include <functional>

namespace chainer {

/// Steps around fork(). `before` runs in the order of ranks, the lowest first, as locks nest; the others after it.
/// `child` runs in the child, where locks that `before` took are made anew.
struct ForkSteps {
  int rank;
  std::function<void()> before, parent, child;
};
/// The ranks of this library's locks, outermost first.
enum ForkRank { kForkThreads, kForkWaiting, kForkMemory, kForkPool };
void at_fork(ForkSteps steps);

}  // namespace chainer
