// Workers that read examples ahead: processes where that can work, else threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "chainer/datasets/dataset.h"

namespace chainer::iterators {

/// Reads examples by number of job. An error in an example keeps its class, and its message begins with the example's
/// index.
class Workers {
 public:
  virtual ~Workers() = default;
  /// Asks for an example; `visit` starts its random numbers (see begin_example()). Jobs are numbered from 0 on, and at
  /// most `capacity` may be unanswered.
  virtual void submit(int64_t job, int64_t index, int64_t visit) = 0;
  /// The example of a job, waiting for it; each job is asked for once, in any order. After every `timeout` seconds of
  /// waiting it warns. RuntimeError if the worker has died.
  virtual Example take(int64_t job, double timeout) = 0;
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
