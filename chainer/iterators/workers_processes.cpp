// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "chainer/core/system/byte_stream.h"
#include "chainer/core/system/child_process.h"
#include "chainer/core/error.h"
#include "chainer/core/system/pages.h"
#include "chainer/core/parallel.h"
#include "chainer/datasets/example_random.h"
#include "chainer/iterators/example_error.h"
#include "chainer/iterators/workers.h"

namespace chainer::iterators {
namespace {

struct Request {
  int64_t job, index, visit;
};
struct Answer {
  int64_t job;
  uint64_t size;    // of the example, or of the error's message
  int32_t error;    // -1 without an error, else its kind
  int32_t in_pipe;  // nonzero if the example follows in the socket instead of in shared memory
};

// Neither side blocks until the other reads: bytes that a socket does not accept stay in the sender's stream. Therefore
// any number of requests and answers may be pending.
class Processes : public Workers {
 public:
  Processes(const AnyDataset& dataset, int n, int64_t capacity, std::size_t slot_bytes)
      : capacity_(capacity), slot_bytes_(slot_bytes) {
    // Pages are allocated when written, and freed with the last process.
    shared_bytes_ = static_cast<std::size_t>(capacity) * slot_bytes;
    std::string why;
    shared_ = static_cast<char*>(pages::map_shared(shared_bytes_, why));
    if (!shared_) throw RuntimeError("MultiprocessIterator: no shared memory of ", shared_bytes_, " bytes: ", why);
    try {
      for (int i = 0; i < n; ++i) start(dataset, n);
    } catch (...) {  // end those that were started
      end();
      throw;
    }
  }
  ~Processes() override { end(); }
  void submit(int64_t job, const std::vector<int64_t>& indices, int64_t visit) override {
    for (const int64_t index : indices) {
      indices_[job] = index;
      const Request r{job, index, visit++};
      Worker& w = worker_of(job++);
      if (w.lost.empty()) w.stream.put(&r, sizeof r);
    }
    for (Worker& w : workers_)
      if (w.lost.empty()) (void)w.stream.send(w.child.socket());  // a worker that does not read is noticed in take()
  }
  Example take(int64_t job, const Patience& patience) override;

 private:
  struct Worker {
    ChildProcess child;
    ByteStream stream = {};
    std::string lost = {};  // how the worker ended, empty if it did not
  };
  struct Kept {
    Example example;
    std::exception_ptr error;
  };
  Worker& worker_of(int64_t job) { return workers_[static_cast<std::size_t>(job) % workers_.size()]; }
  char* slot_of(int64_t job) const { return shared_ + static_cast<std::size_t>(job % capacity_) * slot_bytes_; }
  void start(const AnyDataset& dataset, int wanted);
  void work(const AnyDataset& dataset, int socket) const noexcept;
  void exchange(double seconds);
  void receive(Worker& w);
  void bury(Worker& w, const std::string& why);
  void end();

  int64_t capacity_;
  std::size_t slot_bytes_, shared_bytes_ = 0;
  char* shared_ = nullptr;
  std::vector<Worker> workers_;
  std::map<int64_t, int64_t> indices_;  // of pending jobs
  std::map<int64_t, Kept> kept_;        // answered, not yet taken
  bool warned_of_size_ = false;
};

void Processes::end() {
  workers_.clear();  // a worker that is reading an example is killed
  pages::unmap(shared_, shared_bytes_);
}

void Processes::start(const AnyDataset& dataset, int wanted) {
  std::vector<const ChildProcess*> others;
  for (const Worker& w : workers_) others.push_back(&w.child);
  workers_.push_back({ChildProcess("MultiprocessIterator", text("worker ", workers_.size() + 1, " of ", wanted), others,
                                   [&](int socket) { work(dataset, socket); })});
}

// The worker's main loop. Must not throw: the parent's program would continue in the child.
void Processes::work(const AnyDataset& dataset, int socket) const noexcept {
  cpu::set_thread_count(1);
  ByteStream stream;
  for (;;) {
    if (!stream.send(socket) || !stream.receive(socket)) return;
    Request r;
    if (!stream.peek(&r, sizeof r)) {
      stream.wait(socket, -1);
      continue;
    }
    stream.take(sizeof r);
    Answer a{r.job, 0, -1, 0};
    std::string body;
    try {
      dataset::begin_example(r.visit);
      const Example e = dataset[r.index];
      a.size = write_example(e, slot_of(r.job), slot_bytes_);
      if (a.size > slot_bytes_) {
        a.in_pipe = 1;
        body.resize(a.size);
        write_example(e, body.data(), body.size());
      }
    } catch (...) {
      a.error = error_kind(body);
      a.in_pipe = 0;
      a.size = body.size();
    }
    stream.put(&a, sizeof a);
    stream.put(body.data(), body.size());
  }
}

// Ends a worker unless it has ended, and stores `why` or how it ended.
void Processes::bury(Worker& w, const std::string& why) {
  const int number = w.child.number();
  const std::string how = w.child.end();
  w.lost = text("the worker process ", number, why.empty() ? " died: " + how : why);
}

// Waits for any of the workers' sockets, then sends and receives without blocking.
void Processes::exchange(double seconds) {
  std::vector<AwaitedSocket> sockets;
  for (const Worker& w : workers_) sockets.push_back({w.lost.empty() ? w.child.socket() : -1, &w.stream});
  wait_for_any(sockets, static_cast<int>(std::clamp(seconds * 1000, 1.0, 1000.0)), "MultiprocessIterator");
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker& w = workers_[i];
    if (!w.lost.empty() || !sockets[i].ready) continue;
    (void)w.stream.send(w.child.socket());  // answers that a worker wrote before it died are still read
    const bool open = w.stream.receive(w.child.socket());
    receive(w);
    if (!open) bury(w, "");
  }
}

// Stores the examples whose bytes are complete.
void Processes::receive(Worker& w) {
  for (;;) {
    Answer a;
    if (!w.stream.peek(&a, sizeof a)) return;
    const std::size_t body_size = a.error >= 0 || a.in_pipe ? a.size : 0;
    if (w.stream.available() < sizeof a + body_size) return;
    w.stream.take(sizeof a);
    const std::string_view body = w.stream.take(body_size);
    const int64_t index = indices_[a.job];
    Kept k;
    try {
      if (a.error >= 0)
        k.error = make_error(a.error, text("example ", index, ": ", body));
      else
        k.example = read_example(a.in_pipe ? body.data() : slot_of(a.job), a.size);
    } catch (...) { k.error = std::current_exception(); }
    if (a.in_pipe && !std::exchange(warned_of_size_, true))
      warn(text("MultiprocessIterator: example ", index, " has ", a.size, " bytes, more than shared_mem (", slot_bytes_,
                "); such examples come through a pipe, which is slower"));
    kept_[a.job] = std::move(k);
  }
}

Example Processes::take(int64_t job, const Patience& patience) {
  using Clock = std::chrono::steady_clock;
  Worker& w = worker_of(job);
  double waited = 0, told = 0;
  while (!kept_.count(job)) {
    if (!w.lost.empty()) {
      const int64_t index = indices_[job];
      indices_.erase(job);
      throw RuntimeError("MultiprocessIterator: example ", index, " cannot be read: ", w.lost);
    }
    const uint64_t before = w.stream.received();
    const Clock::time_point start = Clock::now();
    exchange(std::min(told + patience.warn_after, patience.give_up_after) - waited);
    // At most one second counts per round: while this process was stopped, no answer could arrive.
    waited += std::min(std::chrono::duration<double>(Clock::now() - start).count(), 1.0);
    if (w.stream.received() != before) {
      waited = told = 0;
    } else if (waited >= patience.give_up_after && w.lost.empty()) {
      const std::string stopped = w.child.stopped();
      bury(w, text(" did not answer for ", patience.give_up_after, " s",
                   stopped.empty() ? "" : " (it was " + stopped + ")", " and was ended"));
    } else if (waited >= told + patience.warn_after) {
      told = waited;
      warn(text("example ", indices_[job], " has taken more than ", patience.warn_after, " s to read"));
    }
  }
  Kept k = std::move(kept_.at(job));
  kept_.erase(job);
  indices_.erase(job);
  if (k.error) std::rethrow_exception(k.error);
  return std::move(k.example);
}

}  // namespace

bool can_fork_workers() { return can_fork(); }

std::unique_ptr<Workers> fork_workers(const AnyDataset& dataset, int n, int64_t capacity, std::size_t slot_bytes) {
  return std::make_unique<Processes>(dataset, n, capacity, slot_bytes);
}

}  // namespace chainer::iterators
