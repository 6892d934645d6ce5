// SPDX-License-Identifier: MIT
// Workers that read examples ahead: processes if possible, otherwise threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "chainer/datasets/dataset.h"

namespace chainer::iterators {

/// Seconds that take() waits before each warning, and before it ends a worker process that does not answer.
struct Patience {
  double warn_after, give_up_after;
};

/// Reads examples by job number. An error in an example keeps its class (between processes the nearest one of this
/// library), and its message has the index of the example.
class Workers {
 public:
  virtual ~Workers() = default;
  /// Requests examples, as jobs first_job, first_job + 1, ..., without waiting. Jobs are numbered from 0, and at most
  /// `capacity` may be pending. `first_visit` seeds the random numbers of the first example, the next number those of
  /// the second (see begin_example()).
  virtual void submit(int64_t first_job, const std::vector<int64_t>& indices, int64_t first_visit) = 0;
  /// Waits for the example of a job and returns it; each job is taken once, in any order. Throws RuntimeError if the
  /// worker process died, or was ended because it did not answer.
  virtual Example take(int64_t job, const Patience& patience) = 0;
};

/// Returns true if workers can be forked: the process must have a single thread, because a fork copies locks that other
/// threads hold and that are then never released.
bool can_fork_workers();
/// Forks `n` processes. Examples of up to `slot_bytes` are returned through shared memory, larger ones through a pipe.
std::unique_ptr<Workers> fork_workers(const AnyDataset& dataset, int n, int64_t capacity, std::size_t slot_bytes);
std::unique_ptr<Workers> thread_workers(const AnyDataset& dataset, int n);

/// Convert an example to bytes and back, for the answer of a worker. write_example() returns the required size, and
/// writes only if `room` suffices.
std::size_t write_example(const Example& example, char* to, std::size_t room);
Example read_example(const char* from, std::size_t size);

}  // namespace chainer::iterators
