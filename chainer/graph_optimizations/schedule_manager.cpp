// SPDX-License-Identifier: MIT
#include "chainer/graph_optimizations/schedule_manager.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>

#include "chainer/autograd/function_hook.h"
#include "chainer/autograd/function_node.h"
#include "chainer/graph_optimizations/schedule.h"
#include "chainer/graph_optimizations/static_schedule_function.h"
#include "chainer/links/link_hook.h"

namespace chainer {
namespace {

using static_graphs::Members;
using static_graphs::Schedule;
using static_graphs::Use;

// With minimize_cache_size, the memory that schedules not in use may take.
constexpr int64_t kMostBytes = int64_t(32) << 20;

// Recording costs credit, replays earn it: a recording takes about as much longer than define-by-run as a few replays
// save. Calls that are neither recorded nor replayed earn a little, because later calls may repeat.
constexpr int64_t kPrice = 64, kSaved = 16, kWaited = 1, kMostCredit = 16 * kPrice;
// The number of calls that are not recorded for lack of credit before a warning is printed.
constexpr int64_t kPatience = 256;

// If this many calls wait for their gradients at once, as the steps of a recurrent network do, define-by-run joins
// their products for the gradients of weights. Unless the weights are few, this saves more than replays.
constexpr int kMostAtOnce = 4;
constexpr int64_t kFewWeights = 2048;

thread_local bool inside = false;

// Marks this thread as running a static chain.
struct Inside {
  explicit Inside(const char* name) {
    if (inside)
      throw RuntimeError("static_graph: ", name,
                         " is called within another static chain: mark only the outermost one as static");
    inside = true;
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { inside = false; }
};

void append_layout(std::vector<int64_t>& key, const Array& a) {
  key.push_back(static_cast<int64_t>(a.dtype()));
  key.push_back(a.ndim());
  for (const int64_t n : a.shape()) key.push_back(n);
  key.push_back(a.is_contiguous());
  if (!a.is_contiguous())
    for (const int64_t n : a.strides()) key.push_back(n);
}

// Everything, except the elements of arrays, that a recorded call may depend on.
std::vector<int64_t> key_of(const Variables& args, const std::vector<int64_t>& nesting, const Members& members,
                            bool graph) {
  const Config& c = config();
  std::vector<int64_t> key;
  key.reserve(16 + 8 * (args.size() + members.parameters.size() + members.arrays.size()));
  for (const int64_t n : {int64_t(c.train), int64_t(graph), int64_t(c.in_recomputing), int64_t(c.winograd),
                          int64_t(c.dtype.get().parameters), int64_t(c.dtype.get().products.value_or(bool_)),
                          static_cast<int64_t>(args.size())})
    key.push_back(n);
  key.insert(key.end(), nesting.begin(), nesting.end());
  const Device device = static_graphs::device_of(args, members);
  key.push_back(static_cast<int64_t>(reinterpret_cast<intptr_t>(&device.backend())));
  key.push_back(device.index());
  for (const Variable& x : args) {
    key.push_back(x ? 1 + x.requires_grad() : 0);
    if (x) append_layout(key, x.array());
  }
  for (const Parameter& p : members.parameters) {
    key.push_back(p.variable().requires_grad());
    append_layout(key, p.array());
  }
  for (const Array* a : members.arrays) append_layout(key, *a);
  for (const double n : members.numbers) {
    int64_t bits;
    static_assert(sizeof bits == sizeof n);
    std::copy_n(reinterpret_cast<const char*>(&n), sizeof n, reinterpret_cast<char*>(&bits));
    key.push_back(bits);
  }
  return key;
}

bool all_on_one_device(const Variables& args, const Members& members) {
  const Device device = static_graphs::device_of(args, members);
  const auto here = [&](const Array& a) { return a.device() == device; };
  return std::all_of(args.begin(), args.end(), [&](const Variable& x) { return !x || here(x.array()); }) &&
         std::all_of(members.parameters.begin(), members.parameters.end(),
                     [&](const Parameter& p) { return here(p.array()); }) &&
         std::all_of(members.arrays.begin(), members.arrays.end(), [&](const Array* a) { return here(*a); });
}

// The reason why a call is not recorded, or nullptr.
const char* obstacle(const StaticGraphOptions& options, const Variables& args, const Members& members, bool graph) {
  if (!members.complete) return "a parameter has no shape yet";
  if (function_hook_count > 0 || !get_link_hooks().empty() || static_graphs::have_hooks(members)) return "hooks";
  if (config().debug) return "debug mode";
  if (options.enable_double_backprop && graph) return "gradients may need a graph";
  if (options.force_test_define_by_run && !config().train) return "test mode";
  return all_on_one_device(args, members) ? nullptr : "arrays on several devices";
}

}  // namespace

struct ScheduleManager::State {
  std::mutex mutex;
  std::vector<std::shared_ptr<Schedule>> all;
  std::string refused;
  Counts counts;
  uint64_t clock = 0;
  bool untidy = false;  // true if some schedules may have to be removed
  int64_t credit = kMostCredit;
  int64_t denied = 0, too_many = 0;
  std::atomic<bool> together = false;           // permanently: calls with a graph are not replayed
  std::map<std::vector<int64_t>, int> in_vain;  // number of recordings that were never differentiated

  // Returns a schedule for this call that no other call uses, or nullptr.
  std::shared_ptr<Schedule> acquire(const std::vector<int64_t>& key, const Members& members);
  // Returns true if enough calls with large weights wait for their gradients.
  bool many_at_once(const Members& members);
  // Returns true if a call without a schedule may record one.
  bool may_record(const std::vector<int64_t>& key);
  void keep(const std::shared_ptr<Schedule>& schedule, bool minimize);

 private:
  void tidy();
};

ScheduleManager::ScheduleManager(const StaticGraphOptions& options)
    : options_(options), state_(std::make_shared<State>()) {}

void ScheduleManager::say(int level, const char* name, const std::string& what) const {
  if (options_.verbosity_level >= level) std::fprintf(stderr, "static_graph of %s: %s\n", name, what.c_str());
}

void ScheduleManager::State::tidy() {
  for (const auto& e : all) {
    if (e->taken) continue;
    e->check();
    if (refused.empty()) refused = e->refused();
  }
  // A recording that was not differentiated cannot be completed later: it is removed, to be recorded again.
  std::erase_if(all, [&](const auto& e) {
    if (e->taken) return false;
    if (e->complete()) return !e->refused().empty();
    if (in_vain.size() >= 256) in_vain.clear();
    ++in_vain[e->key];
    return true;
  });
  untidy = false;
}

std::shared_ptr<Schedule> ScheduleManager::State::acquire(const std::vector<int64_t>& key, const Members& members) {
  const std::lock_guard lock(mutex);
  if (untidy) tidy();
  if (!refused.empty()) return nullptr;
  for (const auto& e : all) {
    if (e->taken || e->key != key || !e->fits(members)) continue;
    if (e->is_recording()) {  // end_forward() was called while results of the recording call still exist
      e->finish();
      e->check();
      if (!e->refused().empty()) {
        refused = e->refused();
        return nullptr;
      }
    }
    e->taken = true;
    e->last_use = ++clock;
    ++e->use;
    credit = std::min(credit + kSaved, kMostCredit);
    if (!in_vain.empty()) in_vain.erase(key);
    return e;
  }
  return nullptr;
}

bool ScheduleManager::State::many_at_once(const Members& members) {
  const std::lock_guard lock(mutex);
  if (together) return true;
  if (static_cast<int>(all.size()) < kMostAtOnce) return false;
  if (std::count_if(all.begin(), all.end(), [](const auto& e) { return e->taken && !e->leaves.empty(); }) < kMostAtOnce)
    return false;
  int64_t weights = 0;
  for (const Parameter& p : members.parameters) weights += p.variable().requires_grad() ? p.array().size() : 0;
  if (weights <= kFewWeights) return false;
  together = ++too_many >= kPatience && 4 * too_many >= counts.replayed;
  return true;
}

bool ScheduleManager::State::may_record(const std::vector<int64_t>& key) {
  const std::lock_guard lock(mutex);
  const auto vain = in_vain.find(key);
  const int64_t price = kPrice << (vain == in_vain.end() ? 0 : std::min(vain->second, 4));
  if (credit < price) {
    credit += kWaited;
    ++denied;
    return false;
  }
  credit -= price;
  return true;
}

void ScheduleManager::State::keep(const std::shared_ptr<Schedule>& schedule, bool minimize) {
  schedule->last_use = ++clock;
  all.push_back(schedule);
  if (!minimize) return;
  int64_t bytes = 0;
  for (const auto& e : all) bytes += e->bytes();
  while (bytes > kMostBytes) {
    auto least = all.end();
    for (auto it = all.begin(); it != all.end(); ++it)
      if (!(*it)->taken && (least == all.end() || (*it)->last_use < (*least)->last_use)) least = it;
    if (least == all.end()) return;
    bytes -= (*least)->bytes();
    all.erase(least);
  }
}

Variables ScheduleManager::call(const char* name, const static_graphs::Function& f, const Variables& args,
                                const std::vector<int64_t>& nesting, const std::vector<Link*>& links,
                                std::any* structure) {
  const Inside guard(name);
  const auto itself = [&](const char* why) {
    say(2, name, chainer::text("runs define-by-run: ", why));
    const std::lock_guard lock(state_->mutex);
    ++state_->counts.define_by_run;
  };
  if (!refused().empty() || (state_->together && config().enable_backprop)) {  // before links are walked
    itself(state_->together ? "define-by-run joins the products of many calls" : "it was refused");
    return f(args);
  }
  const Members members = Members::of(links);
  bool wants = false;
  for (const Variable& x : args) wants = wants || (x && x.requires_grad());
  const bool graph = config().enable_backprop && (wants || !members.parameters.empty());
  if (const char* why = obstacle(options_, args, members, graph)) {
    itself(why);
    return f(args);
  }

  if (graph && state_->many_at_once(members)) {
    warn(chainer::text(
        "static_graph of ", name, ": more than ", kMostAtOnce, " of its calls are differentiated together, ",
        "and the rest run define-by-run, which joins their products: mark the loop around them as static"));
    itself("define-by-run joins the products of many calls");
    return f(args);
  }
  const std::vector<int64_t> key = key_of(args, nesting, members, graph);
  std::shared_ptr<Schedule> schedule = state_->acquire(key, members);
  if (!schedule && !refused().empty()) {
    say(1, name, "runs define-by-run from now on: " + refused());
    itself("it was refused");
    return f(args);
  }
  const bool replays = schedule != nullptr;
  if (!replays && !state_->may_record(key)) {
    tell_once(name);
    itself("recording does not pay");
    return f(args);
  }
  if (!replays) schedule = std::make_shared<Schedule>(key), schedule->taken = true, schedule->use = 1;
  // Releases the schedule when neither results nor graph refer to it.
  const auto use = std::make_shared<Use>(schedule, schedule->use, [state = state_](Schedule& s, uint64_t number) {
    const std::lock_guard lock(state->mutex);
    if (s.use != number) return;
    s.tape.release();
    s.finish();
    s.taken = false;
    state->untidy = state->untidy || s.is_recording() || !s.complete();
  });
  use->differentiated = [state = state_](Schedule& s, uint64_t number) {
    const std::lock_guard lock(state->mutex);
    if (s.use == number && !s.is_recording()) s.taken = false;  // another call may use it
  };

  Variables results;
  if (!replays) {
    results = schedule->record(f, args, links, graph);
    if (structure) schedule->structure = *structure;
    {
      const std::lock_guard lock(state_->mutex);
      ++state_->counts.recorded;
      if (schedule->refused().empty())
        state_->keep(schedule, options_.minimize_cache_size);
      else
        state_->refused = schedule->refused();
    }
    if (!schedule->refused().empty()) {
      say(1, name, "runs define-by-run from now on: " + schedule->refused());
      return results;
    }
    say(1, name, chainer::text("recorded a schedule, forward in ", schedule->tape.phases[0]->steps.size(), " steps"));
  } else {
    if (options_.verbosity_level >= 1 && schedule->use == 2) {
      schedule->tape.prepare();
      say(1, name, "replays\n" + schedule->text());
    }
    say(2, name, "replays a schedule");
    const std::lock_guard lock(state_->mutex);
    ++state_->counts.replayed;
    if (structure) *structure = schedule->structure;
  }

  const auto replay = [&] {
    Arrays in;
    for (const Variable& x : args)
      if (x) in.push_back(x.array());
    return schedule->replay(in, members);
  };
  if (!graph || (schedule->leaves.empty() && !wants)) {
    if (!replays) return results;
    for (Array& a : replay()) results.push_back(std::move(a));
    return results;
  }
  SmallVector<const Variable*, 8> inputs;
  const Variable none(Array(Shape{0}), false);  // stands for an empty argument
  for (const Variable& x : args) inputs.push_back(x ? &x : &none);
  for (const std::size_t i : schedule->leaves) inputs.push_back(&members.parameters[i].variable());
  const auto compute = [&]() -> Arrays {
    if (replays) return replay();
    Arrays out;
    for (const Variable& y : results) out.push_back(y.array());
    return out;
  };
  return apply_function(FunctionNode::make(static_graphs::StaticScheduleFunction(use, compute)), inputs.data(),
                        inputs.size());
}

// Warns when most calls are neither replayed nor recorded.
void ScheduleManager::tell_once(const char* name) const {
  const std::lock_guard lock(state_->mutex);
  if (state_->denied != kPatience || state_->counts.replayed >= kPatience) return;
  const char* const why = state_->in_vain.empty()
                              ? "calls differ from each other, by shapes or by numbers in links"
                              : "gradients could be computed but are not (predict inside NoBackpropMode)";
  warn(chainer::text("static_graph of ", name, ": ", state_->counts.recorded, " calls were recorded and ",
                     state_->counts.replayed, " replayed, since ", why, ": most run define-by-run from now on"));
}

void ScheduleManager::end_forward() {
  const std::lock_guard lock(state_->mutex);
  for (const auto& s : state_->all) s->taken = false;
  state_->untidy = true;
}

void ScheduleManager::clear() {
  const std::lock_guard lock(state_->mutex);
  std::erase_if(state_->all, [](const auto& e) { return !e->taken; });
}

std::size_t ScheduleManager::size() const {
  const std::lock_guard lock(state_->mutex);
  return state_->all.size();
}
std::string ScheduleManager::refused() const {
  const std::lock_guard lock(state_->mutex);
  return state_->refused;
}
void ScheduleManager::refuse(const std::string& why) {
  const std::lock_guard lock(state_->mutex);
  if (state_->refused.empty()) state_->refused = why;
}
ScheduleManager::Counts ScheduleManager::counts() const {
  const std::lock_guard lock(state_->mutex);
  return state_->counts;
}
std::string ScheduleManager::text() const {
  const std::lock_guard lock(state_->mutex);
  std::string out;
  for (const auto& s : state_->all)
    if (!s->taken) out += s->text();
  return out;
}

}  // namespace chainer
