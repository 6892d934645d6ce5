#include "chainer/core/fork.h"

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
  Steps taken;  // of the fork that is going on
};
List& list() {
  static List* l = new List;  // never destroyed: a process may fork while it ends
  return *l;
}

template <class Undo>
void undo(const Steps& steps, Undo&& f) {
  for (auto s = steps.rbegin(); s != steps.rend(); ++s) f(*s);
}

// The list's own lock comes last, for whoever holds one of the others may call at_fork(). Steps that came along
// meanwhile stand at their ranks, so everything is taken again.
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
