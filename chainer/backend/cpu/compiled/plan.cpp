// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/compiled/plan.h"

#include <algorithm>
#include <optional>

#include "chainer/array/body.h"
#include "chainer/array/operations/ops.h"
#include "chainer/backend/cpu/loops/program.h"

namespace chainer::cpu {
namespace {

using ProgramKind = Program::Instruction::Kind;
using Format = FusedLoop::Format;
using LoopKind = FusedLoop::Kind;

bool is_half(Dtype d) { return d == Dtype::float16 || d == Dtype::bfloat16; }
Format format_of(Dtype d) {
  return d == Dtype::float16    ? Format::float16
         : d == Dtype::bfloat16 ? Format::bfloat16
         : d == Dtype::bool_    ? Format::mask
                                : Format::float32;
}

// What an instruction of a loop does.
struct Operation {
  LoopKind kind;
  Elementwise op = Elementwise::copy;
};
// Returns nothing for conversions that loops do not have.
std::optional<Operation> conversion(Dtype from, Dtype to) {
  const bool number = from == Dtype::float32 || is_half(from);
  if (to == Dtype::float32 && number) return Operation{LoopKind::kernel};
  if (to == from && (number || from == Dtype::bool_)) return Operation{LoopKind::kernel};
  if (from == Dtype::float32 && is_half(to))
    return Operation{to == Dtype::float16 ? LoopKind::to_float16 : LoopKind::to_bfloat16};
  if (to == Dtype::bool_ && number) return Operation{LoopKind::to_mask};
  if (to == Dtype::float32 && from == Dtype::bool_) return Operation{LoopKind::from_mask};
  return std::nullopt;
}

// Plans one program, with at most `longest` instructions in a loop.
class LoopPlanner {
 public:
  LoopPlanner(const Program& p, std::span<const bool> dense, std::size_t longest)
      : p_(p),
        dense_(dense),
        longest_(longest),
        same_(p.slots.size()),
        constant_(p.slots.size()),
        last_use_(p.slots.size(), -1),
        used_later_(p.slots.size()) {
    for (std::size_t s = 0; s < same_.size(); ++s) same_[s] = static_cast<int>(s);
    for (const Program::Slot& s : p.slots) narrow_.push_back(s.dtype == Dtype::bfloat16);
    for (const Program::Instruction& i : p.constants) {
      constant_[static_cast<std::size_t>(i.out)] = true;
      if (i.source->dtype == Dtype::bfloat16) narrow_[static_cast<std::size_t>(i.out)] = true;
    }
  }

  // Returns false if a loop could not be compiled.
  bool plan(LoopPlan& plan) {
    order();
    find_uses();
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (!add(groups_[i], plan)) return false;
    assign_registers(plan);
    return true;
  }

 private:
  using Group = std::vector<int>;  // numbers of instructions

  const Program::Instruction& at(int i) const { return p_.code[static_cast<std::size_t>(i)]; }
  const Program::Slot& slot(int s) const { return p_.slots[static_cast<std::size_t>(s)]; }
  bool in_register(int s) const { return !slot(s).memory && !constant_[static_cast<std::size_t>(s)]; }
  // A register of a 16-bit dtype holds floats that are rounded to it.
  Format format(int s) const {
    const Program::Slot& x = slot(s);
    return !x.memory && is_half(x.dtype) ? Format::float32 : format_of(x.dtype);
  }

  std::optional<Operation> joined(int number) const {
    const Program::Instruction& i = at(number);
    const Dtype to = slot(i.out).dtype;
    if (i.kind == ProgramKind::convert) return conversion(slot(i.in[0]).dtype, to);
    if (i.kind == ProgramKind::load)
      return dense_[static_cast<std::size_t>(number)] ? conversion(i.source->dtype, to) : std::nullopt;
    if (i.compute != Dtype::float32 || !compiles(i.op)) return std::nullopt;
    return Operation{LoopKind::kernel, i.op};
  }
  template <class F>
  void each_operand(const Program::Instruction& i, F&& f) const {
    const int count = i.kind == ProgramKind::load ? 0 : i.kind == ProgramKind::convert ? 1 : 3;
    for (int k = 0; k < count; ++k)
      if (const int s = i.in[static_cast<std::size_t>(k)]; s >= 0) f(same_[static_cast<std::size_t>(s)]);
  }

  // Groups the instructions that can be joined. All others move before the open group, unless they need its results.
  void order() {
    Group open;
    std::vector<bool> made(p_.slots.size());  // by the open group
    const auto close = [&] {
      if (!open.empty()) groups_.push_back(std::exchange(open, {}));
      std::fill(made.begin(), made.end(), false);
    };
    for (int i = 0; i < static_cast<int>(p_.code.size()); ++i) {
      const Program::Instruction& x = at(i);
      const auto out = static_cast<std::size_t>(x.out);
      if (reads_rounded(p_, x)) {
        same_[out] = same_[static_cast<std::size_t>(x.in[0])];
      } else if (joined(i)) {
        if (open.size() == longest_) close();
        open.push_back(i);
        made[out] = true;
      } else {
        bool needs = false;
        each_operand(x, [&](int s) { needs |= made[static_cast<std::size_t>(s)]; });
        if (needs) close();
        groups_.push_back({i});
      }
    }
    close();
  }

  // Finds the last group that uses each slot, and the slots that are used outside of the group that computes them.
  void find_uses() {
    std::vector<int> maker(p_.slots.size(), -1);
    const auto use = [&](int s, int group) {
      const auto v = static_cast<std::size_t>(s);
      last_use_[v] = group;
      if (maker[v] != group) used_later_[v] = true;
    };
    for (int g = 0; g < static_cast<int>(groups_.size()); ++g)
      for (const int i : groups_[static_cast<std::size_t>(g)]) {
        each_operand(at(i), [&](int s) { use(s, g); });
        maker[static_cast<std::size_t>(at(i).out)] = g;
      }
    for (const Program::Reduction& r : p_.reductions)
      use(same_[static_cast<std::size_t>(r.in)], static_cast<int>(groups_.size()));
  }

  bool add(const Group& group, LoopPlan& plan) const {
    if (group.size() == 1) {
      plan.items.push_back({.instruction = group[0], .loop = {}, .operands = {}});
      return true;
    }
    FusedLoop loop;
    std::vector<LoopPlan::Operand> operands;      // by value
    std::vector<int> value(p_.slots.size(), -1);  // by slot
    const auto new_value = [&](FusedLoop::Value v, LoopPlan::Operand o) {
      loop.values.push_back(v);
      operands.push_back(o);
      return static_cast<int>(loop.values.size()) - 1;
    };
    for (const int number : group) {
      const Program::Instruction& i = at(number);
      const Operation does = *joined(number);
      const bool stored = slot(i.out).memory || used_later_[static_cast<std::size_t>(i.out)];
      FusedLoop::Instruction x{does.kind, does.op, -1, {-1, -1, -1}};
      if (i.kind == ProgramKind::load) {
        x.in[0] = new_value(
            {.format = format_of(i.source->dtype), .loaded = true, .narrow = i.source->dtype == Dtype::bfloat16},
            {.load = number});
        if (!stored && does.kind == LoopKind::kernel) {
          value[static_cast<std::size_t>(i.out)] = x.in[0];
          continue;
        }
      } else {
        std::size_t k = 0;
        each_operand(i, [&](int s) {
          int& v = value[static_cast<std::size_t>(s)];
          if (v < 0) {
            const bool repeated = constant_[static_cast<std::size_t>(s)] && slot(s).period == 1;
            v = new_value({.format = format(s),
                           .loaded = true,
                           .repeated = repeated,
                           .narrow = narrow_[static_cast<std::size_t>(s)]},
                          {.slot = s});
          }
          x.in[k++] = v;
        });
      }
      x.out = new_value({.format = format(i.out), .stored = stored}, {.slot = i.out});
      value[static_cast<std::size_t>(i.out)] = x.out;
      loop.code.push_back(x);
    }
    LoopPlan::Item item{.instruction = -1, .loop = compile(loop), .operands = {}};
    for (std::size_t v = 0; v < operands.size(); ++v)
      if (loop.values[v].loaded || loop.values[v].stored) item.operands.push_back(operands[v]);
    plan.items.push_back(std::move(item));
    return plan.items.back().loop.function != nullptr;
  }

  // Only slots that leave a loop need memory.
  void assign_registers(LoopPlan& plan) const {
    plan.registers.assign(p_.slots.size(), -1);
    plan.register_count = p_.registers;
    std::vector<int> unused;
    std::vector<bool> released(p_.slots.size());
    for (int g = 0; g < static_cast<int>(groups_.size()); ++g) {
      const Group& group = groups_[static_cast<std::size_t>(g)];
      for (const int i : group) {
        const auto out = static_cast<std::size_t>(at(i).out);
        if (!in_register(at(i).out) || (group.size() > 1 && !used_later_[out])) continue;
        if (unused.empty()) unused.push_back(plan.register_count++);
        plan.registers[out] = unused.back();
        unused.pop_back();
      }
      for (const int i : group)
        each_operand(at(i), [&](int s) {
          const auto v = static_cast<std::size_t>(s);
          if (last_use_[v] != g || plan.registers[v] < 0 || released[v]) return;
          released[v] = true;
          unused.push_back(plan.registers[v]);
        });
    }
  }

  const Program& p_;
  std::span<const bool> dense_;
  std::size_t longest_;
  std::vector<Group> groups_;
  std::vector<int> same_;                // the slot whose register a slot is
  std::vector<bool> constant_, narrow_;  // narrow: of bfloat16, or a constant that was
  std::vector<int> last_use_;
  std::vector<bool> used_later_;  // outside of the group that computes the slot
};

}  // namespace

std::shared_ptr<const LoopPlan> make_plan(const Program& program, std::span<const bool> dense) {
  // A loop that needs more registers than there are is divided.
  for (const std::size_t longest : {128, 32, 12, 6}) {
    const auto plan = std::make_shared<LoopPlan>();
    if (!LoopPlanner(program, dense, longest).plan(*plan)) continue;
    const bool joined =
        std::any_of(plan->items.begin(), plan->items.end(), [](const auto& i) { return i.loop.function; });
    return joined ? plan : nullptr;
  }
  return nullptr;
}

}  // namespace chainer::cpu
