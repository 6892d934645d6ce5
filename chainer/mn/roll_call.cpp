// SPDX-License-Identifier: MIT
#include "chainer/mn/roll_call.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "chainer/core/clock.h"
#include "chainer/core/error.h"
#include "chainer/core/system/precise_sleeps.h"
#include "chainer/core/timeline.h"

namespace chainer::mn {
namespace {

constexpr int kQuestionTag = 32701, kAnswerTag = 32702;

double seconds_from_environment(const char* variable, double otherwise) {
  if (const char* text = std::getenv(variable)) {
    char* end = nullptr;
    const double v = std::strtod(text, &end);
    if (end != text && *end == 0 && v >= 0) return v;
    warn(chainer::text(variable, " must be a number of seconds, not '", text, "'; using ", otherwise));
  }
  return otherwise;
}
std::atomic<double>& limit() {
  static std::atomic<double> seconds{seconds_from_environment("CHAINERMN_WAIT_LIMIT", 1800)};
  return seconds;
}

// A question, or its answer: how many calls a rank has begun on a communicator, the last call, and whether it was
// counted (messages between two ranks are not); or that the rank has ended.
struct Message {
  uint64_t id = 0;
  int64_t calls = 0;
  bool counted = false, ended = false;
  char call[110] = "";
};

// The state of this process. Never destroyed, since threads may use it when the process ends.
struct Board {
  struct Place {
    int64_t calls = 0;
    bool counted = false;
    std::string call;
  };
  std::mutex mutex;
  std::map<uint64_t, Place> places;
  std::unique_ptr<Transport> world;
  std::map<std::pair<uint64_t, int>, Message> answers;  // by (communicator, rank in the world)
  bool ended = false;

  void post(int to, int tag, const Message& m) {
    auto copy = std::make_shared<Message>(m);
    (void)world->send(copy.get(), sizeof(Message), to, tag, copy);  // small messages are sent without waiting
  }
  std::optional<std::pair<int, Message>> fetch(int tag) {
    const auto from = world->probe_any(tag);
    if (!from) return {};
    auto m = std::make_shared<Message>();
    const Pending p = world->receive(m.get(), sizeof(Message), *from, tag, m);
    while (!p->done()) std::this_thread::yield();
    return std::pair(*from, *m);
  }
  // Fills in the calls of this process on communicator m.id.
  void describe(Message& m) {
    const Place& p = places[m.id];
    m.calls = p.calls;
    m.counted = p.counted;
    m.ended = ended;
    std::strncpy(m.call, p.call.c_str(), sizeof m.call - 1);
  }
  // Answers questions of other ranks, and stores their answers.
  void serve() {
    const std::lock_guard lock(mutex);
    if (!world) return;
    while (const auto q = fetch(kQuestionTag)) {
      Message m;
      m.id = q->second.id;
      describe(m);
      post(q->first, kAnswerTag, m);
    }
    while (const auto a = fetch(kAnswerTag)) answers[{a->second.id, a->first}] = a->second;
  }
};
Board& board() {
  static auto* b = new Board;
  return *b;
}

// Answers questions in a process that has ended; called within MPI_Finalize.
void serve_ended() {
  try {
    {
      const std::lock_guard lock(board().mutex);
      board().ended = true;
    }
    board().serve();
  } catch (const std::exception&) {}  // the asking rank then waits until its own limit
}

}  // namespace

double wait_limit() { return limit(); }
double warn_after() {
  static const double seconds = seconds_from_environment("CHAINERMN_WARN_AFTER", 30);
  return seconds;
}
void set_wait_limit(double seconds) {
  if (!(seconds >= 0)) throw ValueError("set_wait_limit: seconds must be 0 or more, not ", seconds);
  limit() = seconds;
}

RollCall::RollCall(uint64_t id, std::string name, int rank, std::vector<int> members, std::vector<std::string> hosts)
    : id_(id), name_(std::move(name)), rank_(rank), members_(std::move(members)), hosts_(std::move(hosts)) {}
RollCall::~RollCall() = default;

std::string RollCall::who(int rank) const {
  return text("rank ", rank, " (", hosts_[static_cast<std::size_t>(rank)], ")");
}

int64_t RollCall::enter(const std::string& call) {
  const std::lock_guard lock(board().mutex);
  auto& place = board().places[id_];
  place.call = call;
  place.counted = true;
  return ++place.calls;
}
int64_t RollCall::count() const {
  const std::lock_guard lock(board().mutex);
  return board().places[id_].calls;
}

void RollCall::note(const char* operation) {
  const std::lock_guard lock(board().mutex);
  auto& place = board().places[id_];
  place.call = operation;
  place.counted = false;
}

int RollCall::world_rank() {
  const std::lock_guard lock(board().mutex);
  if (!board().world) {
    board().world = world_transport();
    serve_while_ending(serve_ended);
  }
  return board().world->rank();
}

void RollCall::wait(Operation& op, const char* operation, const std::vector<int>& awaited) const {
  wait_until([&] { return op.done(); }, operation, awaited);
}

// Conclusions from the answers of other ranks.
struct RollCall::Findings {
  std::string silent, elsewhere, ended, other_call;
  bool lowest = true;  // no lower rank waits in the same call
  std::string text() const {
    std::string out;
    if (!silent.empty()) out += "; not in any call: " + silent;
    if (!ended.empty()) out += "; " + ended + " has ended (its main returned, or it called exit)";
    if (!other_call.empty()) out += "; " + other_call;
    return out + elsewhere;
  }
};

// Asks the ranks for which a call waits where they are.
class RollCall::Inquiry {
 public:
  // `known`: all of `asked` are certainly missing, and the others of `all` also wait.
  Inquiry(const RollCall& roll, std::vector<int> asked, bool known, const std::vector<int>& all)
      : roll_(roll), asked_(std::move(asked)), known_(known), begin_(now()) {
    if (asked_.empty() && !known)
      for (int r = 0; r < static_cast<int>(roll_.members_.size()); ++r) asked_.push_back(r);
    std::erase(asked_, roll_.rank_);
    if (known)
      for (int r : all) lowest_ &= r >= roll_.rank_ || std::find(asked_.begin(), asked_.end(), r) != asked_.end();
    Board& b = board();
    const std::lock_guard lock(b.mutex);
    for (int r : asked_) {
      b.answers.erase({roll_.id_, world(r)});
      Message m;
      m.id = roll_.id_;
      b.post(world(r), kQuestionTag, m);
    }
  }
  // Returns true if all have answered, or had time to: waiting and ending processes look for questions ten times per
  // second.
  bool over() const {
    if (now() - begin_ > 3) return true;
    const std::lock_guard lock(board().mutex);
    return std::all_of(asked_.begin(), asked_.end(), [&](int r) {
      return board().answers.count({roll_.id_, world(r)}) > 0;
    });
  }
  Findings look() const {
    Findings f;
    f.lowest = lowest_;
    Board& b = board();
    const std::lock_guard lock(b.mutex);
    Message mine;
    mine.id = roll_.id_;
    b.describe(mine);
    const auto add = [](std::string& list, const std::string& entry) { list += (list.empty() ? "" : ", ") + entry; };
    for (int r : asked_) {
      const auto a = b.answers.find({roll_.id_, world(r)});
      if (a == b.answers.end()) {
        add(f.silent, roll_.who(r));
        continue;
      }
      const Message& m = a->second;
      const bool behind = known_ || m.calls < mine.calls;
      const bool here = m.calls == mine.calls && m.counted && mine.counted && !m.ended;
      if (m.ended && (behind || !mine.counted))
        add(f.ended, roll_.who(r));
      else if (here && std::strcmp(m.call, mine.call) != 0)
        f.other_call += text(f.other_call.empty() ? "" : "; ", roll_.who(roll_.rank_), " calls ", mine.call, ", ",
                             roll_.who(r), " calls ", m.call);
      else if (behind)
        f.elsewhere += text("; ", roll_.who(r), " waits in call ", m.calls, " (", m.call,
                            ") of this communicator or in one of another");
      else if (r < roll_.rank_ && !m.ended)
        f.lowest = false;
    }
    return f;
  }

 private:
  int world(int rank) const { return roll_.members_[static_cast<std::size_t>(rank)]; }
  const RollCall& roll_;
  std::vector<int> asked_;
  bool known_, lowest_ = true;
  double begin_;
};

std::string RollCall::waited_in(const char* operation, double seconds) const {
  return text(operation, " (call ", count(), " of communicator ", name_, "): ", who(rank_), " waited ",
              static_cast<int64_t>(seconds), " s");
}

void RollCall::wait_until(const std::function<bool()>& done, const char* operation, const std::vector<int>& awaited,
                          const std::function<void(int)>& pause,
                          const std::function<std::vector<int>()>& missing) const {
  const timeline::Stretch stretch(operation, "communication");
  for (int i = 0; i < 100; ++i)
    if (done()) return;
  const double start = now();
  double served = start, asked_at = 0, ask_after = warn_after() > 0 ? warn_after() : HUGE_VAL;
  std::optional<PreciseSleeps> precise;
  std::optional<Inquiry> inquiry;
  // Ranks often share cores, so after a while of polling this thread yields, then sleeps. The sleeps stay short for a
  // long time, since MPI moves the pieces of a large message only while it is polled.
  while (!done()) {
    const double t = now(), waited = t - start;
    if (waited > 0.2 && t - served > 0.1) {
      board().serve();
      served = t;
      const bool past_limit = wait_limit() > 0 && waited > wait_limit();
      if (!inquiry && (past_limit || waited > ask_after)) {
        asked_at = waited;
        inquiry.emplace(*this, missing ? missing() : awaited, bool(missing), awaited);
      }
      if (inquiry && inquiry->over()) {
        const Findings f = inquiry->look();
        inquiry.reset();
        if (!f.ended.empty() || !f.other_call.empty()) throw RuntimeError(waited_in(operation, asked_at), f.text());
        if (past_limit)
          throw RuntimeError(waited_in(operation, asked_at), ", the limit (CHAINERMN_WAIT_LIMIT)",
                             f.text().empty() ? "; all ranks wait: a message between them is lost, or they call "
                                                "different operations (CHAINERMN_DEBUG=1 shows which)"
                                              : f.text());
        if (f.lowest) warn(waited_in(operation, asked_at) + f.text());
        ask_after = asked_at * 10;
      }
    }
    const int us = waited < 200e-6 ? 0 : waited < 2 ? 20 : waited < 20 ? 100 : 1000;
    if (pause)
      pause(us);
    else if (us == 0)
      std::this_thread::yield();
    else {
      if (!precise) precise.emplace();
      std::this_thread::sleep_for(std::chrono::microseconds(us));
    }
  }
}

}  // namespace chainer::mn
