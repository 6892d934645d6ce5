// SPDX-License-Identifier: MIT
#include "chainer/array/recording/tape.h"

#include <algorithm>
#include <map>
#include <utility>

#include "chainer/array/backend.h"
#include "chainer/array/order.h"
#include "chainer/array/recording/join.h"
#include "chainer/array/recording/hoist_constants.h"
#include "chainer/array/version.h"
#include "chainer/core/error.h"

namespace chainer::recording {
namespace {

constexpr int64_t kAlignment = 64, kLarge = int64_t(64) << 20;

// Returns an array on memory that it does not own. All operands of a slot are views of one owner, so that a write to
// one of them drops the derived forms (array/derived.h) of all.
Array on_memory(const Operand& o, Slot& s, const Device& device) {
  if (!s.owner) s.owner = Array(make_ref<ArrayBody>(s.shape, s.dtype, device, s.shape.product()));
  Ref<ArrayBody> b = make_ref<ArrayBody>(o.shape, o.dtype, device, o.shape.product());
  if (!o.contiguous) b->set_strides(o.strides);
  b->base = s.owner.body_ref();
  return Array(std::move(b));
}

bool is_whole(const Operand& o, const Slot& s) {
  if (o.offset != 0 || o.shape != s.shape || o.contiguous != s.dense) return false;
  return o.contiguous || o.strides == s.strides;
}

// The free ranges of a block that can grow, by offset.
class Stretches {
 public:
  int64_t take(int64_t bytes) {
    auto best = free_.end();
    for (auto it = free_.begin(); it != free_.end(); ++it)
      if (it->second >= bytes && (best == free_.end() || it->second < best->second)) best = it;
    if (best == free_.end()) {
      // The last range is extended if it reaches the end.
      int64_t at = end_;
      if (!free_.empty() && std::prev(free_.end())->first + std::prev(free_.end())->second == end_) {
        at = std::prev(free_.end())->first;
        free_.erase(std::prev(free_.end()));
      }
      end_ = at + bytes;
      return at;
    }
    const auto [at, have] = *best;
    free_.erase(best);
    if (have > bytes) free_[at + bytes] = have - bytes;
    return at;
  }
  void give(int64_t at, int64_t bytes) {
    auto it = free_.emplace(at, bytes).first;
    if (const auto next = std::next(it); next != free_.end() && at + it->second == next->first) {
      it->second += next->second;
      free_.erase(next);
    }
    if (it == free_.begin()) return;
    if (const auto before = std::prev(it); before->first + before->second == at) {
      before->second += it->second;
      free_.erase(it);
    }
  }
  int64_t end() const { return end_; }

 private:
  std::map<int64_t, int64_t> free_;
  int64_t end_ = 0;
};

}  // namespace

void Tape::bind(int slot, const Array& a) {
  Slot& s = slots[static_cast<std::size_t>(slot)];
  force(a.body());
  // (While a body is held here, its address cannot be reused.)
  if (!s.own && (!s.array || &s.array.body() != &a.body())) ++s.binding;
  s.array = a;
  if (!s.own) return;
  copy_elements(a, s.own);
  s.given = std::exchange(s.array, s.own);
}

void Tape::plan(Phase& p) {
  p.planned = true;
  if (members_stay) hoist_constants(p, slots, device);
  if (device.is_host()) join_convolutions(p, slots);
  // A constant that no step writes is read in place.
  for (Slot& s : slots)
    if (s.kind == Slot::Kind::constant && s.written) s.kind = Slot::Kind::internal;
  for (Slot& s : slots)
    if (s.kind == Slot::Kind::constant) s.data = static_cast<char*>(s.constant.mutable_raw());
  std::erase_if(p.steps, [&](const Step& step) {
    return step.constant >= 0 && slots[static_cast<std::size_t>(step.constant)].kind == Slot::Kind::constant;
  });
  std::map<int, std::vector<int>> uses;
  for (std::size_t i = 0; i < p.operands.size(); ++i) uses[p.operands[i].slot].push_back(static_cast<int>(i));
  for (const Operand& o : p.operands) {
    Slot& s = slots[static_cast<std::size_t>(o.slot)];
    p.arrays.push_back(s.kind == Slot::Kind::bound ? Array() : on_memory(o, s, device));
  }
  for (auto& [slot, operands] : uses) {
    Slot& s = slots[static_cast<std::size_t>(slot)];
    if (s.kind == Slot::Kind::constant) {
      for (const int i : operands) {
        const auto k = static_cast<std::size_t>(i);
        p.arrays[k].body().data = s.data + p.operands[k].offset;
      }
      continue;
    }
    const bool own = s.phase == p.number;
    auto& list = s.kind == Slot::Kind::bound    ? p.bound
                 : s.kind == Slot::Kind::result ? p.results_used
                 : own                          ? p.internal
                                                : p.earlier;
    list.push_back({slot, std::move(operands)});
  }
  place(p);
}

// Assigns offsets in the block; memory that is no longer used is reused by later arrays.
void Tape::place(Phase& p) {
  struct Life {
    int slot = -1, first = -1, last = -1;
  };
  std::map<int, Life> lives;
  for (std::size_t at = 0; at < p.steps.size(); ++at)
    for (const int operand : p.steps[at].operands) {
      const int slot = p.operands[static_cast<std::size_t>(operand)].slot;
      const Slot& s = slots[static_cast<std::size_t>(slot)];
      if (s.kind != Slot::Kind::internal || s.phase != p.number) continue;
      Life& l = lives[slot];
      if (l.first < 0) l = {slot, static_cast<int>(at), 0};
      l.last = s.saved ? static_cast<int>(p.steps.size()) : static_cast<int>(at);
    }
  // (An operand without steps, such as an unwritten constant, needs no memory.)
  std::vector<std::vector<const Life*>> begin(p.steps.size() + 1), end(p.steps.size() + 1);
  for (const auto& [slot, life] : lives) {
    begin[static_cast<std::size_t>(life.first)].push_back(&life);
    end[static_cast<std::size_t>(life.last)].push_back(&life);
  }
  Stretches stretches;
  std::map<int, int64_t> place;
  const auto rounded = [&](const Life& l) {
    const int64_t bytes = slots[static_cast<std::size_t>(l.slot)].bytes;
    return std::max<int64_t>((bytes + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
  };
  for (std::size_t at = 0; at < p.steps.size(); ++at) {
    for (const Life* l : begin[at]) place[l->slot] = stretches.take(rounded(*l));
    for (const Life* l : end[at]) stretches.give(place[l->slot], rounded(*l));
  }
  p.bytes = stretches.end();
  for (const auto& [slot, offset] : place) p.inside.push_back(slot), p.places.push_back(offset);
}

// Points the operands at the memory of this run.
void Tape::connect(Phase& p, char* block, const Arrays* results) {
  const auto point = [&](const Phase::Use& use) {
    char* const data = slots[static_cast<std::size_t>(use.slot)].data;
    for (const int i : use.operands)
      p.arrays[static_cast<std::size_t>(i)].body().data = data + p.operands[static_cast<std::size_t>(i)].offset;
  };
  for (std::size_t i = 0; i < p.inside.size(); ++i)
    slots[static_cast<std::size_t>(p.inside[i])].data = block + p.places[i];
  if (block != p.seen_block) {
    for (const auto& use : p.internal) point(use);
    p.seen_block = block;
  }
  if (p.number > 0 && static_cast<char*>(block_.data) != p.seen_earlier) {
    for (const auto& use : p.earlier) point(use);
    p.seen_earlier = static_cast<char*>(block_.data);
  }
  for (const auto& use : p.results_used) {
    Slot& s = slots[static_cast<std::size_t>(use.slot)];
    if (s.phase == p.number) {
      s.array = results ? (*results)[static_cast<std::size_t>(&use - p.results_used.data())]
                        : empty_in_order(s.shape, s.dtype, device, s.order, "static_graph");
      s.data = s.array.body().data;
    }
    point(use);
  }
  for (auto& use : p.bound) {
    const Slot& s = slots[static_cast<std::size_t>(use.slot)];
    if (!s.array) throw RuntimeError("static_graph: an array of the call no longer exists");
    if (use.seen == s.binding) continue;
    use.seen = 0;
    for (const int i : use.operands) {
      const Operand& o = p.operands[static_cast<std::size_t>(i)];
      Array& a = p.arrays[static_cast<std::size_t>(i)];
      if (is_whole(o, s))
        a = s.array;
      else
        a = Array(ArrayBody::view(s.array.body_ref(), o.shape, o.contiguous ? contiguous_strides(o.shape) : o.strides,
                                  o.offset / item_size(o.dtype)));
    }
    use.seen = s.binding;
  }
}

// External arrays are not kept longer than a run, even if it throws.
void Tape::let_go(Phase& p) noexcept {
  const bool first = p.number == 0;
  for (auto& use : p.bound) {
    Slot& s = slots[static_cast<std::size_t>(use.slot)];
    if (s.member) continue;
    use.seen = 0;
    for (const int i : use.operands) p.arrays[static_cast<std::size_t>(i)] = Array();
    if (first && !s.saved) s.array = s.given = Array();
  }
  for (const auto& use : p.results_used) {
    Slot& s = slots[static_cast<std::size_t>(use.slot)];
    if (s.phase == p.number && !(first && s.saved)) s.array = Array();
  }
}

// Throws RuntimeError if arrays that the first phase read or returned were written since.
void Tape::check_versions(const Phase& p) const {
  for (const auto* list : {&p.bound, &p.results_used})
    for (const auto& use : *list) {
      const Slot& s = slots[static_cast<std::size_t>(use.slot)];
      const Array& a = s.given ? s.given : s.array;
      if (s.phase == p.number || !a || memory_version(a) == s.version) continue;
      const std::string what = chainer::text("backward of a static graph: an array of shape ", a.shape(),
                                             s.kind == Slot::Kind::bound ? " that it read" : " that it returned");
      if (was_written(s.version, memory_version(a)))
        throw RuntimeError(what,
                           " was written to in place after the forward pass, but the gradient needs its old values: ",
                           "write to a copy (x.copy()), or after backward()");
      warn(chainer::text(what,
                         " was updated by an optimizer after the forward pass, so the gradient uses the new "
                         "values. Compute the loss again after an update, or call backward() for all losses "
                         "before it"));
    }
}

namespace {
template <class F>
struct AtEnd {
  explicit AtEnd(F f) : f(std::move(f)) {}
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;
  ~AtEnd() { f(); }
  F f;
};
}  // namespace

inline void Tape::run(Phase& p, const Step& step, std::vector<Array*>& many) {
  const auto operand = [&](std::size_t i) { return &p.arrays[static_cast<std::size_t>(step.operands[i])]; };
  if (step.kernel) {
    const std::size_t n = step.operands.size() - 1;
    ArrayBody& out = operand(n)->body();
    before_write(out);
    const auto data = [&](std::size_t i) { return i < n ? operand(i)->body().data : nullptr; };
    step.kernel(out.data, data(0), data(1), data(2), step.size);
    return;
  }
  Array* pointers[64];
  Array** at = pointers;
  if (step.operands.size() > std::size(pointers)) [[unlikely]] {
    many.resize(step.operands.size());
    at = many.data();
  }
  for (std::size_t i = 0; i < step.operands.size(); ++i) at[i] = operand(i);
  step.run(at);
}

void Tape::run_hoisted(Phase& p) {
  std::vector<Array*> many;
  for (const Step& step : p.hoisted) run(p, step, many);
  p.hoisted.clear();
  for (const int slot : p.passing) slots[static_cast<std::size_t>(slot)].constant = Array();
}

memory::Block Tape::block_for(int64_t bytes) const {
  if (!bytes) return {};
  const auto n = static_cast<std::size_t>(bytes);
  if (device.is_host()) return memory::allocate(n);
  // (An array, whose allocation makes room or throws a MemoryError.)
  const Array made = Array(Shape{bytes}, uint8, device, "static_graph");
  return std::exchange(made.body().block, {});
}
void Tape::release_block(memory::Block block) const noexcept {
  if (!block.data) return;
  if (device.is_host())
    memory::release(block);
  else
    device.backend().release(block, device.index());
}

void Tape::run_steps(Phase& p, std::size_t begin, std::size_t end) {
  std::vector<Array*> many;
  for (std::size_t i = begin; i < end; ++i) run(p, p.steps[i], many);
}

Arrays Tape::run(Phase& p) {
  if (!p.planned) plan(p);
  const bool fresh = !std::exchange(p.has_run, true);
  const bool first = p.number == 0;
  // The blocks that the recorded run left in the cache have other sizes.
  if (fresh && p.bytes >= kLarge && device.is_host()) memory::empty_cache();
  if (first && !block_.data) block_ = block_for(p.bytes);
  memory::Block block = first ? block_ : p.captures.block.data ? p.captures.block : block_for(p.bytes);
  const AtEnd end([&] {
    let_go(p);
    if (!first && block.data != p.captures.block.data) release_block(block);
  });
  if (!first) check_versions(p);
  if (!p.hoisted.empty()) {
    connect(p, static_cast<char*>(block.data));
    run_hoisted(p);
  }
  if (!may_capture(p) || !run_captured(p)) {
    connect(p, static_cast<char*>(block.data));
    run_steps(p, 0, p.steps.size());
  }
  Arrays out = results_of(p);
  if (first)
    for (Slot& s : slots)
      if (s.array) s.version = memory_version(s.given ? s.given : s.array);
  return out;
}

Arrays Tape::results_of(Phase& p) const {
  Arrays out;
  for (const int i : p.results) {
    const Operand& o = p.operands[static_cast<std::size_t>(i)];
    const Slot& s = slots[static_cast<std::size_t>(o.slot)];
    if (s.kind == Slot::Kind::bound) {
      out.push_back(s.given ? s.given : p.arrays[static_cast<std::size_t>(i)]);
      continue;
    }
    const ArrayBody& owner = s.array.body();
    const Strides strides = o.contiguous ? contiguous_strides(o.shape) : o.strides;
    // The results of a graph are views, so that the graph sees whether they still exist.
    const bool whole =
        p.captures.all.empty() && o.offset == 0 && o.shape == s.shape && strides == owner.effective_strides();
    out.push_back(whole ? s.array
                        : Array(ArrayBody::view(s.array.body_ref(), o.shape, strides, o.offset / item_size(o.dtype))));
  }
  return out;
}

void Tape::prepare() {
  for (const auto& phase : phases)
    if (!phase->planned) plan(*phase);
}

void Tape::release() noexcept {
  // Graphs contain the addresses of the block.
  if (std::all_of(phases.begin(), phases.end(), [](const auto& p) { return p->captures.all.empty(); })) {
    release_block(block_);
    block_ = {};
  }
  for (Slot& s : slots)
    if (!s.member) s.array = s.given = Array();
}

Tape::~Tape() {
  for (const auto& p : phases) {
    p->captures.all.clear();
    release_block(p->captures.block);
  }
  release_block(block_);
}

int64_t Tape::bytes() const {
  constexpr std::size_t kCall = 256;  // a step's function captures about this many bytes
  std::size_t n = slots.size() * (sizeof(Slot) + sizeof(ArrayBody));
  for (const auto& p : phases)
    n += p->steps.size() * (sizeof(Step) + kCall) + p->operands.size() * (sizeof(Operand) + sizeof(ArrayBody));
  auto out = static_cast<int64_t>(n);
  for (const Slot& s : slots)
    if (s.constant) out += s.constant.nbytes();
  return out;
}

std::string Tape::text(const Phase& p) const {
  std::string out;
  for (const Step& step : p.steps) {
    out += step.name;
    for (const int i : step.operands) {
      const Operand& o = p.operands[static_cast<std::size_t>(i)];
      const auto kind = static_cast<int>(slots[static_cast<std::size_t>(o.slot)].kind);
      out += chainer::text(" ", "bicr"[kind], o.slot, o.shape);
    }
    out += '\n';
  }
  return out;
}

}  // namespace chainer::recording
