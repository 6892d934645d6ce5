// SPDX-License-Identifier: MIT
// Transport by MPI (Open MPI or another implementation of MPI 3). The only file that includes mpi.h.
#define OMPI_SKIP_MPICXX 1  // without its C++ classes, which need another library
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "chainer/core/error.h"
#include "chainer/mn/transport.h"

namespace chainer::mn {
namespace {

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char message[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, message, &length);
  throw RuntimeError(call, ": ", std::string(message, static_cast<std::size_t>(length)));
}

bool finalized() {
  int flag = 0;
  MPI_Finalized(&flag);
  return flag;
}

// Requests whose Operation was destroyed before they completed, with the memory that MPI may still access. Never freed.
struct Dropped {
  std::mutex mutex;
  std::list<std::pair<std::vector<MPI_Request>, Transport::Keep>> all;
};
Dropped& dropped() {
  static auto* d = new Dropped;
  return *d;
}

class MpiOperation : public Operation {
 public:
  explicit MpiOperation(Transport::Keep keep) : keep_(std::move(keep)) {}
  ~MpiOperation() override {
    if (requests.empty()) return;
    const std::lock_guard lock(dropped().mutex);
    dropped().all.emplace_back(std::move(requests), std::move(keep_));
  }
  bool done() override {
    int flag = 0;
    check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &flag, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (flag) requests.clear();
    return flag;
  }
  std::vector<MPI_Request> requests;

 private:
  Transport::Keep keep_;
};

template <class T>
void add_narrow(void* in, void* inout, int* length, MPI_Datatype*) {
  const auto* a = static_cast<const T*>(in);
  auto* b = static_cast<T*>(inout);
  for (int i = 0; i < *length; ++i) b[i] = T(static_cast<float>(a[i]) + static_cast<float>(b[i]));
}

// Constructed after MPI_Init, never freed.
struct Sums {
  MPI_Op float16, bfloat16;
  Sums() {
    MPI_Op_create(add_narrow<Float16>, 1, &float16);
    MPI_Op_create(add_narrow<BFloat16>, 1, &bfloat16);
  }
};

MPI_Datatype type_of(Dtype d) {
  switch (d) {
    case Dtype::bool_:
    case Dtype::uint8: return MPI_UINT8_T;
    case Dtype::int8: return MPI_INT8_T;
    case Dtype::int16: return MPI_INT16_T;
    case Dtype::int32: return MPI_INT32_T;
    case Dtype::int64: return MPI_INT64_T;
    case Dtype::float16:
    case Dtype::bfloat16: return MPI_UINT16_T;
    case Dtype::float32: return MPI_FLOAT;
    case Dtype::float64: return MPI_DOUBLE;
  }
  return MPI_BYTE;
}

MPI_Op op_of(Dtype d, Reduce how) {
  static const Sums sums;
  const bool narrow = d == Dtype::float16 || d == Dtype::bfloat16;
  if (how != Reduce::sum && narrow) throw DtypeError("allreduce: only sums are supported for ", d);
  if (how == Reduce::max) return MPI_MAX;
  if (how == Reduce::min) return MPI_MIN;
  return d == Dtype::float16 ? sums.float16 : d == Dtype::bfloat16 ? sums.bfloat16 : MPI_SUM;
}

class MpiTransport : public Transport {
 public:
  explicit MpiTransport(MPI_Comm comm) : comm_(comm) {
    if (comm != MPI_COMM_WORLD) MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  // No MPI_Comm_free: it is collective, but after an error not all ranks destroy their transports.
  ~MpiTransport() override = default;
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::unique_ptr<Transport> split(int color, int key) override {
    MPI_Comm part;
    check(MPI_Comm_split(comm_, color, key, &part), "MPI_Comm_split");
    return std::make_unique<MpiTransport>(part);
  }

  Pending send(const void* data, std::size_t bytes, int to, int tag, Keep keep) override {
    return in_pieces(bytes, std::move(keep), "MPI_Isend", [&](std::size_t at, int n, MPI_Request* r) {
      return MPI_Isend(static_cast<const char*>(data) + at, n, MPI_BYTE, to, tag, comm_, r);
    });
  }
  Pending receive(void* data, std::size_t bytes, int from, int tag, Keep keep) override {
    return in_pieces(bytes, std::move(keep), "MPI_Irecv", [&](std::size_t at, int n, MPI_Request* r) {
      return MPI_Irecv(static_cast<char*>(data) + at, n, MPI_BYTE, from, tag, comm_, r);
    });
  }
  std::optional<int> probe_any(int tag) override {
    int flag = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_, &flag, &status), "MPI_Iprobe");
    return flag ? std::optional(status.MPI_SOURCE) : std::nullopt;
  }
  Pending broadcast(void* data, std::size_t bytes, int root, Keep keep) override {
    return in_pieces(bytes, std::move(keep), "MPI_Ibcast", [&](std::size_t at, int n, MPI_Request* r) {
      return MPI_Ibcast(static_cast<char*>(data) + at, n, MPI_BYTE, root, comm_, r);
    });
  }
  Pending allgather(const void* mine, void* all, std::size_t bytes, Keep keep) override {
    if (bytes > kLargestMessage / 16)
      throw ValueError("allgather: ", bytes, " bytes per rank exceed the limit of ", kLargestMessage / 16);
    auto op = std::make_unique<MpiOperation>(std::move(keep));
    const int n = static_cast<int>(bytes);
    check(MPI_Iallgather(mine, n, MPI_BYTE, all, n, MPI_BYTE, comm_, &op->requests.emplace_back()), "MPI_Iallgather");
    return op;
  }
  Pending allreduce(void* data, int64_t count, Dtype dtype, Reduce how, Keep keep) override {
    const auto item = static_cast<std::size_t>(item_size(dtype));
    return in_pieces(static_cast<std::size_t>(count) * item, std::move(keep), "MPI_Iallreduce",
                     [&](std::size_t at, int n, MPI_Request* r) {
                       return MPI_Iallreduce(MPI_IN_PLACE, static_cast<char*>(data) + at, n / static_cast<int>(item),
                                             type_of(dtype), op_of(dtype, how), comm_, r);
                     });
  }
  void abort(int status) override {
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, status ? status : 1);
    std::_Exit(status ? status : 1);
  }
  const void* handle() const override { return &comm_; }

 private:
  template <class F>
  Pending in_pieces(std::size_t bytes, Keep keep, const char* call, F&& start) {
    auto op = std::make_unique<MpiOperation>(std::move(keep));
    std::size_t at = 0;
    do {
      const std::size_t n = std::min(bytes - at, kLargestMessage);
      check(start(at, static_cast<int>(n), &op->requests.emplace_back()), call);
      at += n;
    } while (at < bytes);
    return op;
  }
  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
};

// A communicator for each one of make_transport(), with which processes wait for each other at their end, and a
// function called meanwhile. Without it, a process in MPI_Finalize would not answer questions of other ranks.
struct Ending {
  std::mutex mutex;
  std::vector<MPI_Comm> comms;
  std::atomic<void (*)()> serve{nullptr};
};
Ending& ending() {
  static auto* e = new Ending;
  return *e;
}

int wait_for_the_others(MPI_Comm, int, void*, void*) {
  using Clock = std::chrono::steady_clock;
  std::vector<MPI_Request> requests;
  {
    const std::lock_guard lock(ending().mutex);
    for (MPI_Comm c : ending().comms)
      if (MPI_Ibarrier(c, &requests.emplace_back()) != MPI_SUCCESS) return MPI_SUCCESS;
  }
  const auto start = Clock::now();
  auto served = start - std::chrono::hours(1);
  int done = 0;
  while (MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE) == MPI_SUCCESS &&
         !done) {
    const auto now = Clock::now();
    if (now - served > std::chrono::milliseconds(100)) {
      served = now;
      if (void (*serve)() = ending().serve) serve();
    }
    const auto waited = now - start;
    if (waited < std::chrono::microseconds(200))
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(waited < std::chrono::seconds(2) ? 100 : 5000));
  }
  return MPI_SUCCESS;
}

// MPI_Finalize first calls the delete functions of attributes of MPI_COMM_SELF, regardless of its caller.
void prepare_ending() {
  int key = MPI_KEYVAL_INVALID;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, wait_for_the_others, &key, nullptr), "MPI_Comm_create_keyval");
  check(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
}

// A process that succeeds waits for the others in MPI_Finalize. One that fails ends all processes, since they would
// wait for it.
void at_exit(int status, void*) {
  if (finalized()) return;
  if (status == 0) {
    MPI_Finalize();
    return;
  }
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, status);
}

void initialize() {
  static std::once_flag once;
  std::call_once(once, [] {
    int running = 0, level = 0;
    MPI_Initialized(&running);
    if (running) {
      MPI_Query_thread(&level);
    } else {
      check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level), "MPI_Init_thread");
      ::on_exit(at_exit, nullptr);
    }
    prepare_ending();
    if (level < MPI_THREAD_MULTIPLE)
      throw RuntimeError("create_communicator: MPI_THREAD_MULTIPLE (", static_cast<int>(MPI_THREAD_MULTIPLE),
                         ") is required, since a separate thread reduces gradients; this MPI provides level ", level);
  });
}

}  // namespace

std::unique_ptr<Transport> make_transport(const void* handle) {
  initialize();
  const MPI_Comm given = handle ? *static_cast<const MPI_Comm*>(handle) : MPI_COMM_WORLD;
  MPI_Comm comm, last;
  check(MPI_Comm_dup(given, &comm), "MPI_Comm_dup");
  check(MPI_Comm_dup(given, &last), "MPI_Comm_dup");
  {
    const std::lock_guard lock(ending().mutex);
    ending().comms.push_back(last);
  }
  return std::make_unique<MpiTransport>(comm);
}
std::unique_ptr<Transport> world_transport() {
  initialize();
  return std::make_unique<MpiTransport>(MPI_COMM_WORLD);
}
void serve_while_ending(void (*serve)()) { ending().serve = serve; }
bool transport_available() { return true; }
bool transport_running() {
  int running = 0;
  MPI_Initialized(&running);
  return running && !finalized();
}

}  // namespace chainer::mn
