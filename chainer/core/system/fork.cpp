// SPDX-License-Identifier: MIT
#include "chainer/core/system/fork.h"

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace chainer {
namespace {

using Steps = std::vector<ForkSteps>;

struct List {
  std::mutex mutex;
  Steps steps;  // by rank
  Steps taken;  // by the fork in progress
};
List& list() {
  static List* l = new List;  // never destroyed: a process may fork while it ends
  return *l;
}

template <class Undo>
void undo(const Steps& steps, Undo&& f) {
  for (auto s = steps.rbegin(); s != steps.rend(); ++s) f(*s);
}

// The lock of the list is taken last, because a thread that holds another lock may call at_fork(). If handlers were
// added meanwhile, all locks are taken again, in order.
void before() {
  List& l = list();
  for (;;) {
    Steps steps;
    {
      const std::lock_guard lock(l.mutex);
      steps = l.steps;
    }
    for (const ForkSteps& s : steps) s.before();
    l.mutex.lock();
    if (steps.size() == l.steps.size()) {
      l.taken = std::move(steps);
      return;
    }
    l.mutex.unlock();
    undo(steps, [](const ForkSteps& s) { s.parent(); });
  }
}
void in_parent() {
  const Steps steps = std::exchange(list().taken, {});
  list().mutex.unlock();
  undo(steps, [](const ForkSteps& s) { s.parent(); });
}
void in_child() {
  undo(std::exchange(list().taken, {}), [](const ForkSteps& s) { s.child(); });
  new (&list().mutex) std::mutex;
}

}  // namespace

void at_fork(ForkSteps steps) {
  List& l = list();
  const std::lock_guard lock(l.mutex);
  if (l.steps.empty()) pthread_atfork(before, in_parent, in_child);
  const auto after = std::upper_bound(l.steps.begin(), l.steps.end(), steps.rank,
                                      [](int rank, const ForkSteps& s) { return rank < s.rank; });
  l.steps.insert(after, std::move(steps));
}

}  // namespace chainer
