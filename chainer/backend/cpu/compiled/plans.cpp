// SPDX-License-Identifier: MIT
// The plans of programs, kept for their next runs.
#include <cstdlib>
#include <mutex>
#include <new>
#include <string_view>
#include <unordered_map>

#include "chainer/array/body.h"
#include "chainer/array/operations/ops.h"
#include "chainer/backend/cpu/compiled/plan.h"
#include "chainer/core/error.h"
#include "chainer/core/system/fork.h"

namespace chainer::cpu {
namespace {

// Describes all that plans depend on.
std::string structure(const Program& p, std::span<const bool> dense) {
  std::string key;
  key.reserve(64 + 4 * p.slots.size() + 24 * (p.code.size() + p.constants.size()));
  const auto put = [&](auto... numbers) { (key.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...); };
  put(p.slots.size(), p.constants.size(), p.code.size());
  for (const Program::Slot& s : p.slots) put(s.dtype, s.memory != nullptr, s.period == 1);
  for (const Program::Instruction& i : p.constants) put(static_cast<int32_t>(i.out), i.source->dtype);
  for (std::size_t n = 0; n < p.code.size(); ++n) {
    const Program::Instruction& i = p.code[n];
    put(i.kind, i.op, i.compute, static_cast<int32_t>(i.out));
    for (const int in : i.in) put(static_cast<int32_t>(in));
    put(i.source ? i.source->dtype : Dtype::bool_, dense[n]);
  }
  for (const Program::Reduction& r : p.reductions) put(static_cast<int32_t>(r.in));
  put(static_cast<int32_t>(p.registers));
  return key;
}

enum class Mode : uint8_t { none, third, always };
Mode mode() {
  static const Mode m = [] {
    const char* const given = std::getenv("CHAINER_JIT");
    const std::string_view wish = given ? given : "";
    if (!wish.empty() && wish != "none" && wish != "always")
      throw ValueError("CHAINER_JIT must be none or always, not '", wish, "'");
    return !compiles_loops() || wish == "none" ? Mode::none : wish == "always" ? Mode::always : Mode::third;
  }();
  return m;
}

// The plans of all programs that were met. A plan is made without the lock, so that other threads go on.
class Plans {
 public:
  std::shared_ptr<const LoopPlan> find(const Program& p, std::span<const bool> dense) {
    const std::string key = structure(p, dense);
    {
      const std::lock_guard lock(mutex_);
      auto at = known_.find(key);
      if (at == known_.end()) {
        if (known_.size() >= kMost) known_.erase(known_.begin());  // which one does not matter much
        at = known_.emplace(key, Known{}).first;
      }
      Known& k = at->second;
      if (k.planned || (++k.met < kMeetings && mode() != Mode::always)) return k.plan;
      k.planned = true;  // by this thread
    }
    std::shared_ptr<const LoopPlan> plan;
    try {
      plan = make_plan(p, dense);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      known_.erase(key);
      throw;
    }
    const std::lock_guard lock(mutex_);
    compiled_ += plan != nullptr;
    if (const auto at = known_.find(key); at != known_.end()) at->second.plan = plan;
    return plan;
  }
  int64_t compiled() const {
    const std::lock_guard lock(mutex_);
    return compiled_;
  }

 private:
  static constexpr int kMeetings = 3;
  static constexpr std::size_t kMost = 1024;  // of up to 30 KB each
  struct Known {
    int met = 0;
    bool planned = false;
    std::shared_ptr<const LoopPlan> plan;
  };
  mutable ForkSafe<std::mutex> mutex_{kForkLeaf};
  int64_t compiled_ = 0;
  std::unordered_map<std::string, Known> known_;
};

// Never destroyed: threads may outlive static objects.
Plans& plans() {
  static Plans& only = *new Plans;
  return only;
}

// Returns true if a loop may be worth while: several operations that the compiler knows.
bool several(const Program& p) {
  int count = 0;
  for (const Program::Instruction& i : p.code)
    count += i.kind != Program::Instruction::Kind::kernel || (i.compute == Dtype::float32 && compiles(i.op));
  return count > 1;
}

}  // namespace

std::shared_ptr<const LoopPlan> loop_plan(const Program& program, std::span<const bool> dense) {
  if (mode() == Mode::none || !several(program)) return nullptr;
  try {
    return plans().find(program, dense);
  } catch (const std::bad_alloc&) {
    return nullptr;  // without memory for a plan, the program runs as it is
  }
}
int64_t compiled_programs() { return plans().compiled(); }
std::string loops_in_use() {
  if (mode() == Mode::none) return "one operation at a time";
  FusedLoop copy;
  copy.values = {{.loaded = true}, {.stored = true}};
  copy.code = {{FusedLoop::Kind::kernel, Elementwise::copy, 1, {0, -1, -1}}};
  return compile(copy).function ? text("compiled by ", loop_compiler())
                                : "one operation at a time (the system refuses memory for machine code)";
}

}  // namespace chainer::cpu
