// SPDX-License-Identifier: MIT
#include "chainer/array/recording/hoist_constants.h"

#include <algorithm>

#include "chainer/array/order.h"

namespace chainer::recording {
namespace {

class ConstantHoister {
 public:
  ConstantHoister(Phase& phase, std::vector<Slot>& slots, const Device& device)
      : phase_(phase), slots_(slots), device_(device), use_(slots.size()) {
    for (int at = 0; at < count(); ++at) {
      const Step& s = step(at);
      for (int i = 0; i < static_cast<int>(s.operands.size()); ++i)
        (writes(s, i) ? use_[slot_of(s, i)].writers : use_[slot_of(s, i)].readers).push_back(at);
    }
    for (const int r : phase.results) use_[operand(r)].result = true;
  }

  void run() {
    for (int at = 0; at < count(); ++at) hoisted_.push_back(step(at).pure && step(at).writes > 0);
    for (bool again = true; again;) {
      again = false;
      for (int at = 0; at < count(); ++at)
        if (hoisted(at) && !may_hoist(at)) hoisted_[static_cast<std::size_t>(at)] = false, again = true;
    }
    std::vector<Step> left;
    for (int at = 0; at < count(); ++at) (hoisted(at) ? phase_.hoisted : left).push_back(std::move(step(at)));
    phase_.steps = std::move(left);
    for (std::size_t s = 0; s < slots_.size(); ++s)
      if (is_hoisted(s)) keep(s);
  }

 private:
  struct Use {
    std::vector<int> writers, readers;
    bool result = false;
  };
  int count() const { return static_cast<int>(phase_.steps.size()); }
  Step& step(int at) const { return phase_.steps[static_cast<std::size_t>(at)]; }
  bool hoisted(int at) const { return hoisted_[static_cast<std::size_t>(at)]; }
  std::size_t operand(int i) const {
    return static_cast<std::size_t>(phase_.operands[static_cast<std::size_t>(i)].slot);
  }
  std::size_t slot_of(const Step& s, int i) const { return operand(s.operands[static_cast<std::size_t>(i)]); }
  static bool writes(const Step& s, int i) { return i >= static_cast<int>(s.operands.size()) - s.writes; }

  bool may_hoist(int at) const {
    const Step& s = step(at);
    for (int i = 0; i < static_cast<int>(s.operands.size()); ++i)
      if (!(writes(s, i) ? may_write(slot_of(s, i)) : stays(slot_of(s, i)))) return false;
    return true;
  }
  // Returns true if the slot's elements are the same in each run.
  bool stays(std::size_t slot) const {
    const Slot& s = slots_[slot];
    const bool given = s.kind == Slot::Kind::constant || (s.kind == Slot::Kind::bound && s.member);
    return given && use_[slot].writers.empty() ? true : may_write(slot);
  }
  // Returns true if all steps that write to the slot are hoisted, and run before any other step reads it.
  bool may_write(std::size_t slot) const {
    const Slot& s = slots_[slot];
    const Use& u = use_[slot];
    if ((s.kind != Slot::Kind::internal && s.kind != Slot::Kind::constant) || u.result || u.writers.empty())
      return false;
    for (const int at : u.writers)
      if (!hoisted(at)) return false;
    for (const int at : u.readers)
      if (!hoisted(at) && at < u.writers.back()) return false;
    return true;
  }
  bool is_hoisted(std::size_t slot) const { return !use_[slot].writers.empty() && hoisted(use_[slot].writers[0]); }

  void keep(std::size_t slot) {
    Slot& s = slots_[slot];
    s.kind = Slot::Kind::constant;
    s.written = false;
    s.constant = Array(Shape{s.bytes}, uint8, device_);
    const bool is_read =
        std::any_of(use_[slot].readers.begin(), use_[slot].readers.end(), [&](int at) { return !hoisted(at); });
    if (!is_read) phase_.passing.push_back(static_cast<int>(slot));
  }

  Phase& phase_;
  std::vector<Slot>& slots_;
  Device device_;
  std::vector<Use> use_;  // by slot
  std::vector<bool> hoisted_;
};

}  // namespace

void hoist_constants(Phase& phase, std::vector<Slot>& slots, const Device& device) {
  ConstantHoister(phase, slots, device).run();
}

}  // namespace chainer::recording
