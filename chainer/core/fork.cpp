#include "chainer/core/fork.h"

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

namespace chainer {
namespace {

struct List {
  std::mutex mutex;
  std::vector<ForkSteps> steps;
};
List& list() {
  static List* l = new List;  // never destroyed: a process may fork while it ends
  return *l;
}

}  // namespace

void at_fork(ForkSteps steps) {
  List& l = list();
  const std::lock_guard lock(l.mutex);
  if (l.steps.empty()) {
    pthread_atfork(
        [] {
          list().mutex.lock();
          for (const ForkSteps& s : list().steps) s.before();
        },
        [] {
          for (auto s = list().steps.rbegin(); s != list().steps.rend(); ++s) s->parent();
          list().mutex.unlock();
        },
        [] {
          for (auto s = list().steps.rbegin(); s != list().steps.rend(); ++s) s->child();
          new (&list().mutex) std::mutex;
        });
  }
  const auto after = std::upper_bound(l.steps.begin(), l.steps.end(), steps.rank,
                                      [](int rank, const ForkSteps& s) { return rank < s.rank; });
  l.steps.insert(after, std::move(steps));
}

}  // namespace chainer
