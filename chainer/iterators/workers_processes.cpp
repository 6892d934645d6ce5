#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chainer/core/error.h"
#include "chainer/core/parallel.h"
#include "chainer/datasets/example_random.h"
#include "chainer/iterators/byte_stream.h"
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
  int32_t error;    // -1 for none, else its kind
  int32_t in_pipe;  // the example follows instead of lying in shared memory
};

// Neither side ever waits for the other to read: what a socket does not take stays in the sender's stream. So any
// number of requests and answers may be under way at the same time.
class Processes : public Workers {
 public:
  Processes(const AnyDataset& dataset, int n, int64_t capacity, std::size_t slot_bytes)
      : capacity_(capacity), slot_bytes_(slot_bytes) {
    // Pages come into being when they are written, and go with the last process.
    shared_bytes_ = static_cast<std::size_t>(capacity) * slot_bytes;
    void* p = ::mmap(nullptr, shared_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
      throw RuntimeError("MultiprocessIterator: no shared memory of ", shared_bytes_, " bytes: ", std::strerror(errno));
    shared_ = static_cast<char*>(p);
    try {
      for (int i = 0; i < n; ++i) start(dataset, n);
    } catch (...) {  // those that were started must not stay
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
      if (w.lost.empty()) (void)w.stream.send(w.fd);  // who does not read is noticed when an answer is wanted
  }
  Example take(int64_t job, const Patience& patience) override;

 private:
  struct Worker {
    pid_t pid;
    int fd;
    ByteStream stream = {};
    std::string lost = {};  // how the worker ended, if it did
  };
  struct Kept {
    Example example;
    std::exception_ptr error;
  };
  Worker& worker_of(int64_t job) { return workers_[static_cast<std::size_t>(job) % workers_.size()]; }
  char* slot_of(int64_t job) const { return shared_ + static_cast<std::size_t>(job % capacity_) * slot_bytes_; }
  void start(const AnyDataset& dataset, int wanted);
  [[noreturn]] void work(const AnyDataset& dataset, int fd) const noexcept;
  void exchange(double seconds);
  void receive(Worker& w);
  void bury(Worker& w, const std::string& why);
  void end();

  int64_t capacity_;
  std::size_t slot_bytes_, shared_bytes_ = 0;
  char* shared_ = nullptr;
  std::vector<Worker> workers_;
  std::map<int64_t, int64_t> indices_;  // of the jobs under way
  std::map<int64_t, Kept> kept_;        // answered, not yet taken
  bool warned_of_size_ = false;
};

// Ends a child, if that has not happened; its status. Nothing where somebody else waited for it: its number may be
// another process's by now.
std::optional<int> end_process(pid_t pid) {
  int status = 0;
  pid_t ended = ::waitpid(pid, &status, WNOHANG);
  if (ended == 0) {
    ::kill(pid, SIGKILL);
    while ((ended = ::waitpid(pid, &status, 0)) < 0 && errno == EINTR) {}
  }
  return ended == pid ? std::optional(status) : std::nullopt;
}

void Processes::end() {
  for (const Worker& w : workers_) {
    ::close(w.fd);
    if (w.pid > 0) (void)end_process(w.pid);  // one that is in the middle of an example is not waited for
  }
  ::munmap(shared_, shared_bytes_);
}

void Processes::start(const AnyDataset& dataset, int wanted) {
  const auto fail = [&](const char* what, int why) {
    throw RuntimeError("MultiprocessIterator: ", what, " ", workers_.size() + 1, " of ", wanted, ": ",
                       std::strerror(why));
  };
  workers_.reserve(workers_.size() + 1);
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("no pipe to worker", errno);
  const pid_t parent = ::getpid(), pid = ::fork();
  if (pid < 0) {
    const int why = errno;
    ::close(ends[0]), ::close(ends[1]);
    fail("no process for worker", why);
  }
  if (pid == 0) {
    // Dies with its parent, also when that is killed; a terminal's interrupt is the parent's business.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);
    std::signal(SIGINT, SIG_IGN);
    ::close(ends[0]);
    for (const Worker& w : workers_) ::close(w.fd);
    work(dataset, ends[1]);
  }
  ::close(ends[1]);
  workers_.push_back({pid, ends[0]});
}

// The child's life. No exception leaves it: behind this call lies the parent's program.
void Processes::work(const AnyDataset& dataset, int fd) const noexcept {
  cpu::set_thread_count(1);
  ByteStream stream;
  for (;;) {
    if (!stream.send(fd) || !stream.receive(fd)) ::_exit(0);
    Request r;
    if (!stream.peek(&r, sizeof r)) {
      stream.wait(fd, -1);
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

// Ends a worker, if that has not happened, and notes why, or how it ended.
void Processes::bury(Worker& w, const std::string& why) {
  const std::optional<int> status = end_process(w.pid);
  const std::string how = !status                ? "it is gone"
                          : WIFSIGNALED(*status) ? text("killed by signal ", WTERMSIG(*status))
                                                 : text("it left with status ", WEXITSTATUS(*status));
  w.lost = text("the worker process ", w.pid, why.empty() ? " died: " + how : why);
  w.pid = -1;
}

// Sends and receives what is there, for all workers, after waiting for some of it.
void Processes::exchange(double seconds) {
  std::vector<pollfd> polled;
  for (const Worker& w : workers_) {
    const short events = w.stream.has_output() ? POLLIN | POLLOUT : POLLIN;
    polled.push_back({w.lost.empty() ? w.fd : -1, events, 0});
  }
  const int milliseconds = static_cast<int>(std::clamp(seconds * 1000, 1.0, 1000.0));
  if (::poll(polled.data(), polled.size(), milliseconds) < 0 && errno != EINTR)
    throw RuntimeError("MultiprocessIterator: waiting for workers: ", std::strerror(errno));
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker& w = workers_[i];
    if (!w.lost.empty() || polled[i].revents == 0) continue;
    (void)w.stream.send(w.fd);  // what a worker wrote before it died is read all the same
    const bool open = w.stream.receive(w.fd);
    receive(w);
    if (!open) bury(w, "");
  }
}

// Keeps the examples whose bytes are there.
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
      throw RuntimeError("MultiprocessIterator: example ", index, " was wanted, but ", w.lost);
    }
    const uint64_t before = w.stream.received();
    const Clock::time_point start = Clock::now();
    exchange(std::min(told + patience.warn_after, patience.give_up_after) - waited);
    // While this process itself was stopped, nobody could answer: no more than a second counts at a time.
    waited += std::min(std::chrono::duration<double>(Clock::now() - start).count(), 1.0);
    if (w.stream.received() != before) {
      waited = told = 0;
    } else if (waited >= patience.give_up_after && w.lost.empty()) {
      int status = 0;
      const bool stopped = ::waitpid(w.pid, &status, WNOHANG | WUNTRACED) == w.pid && WIFSTOPPED(status);
      bury(w, text(" did not answer for ", patience.give_up_after, " s",
                   stopped ? text(" (it was stopped by signal ", WSTOPSIG(status), ")") : "", " and was ended"));
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

bool can_fork_workers() {
  std::error_code error;
  int threads = 0;
  for (std::filesystem::directory_iterator it("/proc/self/task", error), end; !error && it != end; it.increment(error))
    ++threads;
  return !error && threads == 1;
}

std::unique_ptr<Workers> fork_workers(const AnyDataset& dataset, int n, int64_t capacity, std::size_t slot_bytes) {
  return std::make_unique<Processes>(dataset, n, capacity, slot_bytes);
}

}  // namespace chainer::iterators
