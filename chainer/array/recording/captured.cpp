// SPDX-License-Identifier: MIT
// Replays on a device as graphs. A graph contains addresses, so all memory that it uses must be the same at each
// launch: internal slots have memory that the tape keeps; results are handed out again when no other array refers to
// them; parameters usually stay where they are, and elsewhere a new graph is made. An argument at a new address is
// copied to memory of the tape from then on.
#include <algorithm>
#include <utility>

#include "chainer/array/backend.h"
#include "chainer/array/deferred/deferred.h"
#include "chainer/array/order.h"
#include "chainer/array/recording/tape.h"
#include "chainer/core/error.h"
#include "chainer/core/warnings.h"

namespace chainer::recording {
namespace {

constexpr int kRunsBefore = 4;            // until programs have been compiled, and plans selected
constexpr std::size_t kMostCaptures = 4;  // of a phase, for results that are in use
constexpr int kMostMade = 32;             // then parameters move too often
constexpr std::size_t kFewSteps = 2;      // fewer are launched by themselves

bool is_free(const Capture& c) {
  return std::all_of(c.results.begin(), c.results.end(), [](const Array& a) { return a.body().refs.value() == 1; });
}

void give_up(Captures& c) {
  c.given_up = true;
  c.all.clear();
}

}  // namespace

bool Tape::may_capture(Phase& p) {
  if (device.is_host() || p.captures.given_up || p.steps.empty()) return false;
  return !p.captures.all.empty() || ++p.captures.runs >= kRunsBefore;
}

std::vector<const void*> Tape::addresses(const Phase& p) const {
  std::vector<const void*> out;
  for (const auto& use : p.bound) {
    const Slot& s = slots[static_cast<std::size_t>(use.slot)];
    if (!s.array) throw RuntimeError("static_graph: an array of the call no longer exists");
    out.push_back(s.array.body().data);
  }
  for (const auto& use : p.results_used) {
    const Slot& s = slots[static_cast<std::size_t>(use.slot)];
    if (s.phase != p.number) out.push_back(s.array.body().data);
  }
  return out;
}

// Copies arguments whose addresses differ from the capture's to memory of the tape. Returns false if other arrays
// differ, or arguments that steps write to.
bool Tape::give_own_memory(Phase& p, const Capture& c, const std::vector<const void*>& now) {
  std::vector<Slot*> moved;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] == c.addresses[i]) continue;
    if (i >= p.bound.size()) return false;
    Slot& s = slots[static_cast<std::size_t>(p.bound[i].slot)];
    if (s.member || s.written || s.own || !is_dense(s.array.body())) return false;
    moved.push_back(&s);
  }
  for (Slot* const s : moved) {
    const Array* const like[] = {&s->array};
    s->own = empty_in_order(s->shape, s->dtype, device, result_order(like), "static_graph");
    if (s->own.strides() != s->array.strides()) {
      s->own = Array();
      return false;
    }
    copy_elements(s->array, s->own);
    force(s->own.body());
    s->given = std::exchange(s->array, s->own);
    ++s->binding;
  }
  return true;
}

Capture* Tape::find_capture(Phase& p, const std::vector<const void*>& now) {
  for (Capture& c : p.captures.all)
    if (c.addresses == now && is_free(c)) return &c;
  return nullptr;
}

// What a launch does not do by itself: pending reads of written memory run first, and writes are counted.
void Tape::announce_writes(Phase& p) {
  for (const Step& step : p.steps)
    for (std::size_t i = step.operands.size() - static_cast<std::size_t>(step.writes); i < step.operands.size(); ++i) {
      const Operand& o = p.operands[static_cast<std::size_t>(step.operands[i])];
      if (slots[static_cast<std::size_t>(o.slot)].kind == Slot::Kind::bound)
        before_write(p.arrays[static_cast<std::size_t>(step.operands[i])].body());
    }
}

bool Tape::run_captured(Phase& p) {
  Captures& all = p.captures;
  // The results of the last run belong to the caller only.
  for (const auto& use : p.results_used)
    if (Slot& s = slots[static_cast<std::size_t>(use.slot)]; s.phase == p.number) s.array = Array();
  std::vector<const void*> now = addresses(p);
  Capture* found = find_capture(p, now);
  if (!found)
    for (const Capture& c : all.all)
      if (c.addresses != now && give_own_memory(p, c, now)) {
        now = addresses(p);
        found = find_capture(p, now);
        break;
      }
  if (!found) {
    if (all.all.size() == kMostCaptures) {
      const auto unused = std::find_if(all.all.begin(), all.all.end(), is_free);
      if (unused == all.all.end()) return false;
      all.all.erase(unused);
    }
    if (++all.made > kMostMade) {
      warn(chainer::text("static_graph: parameters of a replay on ", device,
                         " move in memory at most calls, so its steps are ", "launched one by one from now on"));
      give_up(all);
      return false;
    }
    if (p.number > 0 && !all.block.data) all.block = block_for(p.bytes);
    Capture c;
    c.addresses = now;
    for (const auto& use : p.results_used) {
      const Slot& s = slots[static_cast<std::size_t>(use.slot)];
      c.results.push_back(s.phase == p.number ? empty_in_order(s.shape, s.dtype, device, s.order, "static_graph")
                                              : Array(Shape{0}, s.dtype, device));
    }
    connect(p, static_cast<char*>((p.number > 0 ? all.block : block_).data), &c.results);
    announce_writes(p);
    const bool complete = capture_steps(p, c);
    if (complete) all.all.push_back(std::move(c));
    return true;
  }
  connect(p, static_cast<char*>((p.number > 0 ? all.block : block_).data), &found->results);
  announce_writes(p);
  for (const Capture::Part& part : found->parts)
    if (part.work)
      part.work->launch();
    else
      run_steps(p, part.begin, part.end);
  return true;
}

// Runs the steps, and notes how. Returns false if the device captures later, or never.
bool Tape::capture_steps(Phase& p, Capture& c) {
  deferred::run_all(device);  // otherwise pending computations could run within the capture
  Backend& backend = device.backend();
  std::size_t at = 0;
  while (at < p.steps.size()) {
    std::size_t end = at;
    while (end < p.steps.size() && !p.steps[end].of_host) ++end;
    if (end - at < kFewSteps) {
      end = std::max(end, at + 1);
      run_steps(p, at, end);
      if (c.parts.empty() || c.parts.back().work)
        c.parts.push_back({at, end, nullptr});
      else
        c.parts.back().end = end;
      at = end;
      continue;
    }
    std::size_t step = at;
    try {
      std::shared_ptr<CapturedWork> work = backend.capture(device.index(), [&] {
        for (; step < end; ++step) {
          run_steps(p, step, step + 1);
          // A composition may leave its result pending.
          for (const int i : p.steps[step].operands) force(p.arrays[static_cast<std::size_t>(i)].body());
        }
      });
      if (!work) {
        run_steps(p, at, p.steps.size());
        return false;
      }
      work->launch();
      c.parts.push_back({at, end, std::move(work)});
      at = end;
    } catch (const DeviceError& e) {
      warn(chainer::text("static_graph: the steps of a replay on ", device, " cannot be captured and are launched one ",
                         "by one: ", e.what()));
      give_up(p.captures);
      run_steps(p, at, p.steps.size());
      return false;
    } catch (const NotCaptured&) {
      p.steps[std::min(step, end - 1)].of_host = true;  // the next attempt ends before it
    }
  }
  return true;
}

}  // namespace chainer::recording
