// SPDX-License-Identifier: MIT
// Evaluation: collects the pending operations on which an array depends, decides which results are stored, and builds a
// program.
#include "chainer/array/deferred/evaluation.h"

#include <algorithm>
#include <chrono>
#include <unordered_set>

#include "chainer/array/backend.h"
#include "chainer/array/deferred/positions.h"
#include "chainer/array/operations/ops.h"
#include "chainer/array/order.h"
#include "chainer/array/recording/watch.h"
#include "chainer/core/parallel.h"

namespace chainer {

std::string Program::names() const {
  std::string s;
  const auto add = [&](std::string_view n) { s += (s.empty() ? "" : " ") + std::string(n); };
  for (const Instruction& i : code)
    if (i.kind == Instruction::Kind::kernel) add(name(i.op));
  for (const Reduction& k : reductions) add(name(k.op));
  return s;
}

namespace deferred {
namespace {

using Kind = Pending::Kind;

Pending* waiting(const ArrayBody& b) { return b.pending.load(std::memory_order_acquire); }

// Sets this thread's treatment of denormal numbers during its lifetime; the thread pool adopts it.
class FloatMode {
 public:
  explicit FloatMode(bool flush) : before_(cpu::denormals_flushed()) { set(flush); }
  ~FloatMode() { set(before_); }
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

 private:
  static void set(bool flush) {
    if (flush != cpu::denormals_flushed()) cpu::flush_denormals(flush);
  }
  bool before_;
};

constinit thread_local int programs_running = 0;
struct Running {
  Running() { ++programs_running; }
  ~Running() { --programs_running; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
};

// An array in the program: a computed value, or a leaf in memory.
struct Value {
  ArrayBody* body;
  uint32_t inside = 0;  // number of operands in this program that are this value
  int last = -1;        // the last instruction that uses it
  bool root = false, stored = false;
  float cost = 0;
  SmallVector<std::pair<Dtype, int>, 2> slots;  // by dtype: its own, and conversions
};

class Planner {
 public:
  /// Plans the computation of `root` in the layout of `top`, which has no gaps.
  Planner(Registry& r, const ArrayBody& root, const ArrayBody& top, bool flush_denormals)
      : registry_(r), visit_(++r.visits), root_(root), top_(top), flush_denormals_(flush_denormals) {
    if (!top.contiguous) program.order = memory_order(top.shape, top.strides);
    program.space = permuted(top.shape, program.order);
  }
  bool fits(const ArrayBody& b) const { return b.device == top_.device && same_layout(b, top_); }

  // Adds the pending computations on which `body` depends. Returns an array that must be computed first, without adding
  // anything; or nullptr.
  ArrayBody* collect(ArrayBody& body) {
    const std::size_t nodes = nodes_.size(), leaves = leaves_.size();
    meetings_ = 0;
    if (met(body)) return ++meetings_, nullptr;
    SmallVector<ArrayBody*, 16> stack;
    stack.push_back(&body);
    while (!stack.empty()) {
      ArrayBody& b = *stack.back();
      if (met(b)) {
        stack.pop_back();
        continue;
      }
      const Pending* p = waiting(b);
      if (!p) {
        positions_.add(b, static_cast<int32_t>(leaves_.size()));
        leaves_.push_back({&b, 0, -1, false, false, 0, {}});
        stack.pop_back();
        continue;
      }
      // (What was begun outside of a recording is no part of it.)
      const bool apart = recording::any() && b.recorded >> 32 != root_.recorded >> 32;
      if (p->kind != Kind::elementwise || apart || !fits(b) || p->flush_denormals != flush_denormals_) {
        undo(nodes, leaves);
        return &b;
      }
      bool complete = true;
      for (int i = 0; i < p->count; ++i) {
        ArrayBody& in = *p->in[i];
        if (met(in)) {
          meetings_ += met_before(in, nodes, leaves);
          continue;
        }
        stack.push_back(&in);
        complete = false;
      }
      if (!complete) continue;
      stack.pop_back();
      b.visit = visit_;
      b.position = static_cast<int32_t>(nodes_.size());
      nodes_.push_back({&b, 0, -1, false, false, 0, {}});
    }
    return nullptr;
  }

  bool add_root(ArrayBody& body) {
    if (collect(body)) return false;
    value(body).root = true;
    return true;
  }
  // Adds a reduction if its traversal matches those added before. With `joined`, only if it shares an operand with
  // them.
  bool add_reduction(Pending& p, bool joined) {
    if (!reductions_.empty() && !(p.traversal == program.traversal)) return false;
    if (p.flush_denormals != flush_denormals_) return false;
    const std::size_t nodes = nodes_.size(), leaves = leaves_.size();
    if (collect(*p.in[0])) return false;
    if (joined && meetings_ == 0) {
      undo(nodes, leaves);
      return false;
    }
    if (reductions_.empty()) program.traversal = p.traversal;
    reductions_.push_back(&p);
    return true;
  }

  // Adds pending reductions that read an array of this program, directly or through other operations over its space.
  // The number of readers considered is proportional to the program's length.
  void join_reductions(const Pending* except) {
    constexpr std::size_t kMostJoined = 16;
    std::size_t patience = 64 + 2 * (nodes_.size() + leaves_.size());
    SmallVector<ArrayBody*, 16> read;
    for (const Value& v : nodes_) read.push_back(v.body);
    for (const Value& v : leaves_) read.push_back(v.body);
    std::unordered_set<const Pending*> seen;
    std::vector<Pending*> reductions;
    Computations readers;
    for (std::size_t i = 0; i < read.size() && patience > 0; ++i) {
      ArrayBody& b = *read[i];
      readers_in(registry_, b.owner(), patience, readers);
      patience -= std::min(patience, readers.size());
      for (Pending* p : readers) {
        if (p == except || (waiting(*p->body) && met(*p->body))) continue;
        // What was begun outside of a recording is no part of it.
        if (p->body->recorded >> 32 != except->body->recorded >> 32) continue;
        if (std::none_of(p->in.begin(), p->in.end(), [&](const auto& in) { return in.get() == &b; })) continue;
        if (!seen.insert(p).second) continue;
        if (p->kind == Kind::elementwise && fits(*p->body)) read.push_back(p->body);
        if (p->kind == Kind::reduce && fits(*p->in[0])) reductions.push_back(p);
      }
    }
    if (reductions.size() > kMostJoined) reductions.resize(kMostJoined);
    for (Pending* p : reductions) add_reduction(*p, true);
  }

  void plan() {
    if (reductions_.empty()) program.traversal = {false, 1, 1, program.space.product()};
    choose_stored();
    emit();
  }
  void run() {
    const Running here;
    const recording::Computing root(root_);
    for (const Value& v : nodes_)
      if (v.stored && !v.body->block.data) v.body->allocate(name(waiting(*v.body)->op));
    const auto start = std::chrono::steady_clock::now();
    {
      const FloatMode mode(flush_denormals_);
      (nodes_.empty() ? leaves_ : nodes_)[0].body->device.backend().run(program);
    }
    ++registry_.programs;
    registry_.operations += static_cast<int64_t>(program.code.size());
    if (observed()) observe(program, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    // Releasing operands may destroy arrays of this program, so those with results are held meanwhile.
    SmallVector<Ref<ArrayBody>, 4> done;
    for (const Value& v : nodes_)
      if (v.stored) done.push_back(Ref<ArrayBody>(v.body));
    for (const Pending* p : reductions_) done.push_back(Ref<ArrayBody>(p->body));
    for (const Ref<ArrayBody>& b : done) {
      Pending* p = waiting(*b);
      b->pending.store(nullptr, std::memory_order_release);
      hold_if_read(registry_, *b);
      release(registry_, p);
    }
  }

  Program program;

 private:
  // Pending arrays are in nodes_ (their bodies hold the position, guarded by the registry's lock), all others in
  // leaves_.
  static bool is_node(const ArrayBody& b) { return waiting(b) != nullptr; }
  bool met(const ArrayBody& b) const { return is_node(b) ? b.visit == visit_ : positions_.find(b) >= 0; }
  void undo(std::size_t nodes, std::size_t leaves) {
    for (; nodes_.size() > nodes; nodes_.pop_back()) nodes_.back().body->visit = 0;
    for (; leaves_.size() > leaves; leaves_.pop_back()) positions_.remove(*leaves_.back().body);
  }
  bool met_before(const ArrayBody& b, std::size_t nodes, std::size_t leaves) const {
    return is_node(b) ? static_cast<std::size_t>(b.position) < nodes
                      : static_cast<std::size_t>(positions_.find(b)) < leaves;
  }
  Value& value(const ArrayBody& b) {
    return is_node(b) ? nodes_[static_cast<std::size_t>(b.position)]
                      : leaves_[static_cast<std::size_t>(positions_.find(b))];
  }

  // Results with handles outside the program are stored if recomputing them costs more than a few additions.
  void choose_stored() {
    const int end = static_cast<int>(nodes_.size());
    for (int i = 0; i < end; ++i) {
      const Pending& p = *waiting(*nodes_[static_cast<std::size_t>(i)].body);
      for (int k = 0; k < p.count; ++k) {
        Value& v = value(*p.in[k]);
        ++v.inside;
        v.last = i;
      }
    }
    for (const Pending* p : reductions_) {
      Value& v = value(*p->in[0]);
      ++v.inside;
      v.last = end;
    }
    for (Value& v : nodes_) {
      const Pending& p = *waiting(*v.body);
      v.cost = cost(p.op);
      for (int k = 0; k < p.count; ++k)
        if (is_node(*p.in[k]) && !value(*p.in[k]).stored) v.cost += value(*p.in[k]).cost;
      v.stored = v.root || (v.body->refs.value() > v.inside && v.cost > kCheap);
    }
  }

  int new_register(Dtype dtype) {
    int reg;
    if (free_.empty()) {
      reg = program.registers++;
    } else {
      reg = free_.back();
      free_.pop_back();
    }
    program.slots.push_back({nullptr, reg, dtype});
    return static_cast<int>(program.slots.size()) - 1;
  }
  int memory_slot(ArrayBody& b) {
    program.slots.push_back({&b, -1, b.dtype});
    return static_cast<int>(program.slots.size()) - 1;
  }

  // Returns the number of elements of the space after which an operand repeats.
  int64_t period_of(const ArrayBody& b) const {
    const Strides strides = permuted(b.effective_strides(), program.order);
    int64_t period = 1, inside = 1;
    for (int d = program.space.ndim() - 1; d >= 0; --d) {
      inside *= program.space[d];
      if (program.space[d] != 1 && strides[d] != 0) period = inside;
    }
    return period;
  }

  // Returns the slot of a value converted to `dtype`, which is its own or a compute dtype.
  int slot(ArrayBody& b, Dtype dtype) {
    for (const auto& [d, s] : value(b).slots)
      if (d == dtype) return s;
    int s;
    if (is_node(b)) {
      s = new_register(dtype);
      program.code.push_back({Program::Instruction::Kind::convert, {}, dtype, s, {value(b).slots[0].second}, nullptr});
    } else if (fits(b) && b.dtype == dtype && dtype != Dtype::bool_) {
      s = memory_slot(b);  // (the bytes of a bool array must first be normalized to 0 or 1)
    } else {
      const int64_t period = period_of(b);
      const bool constant = period <= Program::kLongestPeriod;
      if (constant) {
        program.slots.push_back({nullptr, program.registers, dtype, period});
        program.registers += period == 1 ? 1 : 2;
        s = static_cast<int>(program.slots.size()) - 1;
      } else {
        s = new_register(dtype);
      }
      auto& code = constant ? program.constants : program.code;
      code.push_back({Program::Instruction::Kind::load, {}, dtype, s, {}, &b});
      if (constant) constants_.insert(s);
    }
    value(b).slots.push_back({dtype, s});
    return s;
  }

  // Frees the registers of operands whose last use is instruction `at`.
  void free_after(const Pending& p, int at) {
    for (int k = 0; k < p.count; ++k) {
      Value& v = value(*p.in[k]);
      if (v.last != at) continue;
      v.last = -1;  // only once, even if the operand occurs twice
      for (const auto& [d, s] : v.slots) {
        const int reg = program.slots[static_cast<std::size_t>(s)].reg;
        if (reg >= 0 && !constants_.contains(s)) free_.push_back(reg);
      }
    }
  }

  void emit() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const int at = static_cast<int>(i);
      Value& v = nodes_[i];
      const Pending& p = *waiting(*v.body);
      Program::Instruction kernel{Program::Instruction::Kind::kernel, p.op, p.compute, -1, {-1, -1, -1}, nullptr};
      bool same_size = true;
      const Dtype made = category(p.op) == Category::compare ? Dtype::bool_ : p.compute;
      for (int k = 0; k < p.count; ++k) {
        const bool mask = p.op == Elementwise::where && k == 0;
        kernel.in[k] = slot(*p.in[k], mask ? Dtype::bool_ : p.compute);
        same_size &= item_size(mask ? Dtype::bool_ : p.compute) == item_size(made);
      }
      // A kernel may write to an operand's register only if the element sizes agree.
      if (same_size) free_after(p, at);
      const bool direct = made == v.body->dtype;
      kernel.out = direct && v.stored ? memory_slot(*v.body) : new_register(made);
      program.code.push_back(kernel);
      int result = kernel.out;
      if (!direct) {
        result = v.stored ? memory_slot(*v.body) : new_register(v.body->dtype);
        program.code.push_back({Program::Instruction::Kind::convert, {}, v.body->dtype, result, {kernel.out}, nullptr});
        free_.push_back(program.slots[static_cast<std::size_t>(kernel.out)].reg);
      }
      v.slots.push_back({v.body->dtype, result});
      if (!same_size) free_after(p, at);
    }
    for (const Pending* p : reductions_) {
      program.reductions.push_back({p->reduction, slot(*p->in[0], compute_dtype(p->in[0]->dtype)), p->body});
    }
  }

  Registry& registry_;
  uint64_t visit_;
  Positions positions_;
  const ArrayBody &root_, &top_;
  bool flush_denormals_;
  int meetings_ = 0;
  SmallVector<Value, 4> nodes_, leaves_;
  SmallVector<Pending*, 2> reductions_;
  SmallVector<int, 8> free_;
  std::unordered_set<int> constants_;  // slots
};

}  // namespace

bool running() { return programs_running > 0; }

// The number of unsuitable candidates after which the search for arrays of the same pass ends.
constexpr int kMostRefused = 64;

void evaluate_all_locked(Registry& r, std::span<ArrayBody* const> bodies) {
  // Sorted by size, so that the search finds arrays over one space.
  std::vector<ArrayBody*> sorted(bodies.begin(), bodies.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const ArrayBody* a, const ArrayBody* b) { return a->size < b->size; });
  for (std::size_t i = 0; i < sorted.size(); ++i)
    evaluate_locked(r, *sorted[i], std::span<ArrayBody* const>(sorted).subspan(i + 1));
}

void evaluate_locked(Registry& r, ArrayBody& root, std::span<ArrayBody* const> also) {
  while (Pending* p = waiting(root)) {
    if (p->kind == Kind::view) {
      ArrayBody& owner = *root.base;
      evaluate_locked(r, owner, also);
      root.data = owner.data + p->offset * item_size(root.dtype);
      root.pending.store(nullptr, std::memory_order_release);
      release(r, p);
      return;
    }
    const bool reduction = p->kind == Kind::reduce;
    ArrayBody& top = reduction ? *p->in[0] : root;
    Planner planner(r, root, top, p->flush_denormals);
    if (ArrayBody* first = planner.collect(top)) {
      const Ref<ArrayBody> hold(first);
      evaluate_locked(r, *first, {});
      continue;
    }
    if (reduction)
      planner.add_reduction(*p, false);
    else
      planner.add_root(root);
    int refused = 0;
    for (ArrayBody* b : also) {
      const Pending* q = waiting(*b);
      if (!q || b == &root) continue;
      if (q->kind == Kind::elementwise && planner.fits(*b) && planner.add_root(*b)) continue;
      if (++refused == kMostRefused) break;
    }
    planner.join_reductions(p);
    planner.plan();
    planner.run();
  }
}

}  // namespace deferred
}  // namespace chainer
