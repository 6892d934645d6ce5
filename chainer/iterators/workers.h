// Workers that read examples ahead: processes where that can work, else threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "chainer/datasets/dataset.h"

namespace chainer::iterators {

/// How many seconds take() waits until it warns, each time, and until it ends a worker process that is silent.
struct Patience {
  double warn_after, give_up_after;
};

/// Reads examples by number of job. An error in an example keeps its class, and its message begins with the example's
/// index.
class Workers {
 public:
  virtual ~Workers() = default;
  /// Asks for examples, as jobs first_job, first_job + 1, ..., without waiting for anybody. Jobs are numbered from 0
  /// on, and at most `capacity` may be unanswered. `first_visit` starts the random numbers of the first example, the
  /// next number those of the second (see begin_example()).
  virtual void submit(int64_t first_job, const std::vector<int64_t>& indices, int64_t first_visit) = 0;
  /// The example of a job, waiting for it; each job is asked for once, in any order. RuntimeError if its worker process
  /// has died, or was ended because nothing came from it for too long.
  virtual Example take(int64_t job, const Patience& patience) = 0;
};

/// Whether processes can work here: forking a process of several threads could leave locks behind that nobody opens.
bool can_fork_workers();
/// `n` forked processes. Examples of up to `slot_bytes` come through shared memory, larger ones through a pipe.
std::unique_ptr<Workers> fork_workers(const AnyDataset& dataset, int n, int64_t capacity, std::size_t slot_bytes);
std::unique_ptr<Workers> thread_workers(const AnyDataset& dataset, int n);

/// An example as bytes, for a worker's answer. `write` returns the size needed, and writes only if `room` suffices.
std::size_t write_example(const Example& example, char* to, std::size_t room);
Example read_example(const char* from, std::size_t size);

}  // namespace chainer::iterators
