#include "chainer/mn/roll_call.h"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "chainer/core/error.h"

namespace chainer::mn {
namespace {

constexpr int kQuestionTag = 32701, kAnswerTag = 32702;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Sleeps of this thread end within a microsecond of the time asked for, where Linux allows itself 50 otherwise.
class PreciseSleeps {
 public:
  PreciseSleeps() : before_(::prctl(PR_GET_TIMERSLACK)) { ::prctl(PR_SET_TIMERSLACK, 1000UL); }
  PreciseSleeps(const PreciseSleeps&) = delete;
  PreciseSleeps& operator=(const PreciseSleeps&) = delete;
  ~PreciseSleeps() {
    if (before_ > 0) ::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(before_));
  }

 private:
  int before_;
};

double limit_from_environment() {
  if (const char* text = std::getenv("CHAINERMN_WAIT_LIMIT")) {
    char* end = nullptr;
    const double v = std::strtod(text, &end);
    if (end != text && *end == 0 && v >= 0) return v;
    warn(chainer::text("CHAINERMN_WAIT_LIMIT is '", text, "', which is no number of seconds; the limit is 1800"));
  }
  return 1800;
}
std::atomic<double>& limit() {
  static std::atomic<double> seconds{limit_from_environment()};
  return seconds;
}

// What is asked and answered: how many calls a rank has begun on a communicator, and the name of the last one.
struct Message {
  uint64_t id = 0;
  int64_t calls = 0;
  char operation[40] = "";
};

// The state of this process. It lives as long as the process, as threads may be in it when that ends.
struct Board {
  struct Place {
    int64_t calls = 0;
    const char* operation = "";
  };
  std::mutex mutex;
  std::map<uint64_t, Place> places;
  std::unique_ptr<Transport> world;
  std::map<std::pair<uint64_t, int>, Message> answers;  // by communicator and rank of the world

  void post(int to, int tag, const Message& m) {
    auto copy = std::make_shared<Message>(m);
    (void)world->send(copy.get(), sizeof(Message), to, tag, copy);  // small: it goes without being waited for
  }
  std::optional<std::pair<int, Message>> fetch(int tag) {
    const auto from = world->probe_any(tag);
    if (!from) return {};
    auto m = std::make_shared<Message>();
    const Pending p = world->receive(m.get(), sizeof(Message), *from, tag, m);
    while (!p->done()) sched_yield();
    return std::pair(*from, *m);
  }
  // Answers what others ask, and keeps what they answer.
  void serve() {
    const std::lock_guard lock(mutex);
    if (!world) return;
    while (const auto q = fetch(kQuestionTag)) {
      Message m;
      m.id = q->second.id;
      const Place& p = places[m.id];
      m.calls = p.calls;
      std::strncpy(m.operation, p.operation, sizeof m.operation - 1);
      post(q->first, kAnswerTag, m);
    }
    while (const auto a = fetch(kAnswerTag)) answers[{a->second.id, a->first}] = a->second;
  }
};
Board& board() {
  static auto* b = new Board;
  return *b;
}

}  // namespace

double wait_limit() { return limit(); }
void set_wait_limit(double seconds) {
  if (!(seconds >= 0)) throw ValueError("set_wait_limit: ", seconds, " seconds");
  limit() = seconds;
}

RollCall::RollCall(uint64_t id, std::string name, int rank, std::vector<int> members, std::vector<std::string> hosts)
    : id_(id), name_(std::move(name)), rank_(rank), members_(std::move(members)), hosts_(std::move(hosts)) {}
RollCall::~RollCall() = default;

std::string RollCall::who(int rank) const {
  return text("rank ", rank, " (", hosts_[static_cast<std::size_t>(rank)], ")");
}

int64_t RollCall::enter(const char* operation) {
  const std::lock_guard lock(board().mutex);
  auto& place = board().places[id_];
  place.operation = operation;
  return ++place.calls;
}
int64_t RollCall::count() const {
  const std::lock_guard lock(board().mutex);
  return board().places[id_].calls;
}

void RollCall::note(const char* operation) {
  const std::lock_guard lock(board().mutex);
  board().places[id_].operation = operation;
}

int RollCall::world_rank() {
  const std::lock_guard lock(board().mutex);
  if (!board().world) board().world = world_transport();
  return board().world->rank();
}

void RollCall::wait(Operation& op, const char* operation, const std::vector<int>& awaited) const {
  wait_until([&] { return op.done(); }, operation, awaited);
}

void RollCall::wait_until(const std::function<bool()>& done, const char* operation, const std::vector<int>& awaited,
                          const std::function<void(int)>& pause,
                          const std::function<std::vector<int>()>& missing) const {
  for (int i = 0; i < 100; ++i)
    if (done()) return;
  const double start = now();
  double served = start;
  std::optional<PreciseSleeps> precise;
  // Ranks often share cores: after a while of looking, others are let run, then the thread sleeps. It sleeps briefly
  // for long, since the message-passing library moves the pieces of a large message only while somebody looks.
  for (int turn = 0; !done(); ++turn) {
    const double t = now(), waited = t - start;
    if (waited > 0.2 && t - served > 0.1) {
      board().serve();
      served = t;
      const double most = wait_limit();
      if (most > 0 && waited > most) too_long(operation, waited, missing ? missing() : awaited, bool(missing));
    }
    const int us = waited < 200e-6 ? 0 : waited < 2 ? 20 : waited < 20 ? 100 : 1000;
    if (pause)
      pause(us);
    else if (us == 0)
      sched_yield();
    else {
      if (!precise) precise.emplace();
      std::this_thread::sleep_for(std::chrono::microseconds(us));
    }
  }
}

void RollCall::too_long(const char* operation, double seconds, std::vector<int> awaited, bool known) const {
  Board& b = board();
  if (awaited.empty())
    for (int r = 0; r < static_cast<int>(members_.size()); ++r)
      if (r != rank_) awaited.push_back(r);
  std::erase(awaited, rank_);
  const int64_t mine = count();
  {
    const std::lock_guard lock(b.mutex);
    for (int r : awaited) {
      const int world_rank = members_[static_cast<std::size_t>(r)];
      b.answers.erase({id_, world_rank});
      Message m;
      m.id = id_;
      b.post(world_rank, kQuestionTag, m);
    }
  }
  // Whoever waits itself looks for questions ten times a second.
  const auto answered = [&] {
    const std::lock_guard lock(b.mutex);
    return std::all_of(awaited.begin(), awaited.end(), [&](int r) {
      return b.answers.count({id_, members_[static_cast<std::size_t>(r)]}) > 0;
    });
  };
  for (const double end = now() + 3; now() < end && !answered();) {
    b.serve();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::string silent, elsewhere;
  {
    const std::lock_guard lock(b.mutex);
    for (int r : awaited) {
      const auto a = b.answers.find({id_, members_[static_cast<std::size_t>(r)]});
      if (a == b.answers.end())
        silent += text(silent.empty() ? "" : ", ", who(r));
      else if (known || a->second.calls < mine)
        elsewhere += text("; ", who(r), " waits in call ", a->second.calls, " (", a->second.operation,
                          ") of this communicator or in one of another");
    }
  }
  std::string message = text(operation, " (call ", mine, " of communicator ", name_, "): ", who(rank_), " waited ",
                             static_cast<int64_t>(seconds), " s, the limit (CHAINERMN_WAIT_LIMIT)");
  if (!silent.empty()) message += "; not in any call: " + silent;
  message += elsewhere;
  if (silent.empty() && elsewhere.empty())
    message +=
        "; all ranks are there: a message between them is lost, or they call different operations (set "
        "CHAINERMN_DEBUG=1 to see which)";
  throw RuntimeError(message);
}

}  // namespace chainer::mn
