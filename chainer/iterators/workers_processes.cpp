#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <vector>

#include "chainer/core/parallel.h"
#include "chainer/core/error.h"
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
  int32_t error;    // -1 for none, else its kind
  int32_t in_pipe;  // the example follows instead of lying in shared memory
};

bool write_all(int fd, const void* data, std::size_t n) {
  const auto* p = static_cast<const char*>(data);
  while (n > 0) {
    const ssize_t k = ::send(fd, p, n, MSG_NOSIGNAL);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) return false;
    p += k;
    n -= static_cast<std::size_t>(k);
  }
  return true;
}
bool read_all(int fd, void* data, std::size_t n) {
  auto* p = static_cast<char*>(data);
  while (n > 0) {
    const ssize_t k = ::recv(fd, p, n, 0);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) return false;
    p += k;
    n -= static_cast<std::size_t>(k);
  }
  return true;
}

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
    for (int i = 0; i < n; ++i) start(dataset);
  }
  ~Processes() override {
    for (const Worker& w : workers_) ::close(w.fd);  // a worker that reads the end leaves
    for (const Worker& w : workers_) {
      if (w.pid <= 0) continue;
      // One that is in the middle of an example is not waited for.
      ::kill(w.pid, SIGKILL);
      while (::waitpid(w.pid, nullptr, 0) < 0 && errno == EINTR) {}
    }
    ::munmap(shared_, shared_bytes_);
  }
  void submit(int64_t job, int64_t index, int64_t visit) override {
    indices_[job] = index;
    const Request r{job, index, visit};
    // A worker that cannot be reached is told of when its first missing example is wanted.
    (void)write_all(worker_of(job).fd, &r, sizeof r);
  }
  Example take(int64_t job, double timeout) override;

 private:
  struct Worker {
    pid_t pid;
    int fd;
  };
  struct Kept {
    Example example;
    std::exception_ptr error;
  };
  Worker& worker_of(int64_t job) { return workers_[static_cast<std::size_t>(job) % workers_.size()]; }
  char* slot_of(int64_t job) const { return shared_ + static_cast<std::size_t>(job % capacity_) * slot_bytes_; }
  void start(const AnyDataset& dataset);
  [[noreturn]] void work(const AnyDataset& dataset, int fd) const;
  void receive(Worker& w, int64_t waited_for);
  [[noreturn]] void died(Worker& w, int64_t job);

  int64_t capacity_;
  std::size_t slot_bytes_, shared_bytes_ = 0;
  char* shared_ = nullptr;
  std::vector<Worker> workers_;
  std::map<int64_t, int64_t> indices_;  // of the jobs under way
  std::map<int64_t, Kept> kept_;        // answered, not yet taken
};

void Processes::start(const AnyDataset& dataset) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw RuntimeError("MultiprocessIterator: no pipe to a worker: ", std::strerror(errno));
  const pid_t parent = ::getpid(), pid = ::fork();
  if (pid < 0) {
    const int why = errno;
    ::close(ends[0]), ::close(ends[1]);
    throw RuntimeError("MultiprocessIterator: no worker process: ", std::strerror(why));
  }
  if (pid == 0) {
    // Dies with its parent, also when that is killed; a terminal's interrupt is the parent's business.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);
    std::signal(SIGINT, SIG_IGN);
    ::close(ends[0]);
    for (const Worker& w : workers_) ::close(w.fd);
    cpu::set_thread_count(1);
    work(dataset, ends[1]);
  }
  ::close(ends[1]);
  workers_.push_back({pid, ends[0]});
}

void Processes::work(const AnyDataset& dataset, int fd) const {
  Request r;
  while (read_all(fd, &r, sizeof r)) {
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
      a.size = body.size();
    }
    if (!write_all(fd, &a, sizeof a) || !write_all(fd, body.data(), body.size())) break;
  }
  ::_exit(0);
}

void Processes::died(Worker& w, int64_t job) {
  int status = 0;
  const bool known = w.pid > 0 && ::waitpid(w.pid, &status, 0) == w.pid;
  const std::string how = !known                ? "it is gone"
                          : WIFSIGNALED(status) ? text("killed by signal ", WTERMSIG(status))
                                                : text("it left with status ", WEXITSTATUS(status));
  const pid_t pid = std::exchange(w.pid, -1);
  throw RuntimeError("MultiprocessIterator: the worker process ", pid, " died while example ", indices_[job],
                     " was wanted: ", how);
}

void Processes::receive(Worker& w, int64_t waited_for) {
  Answer a;
  if (!read_all(w.fd, &a, sizeof a)) died(w, waited_for);
  std::string body;
  if (a.error >= 0 || a.in_pipe) {
    body.resize(a.size);
    if (!read_all(w.fd, body.data(), body.size())) died(w, waited_for);
  }
  Kept k;
  if (a.error >= 0)
    k.error = make_error(a.error, text("example ", indices_[a.job], ": ", body));
  else
    k.example = read_example(a.in_pipe ? body.data() : slot_of(a.job), a.size);
  if (a.in_pipe)
    warn(text("MultiprocessIterator: example ", indices_[a.job], " has ", a.size, " bytes, more than shared_mem (",
              slot_bytes_, "); it comes through a pipe, which is slower"));
  kept_[a.job] = std::move(k);
}

Example Processes::take(int64_t job, double timeout) {
  Worker& w = worker_of(job);
  while (!kept_.count(job)) {
    pollfd p{w.fd, POLLIN, 0};
    const int ready = ::poll(&p, 1, timeout >= 1e6 ? -1 : static_cast<int>(timeout * 1000));
    if (ready == 0) warn(text("example ", indices_[job], " has taken more than ", timeout, " s to read"));
    if (ready > 0) receive(w, job);
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
