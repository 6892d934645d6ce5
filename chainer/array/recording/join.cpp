// SPDX-License-Identifier: MIT
#include "chainer/array/recording/join.h"

#include <algorithm>

#include "chainer/array/host_kernels/convolution.h"

namespace chainer::recording {

Program& ProgramStep::on(Array* const* x) {
  const auto at = [&](int k) { return k < 0 ? nullptr : &x[k]->body(); };
  for (std::size_t i = 0; i < slots.size(); ++i) program.slots[i].memory = at(slots[i]);
  for (std::size_t i = 0; i < constants.size(); ++i) program.constants[i].source = at(constants[i]);
  for (std::size_t i = 0; i < code.size(); ++i) program.code[i].source = at(code[i]);
  for (std::size_t i = 0; i < reductions.size(); ++i) program.reductions[i].out = at(reductions[i]);
  return program;
}

namespace {

class Joiner {
 public:
  Joiner(Phase& phase, const std::vector<Slot>& slots) : phase_(phase), slots_(slots) {}

  void run() {
    for (std::size_t at = 0; at < phase_.steps.size(); ++at)
      if (phase_.steps[at].program) join(at);
    std::erase_if(phase_.steps, [](const Step& s) { return s.operands.empty() && !s.run && !s.kernel; });
  }

 private:
  const Operand& operand(int i) const { return phase_.operands[static_cast<std::size_t>(i)]; }
  int slot_of(int i) const { return operand(i).slot; }
  static int first_written(const Step& s) { return static_cast<int>(s.operands.size()) - s.writes; }
  bool touches(const Step& s, int slot, int from = 0) const {
    for (std::size_t i = static_cast<std::size_t>(from); i < s.operands.size(); ++i)
      if (slot_of(s.operands[i]) == slot) return true;
    return false;
  }
  bool writes(const Step& s, int slot) const { return touches(s, slot, first_written(s)); }

  // Fuses the program at `at` with the last convolution whose result it reads, if possible.
  void join(std::size_t at) {
    const Step& then = phase_.steps[at];
    if (!then.program->program.reductions.empty()) return;
    for (std::size_t i = at; i-- > 0;) {
      const Step& c = phase_.steps[i];
      if (!c.convolution || !touches(then, slot_of(c.operands.back()))) continue;
      if (may_join(i, at)) make(i, at);
      return;
    }
  }

  bool may_join(std::size_t from, std::size_t at) const {
    const Step &c = phase_.steps[from], &then = phase_.steps[at];
    const ProgramStep& p = *then.program;
    const int result = c.operands.back();
    if (operand(result).dtype != float32 || p.program.space.product() != operand(result).shape.product()) return false;
    // The program must read the result in place, in its memory order.
    bool reads = false;
    for (std::size_t i = 0; i < then.operands.size(); ++i) {
      if (slot_of(then.operands[i]) != slot_of(result)) continue;
      const bool in_order = std::find(p.slots.begin(), p.slots.end(), static_cast<int>(i)) != p.slots.end();
      const bool otherwise =
          std::find(p.code.begin(), p.code.end(), static_cast<int>(i)) != p.code.end() ||
          std::find(p.constants.begin(), p.constants.end(), static_cast<int>(i)) != p.constants.end();
      if (then.operands[i] != result || !in_order || otherwise) return false;
      reads = true;
    }
    // No step between them may use the result, and the convolution's operands must not change before the program ends.
    for (std::size_t i = from + 1; i < at; ++i)
      if (touches(phase_.steps[i], slot_of(result))) return false;
    for (std::size_t i = from + 1; i <= at; ++i)
      for (int k = 0; k < first_written(c); ++k)
        if (writes(phase_.steps[i], slot_of(c.operands[static_cast<std::size_t>(k)]))) return false;
    return reads;
  }

  // Returns the operand of the program whose memory can hold the convolution's result; -1 if there is none.
  int place_for(std::size_t from, std::size_t at) const {
    const Step &c = phase_.steps[from], &then = phase_.steps[at];
    const int result = c.operands.back();
    const Slot& own = slots_[static_cast<std::size_t>(slot_of(result))];
    if (own.kind != Slot::Kind::internal || own.saved || own.phase != phase_.number) return -1;
    for (std::size_t i = 0; i < phase_.steps.size(); ++i)
      if (i != from && i != at && touches(phase_.steps[i], slot_of(result))) return -1;
    for (const int r : phase_.results)
      if (slot_of(r) == slot_of(result)) return -1;
    const ProgramStep& p = *then.program;
    const auto slot_at = [&](int position) {
      return static_cast<int>(std::find(p.slots.begin(), p.slots.end(), position) - p.slots.begin());
    };
    int mine = -1;
    for (int i = 0; i < first_written(then); ++i)
      if (then.operands[static_cast<std::size_t>(i)] == result) mine = slot_at(i);
    if (mine < 0 || std::count(p.slots.begin(), p.slots.end(), p.slots[static_cast<std::size_t>(mine)]) != 1) return -1;
    int last_read = -1;
    for (std::size_t i = 0; i < p.program.code.size(); ++i)
      for (const int in : p.program.code[i].in)
        if (in == mine) last_read = static_cast<int>(i);
    for (int k = first_written(then); k < static_cast<int>(then.operands.size()); ++k) {
      const int target = then.operands[static_cast<std::size_t>(k)];
      const Operand &o = operand(target), &r = operand(result);
      if (o.dtype != r.dtype || o.shape != r.shape || o.contiguous != r.contiguous || o.strides != r.strides) continue;
      // It must be written once, after the last read of the result.
      int first_write = -1;
      const int slot = slot_at(k);
      bool is_read = false;
      for (std::size_t i = 0; i < p.program.code.size(); ++i) {
        for (const int in : p.program.code[i].in) is_read = is_read || (in == slot && first_write < 0);
        if (p.program.code[i].out == slot && first_write < 0) first_write = static_cast<int>(i);
      }
      for (int i = 0; i < first_written(then); ++i)
        is_read = is_read || slot_of(then.operands[static_cast<std::size_t>(i)]) == slot_of(target);
      if (first_write >= last_read && !is_read) return target;
    }
    return -1;
  }
  void make(std::size_t from, std::size_t at) {
    const int place = place_for(from, at);
    Step c = std::move(phase_.steps[from]);
    phase_.steps[from] = Step();
    Step& then = phase_.steps[at];
    Step joined;
    joined.name = "convolution program";
    if (place >= 0) {
      for (std::size_t i = 0; i < then.operands.size(); ++i)
        if (then.operands[i] == c.operands.back()) then.operands[i] = place;
      c.operands.back() = place;
    }
    // x, W, an optional bias, the program's operands, y.
    const std::size_t inputs = c.operands.size() - 1, all = inputs + then.operands.size();
    for (std::size_t i = 0; i < inputs; ++i) joined.operands.push_back(c.operands[i]);
    for (const int o : then.operands) joined.operands.push_back(o);
    joined.operands.push_back(c.operands.back());
    joined.writes = then.writes + 1;
    joined.run = [plan = c.convolution, program = then.program, inputs, all](Array* const* x) {
      const Array none;
      host_kernels::convolution_then({Convolution::forward, *plan, *x[0], *x[1], inputs == 3 ? *x[2] : none, *x[all]},
                                     program->on(x + inputs));
    };
    then = std::move(joined);
  }

  Phase& phase_;
  const std::vector<Slot>& slots_;
};

}  // namespace

void join_convolutions(Phase& phase, const std::vector<Slot>& slots) { Joiner(phase, slots).run(); }

}  // namespace chainer::recording
