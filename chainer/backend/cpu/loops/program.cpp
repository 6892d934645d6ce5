// SPDX-License-Identifier: MIT
// Executes programs of the deferred evaluator: all instructions on one block, then on the next block. Registers are
// blocks that stay in the first-level cache; only leaves are read from memory, and only results are written.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "chainer/array/operations/ops.h"
#include "chainer/array/order.h"
#include "chainer/backend/common/loop.h"
#include "chainer/array/deferred/pending.h"
#include "chainer/backend/cpu/compiled/plan.h"
#include "chainer/backend/cpu/loops/accumulate.h"
#include "chainer/backend/cpu/loops/program.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

using Kind = Program::Instruction::Kind;

// Scratch memory of a thread, reused by programs.
char* scratch(std::size_t bytes) {
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  struct Buffer {
    std::unique_ptr<char, Free> data;
    std::size_t size = 0;
  };
  // Through a pointer: the Python module has little room for memory of threads.
  thread_local const auto own = std::make_unique<Buffer>();
  Buffer& b = *own;
  if (b.size < bytes) {
    const std::size_t size = (bytes + 4095) / 4096 * 4096;
    b.data.reset(static_cast<char*>(std::aligned_alloc(64, size)));
    b.size = b.data ? size : 0;
    if (!b.data) throw std::bad_alloc();
  }
  return b.data.get();
}

// An instruction with its kernels and operands resolved.
struct Step {
  Kind kind;
  ElementKernel kernel;
  LoadKernel load;
  StoreKernel store;
  void (*round)(float* out, const float* in, int64_t n);
  int out, in[3];
  const char* source;
  int64_t item, out_item;
  int loop;
};
// The address of a slot's block: base + step * (position in the space); step is 0 for registers. For a constant, whose
// elements repeat, the position is taken modulo its period.
struct Address {
  char* base;
  int64_t step;
  int64_t period = 0;
  char* at(int64_t position) const { return base + step * (period ? position % period : position); }
};

using Addresses = SmallVector<Address, 8>;  // of all slots

bool computes(Dtype d) { return d == Dtype::float32 || d == Dtype::float64 || d == Dtype::int64 || d == Dtype::bool_; }
Compute as_compute(Dtype d) { return d == Dtype::bool_ ? kMask : compute_type(d); }

class Runner {
 public:
  explicit Runner(const Program& p) : program_(p), k_(kernels()) {
    for (const auto& s : p.slots)
      addresses_.push_back(s.memory ? Address{s.memory->data, item_size(s.dtype)} : Address{nullptr, 0});
    int64_t item = 1;
    for (const auto& s : p.slots)
      item = std::max(item, is_floating(s.dtype) ? std::max<int64_t>(4, item_size(s.dtype)) : item_size(s.dtype));
    register_ = kBlock * item;
    for (const auto& i : p.constants) constants_.push_back(resolve(i));
    for (const auto& i : p.code)
      if (reads_rounded(p, i))
        same_.push_back({i.out, i.in[0]});
      else
        code_.push_back(resolve(i));
    find_plan();
  }
  void stretch(int64_t begin, int64_t end) const {
    const Addresses addresses = thread_addresses();
    for (int64_t at = begin; at < end; at += kBlock) block(addresses, at, std::min(kBlock, end - at));
  }
  void run() {
    const Traversal& t = program_.traversal;
    if (program_.reductions.empty())
      plain();
    else if (t.columns)
      columns(t);
    else if (t.width <= kBlock)
      short_rows(t);
    else
      long_rows(t);
  }

 private:
  const Program::Slot& slot(int s) const { return program_.slots[static_cast<std::size_t>(s)]; }

  Step resolve(const Program::Instruction& i) {
    Step s{i.kind, nullptr, nullptr, nullptr, nullptr, i.out, {i.in[0], i.in[1], i.in[2]}, nullptr, 0, 0, -1};
    const Dtype to = slot(i.out).dtype;
    s.out_item = item_size(to);
    if (i.kind == Kind::kernel) {
      s.kernel = k_.elementwise[compute_type(i.compute)][static_cast<int>(i.op)];
      if (!s.kernel) throw DtypeError(name(i.op), ": not defined for dtype ", i.compute);
    } else if (i.kind == Kind::load) {
      const Strides strides = permuted(i.source->effective_strides(), program_.order);
      const Strides order = contiguous_strides(program_.space);
      loops_.push_back(make_loop<2>(program_.space, {&order, &strides}, 2, false));
      s.loop = static_cast<int>(loops_.size()) - 1;
      s.source = i.source->data;
      s.item = item_size(i.source->dtype);
      s.load = k_.load[as_compute(to)][static_cast<int>(i.source->dtype)];
    } else {
      const bool rounded = is_rounded(slot(i.in[0]));
      const Dtype from = rounded ? float32 : slot(i.in[0]).dtype;
      if (is_rounded(slot(i.out))) {
        s.round = k_.round[to == bfloat16];
        if (from == float64) {  // (rounded once, not to float32 first)
          s.store = k_.store[kF64][static_cast<int>(to)];
          s.load = k_.load[kF32][static_cast<int>(to)];
        } else if (from != float32) {
          s.load = k_.load[kF32][static_cast<int>(from)];
        }
      } else if (computes(to)) {
        s.load = k_.load[as_compute(to)][static_cast<int>(from)];
      } else {
        s.store = k_.store[as_compute(from)][static_cast<int>(to)];
      }
    }
    return s;
  }

  // Returns the addresses of one thread's slots: registers in scratch memory, with constants filled.
  Addresses thread_addresses() const {
    const int registers = plan_ ? plan_->register_count : program_.registers;
    char* memory = scratch(static_cast<std::size_t>(registers * register_));
    Addresses addresses = addresses_;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      if (program_.slots[i].memory) continue;
      const int own = plan_ ? plan_->registers[i] : -1;
      addresses[i] = {memory + (own >= 0 ? own : program_.slots[i].reg) * register_, 0};
    }
    for (const auto& [out, in] : same_)
      addresses[static_cast<std::size_t>(out)] = addresses[static_cast<std::size_t>(in)];
    for (const Step& s : constants_) fill_constant(s, addresses[static_cast<std::size_t>(s.out)]);
    return addresses;
  }

  // Repeats a constant's elements, so that a block may begin anywhere in the period.
  void fill_constant(const Step& s, Address& address) const {
    const int64_t period = program_.slots[static_cast<std::size_t>(s.out)].period;
    if (period == 1) return s.load(address.base, s.source, 0, kBlock);
    static_assert(Program::kLongestPeriod <= kBlock);
    load(s, address.base, 0, period);
    const int64_t all = (kBlock + period) * s.out_item;
    for (int64_t have = period * s.out_item; have < all; have *= 2)
      std::memcpy(address.base + have, address.base, static_cast<std::size_t>(std::min(have, all - have)));
    address.step = s.out_item;
    address.period = period;
  }
  void load(const Step& s, char* out, int64_t at, int64_t n) const {
    const Loop<2>& loop = loops_[static_cast<std::size_t>(s.loop)];
    loop.walk(1, at, n, [&](int64_t offset, int64_t position, int64_t run) {
      s.load(out + position * s.out_item, s.source + offset * s.item, loop.ndim ? loop.stride[1][0] : 1, run);
    });
  }

  void block(const Addresses& addresses, int64_t at, int64_t n) const {
    if (!plan_) {
      for (const Step& s : code_) run(s, addresses, at, n);
      return;
    }
    for (std::size_t i = 0; i < plan_->items.size(); ++i) {
      const LoopPlan::Item& item = plan_->items[i];
      if (!item.loop.function) {
        run(code_[steps_[i]], addresses, at, n);
        continue;
      }
      SmallVector<char*, 16> operands;
      for (const LoopPlan::Operand& o : item.operands)
        operands.push_back(o.slot >= 0 ? addresses[static_cast<std::size_t>(o.slot)].at(at) : source(o.load, at));
      item.loop.run(operands.data(), n);
    }
  }
  // The elements of a dense source of a load.
  char* source(int load, int64_t at) const {
    const ArrayBody& b = *program_.code[static_cast<std::size_t>(load)].source;
    return b.data + at * item_size(b.dtype);
  }

  void run(const Step& s, const Addresses& addresses, int64_t at, int64_t n) const {
    const auto pointer = [&](int slot) -> char* {
      if (slot < 0) return nullptr;
      return addresses[static_cast<std::size_t>(slot)].at(at);
    };
    char* out = pointer(s.out);
    if (s.kind == Kind::kernel) {
      s.kernel(out, pointer(s.in[0]), pointer(s.in[1]), pointer(s.in[2]), n);
    } else if (s.kind == Kind::convert) {
      const char* in = pointer(s.in[0]);
      if (s.store && s.load) {
        uint16_t rounded[kBlock];
        s.store(rounded, 1, in, n);
        return s.load(out, rounded, 1, n);
      }
      if (s.round && s.load) s.load(out, std::exchange(in, out), 1, n);
      if (s.round)
        s.round(reinterpret_cast<float*>(out), reinterpret_cast<const float*>(in), n);
      else if (s.load)
        s.load(out, pointer(s.in[0]), 1, n);
      else
        s.store(out, 1, pointer(s.in[0]), n);
    } else {
      load(s, out, at, n);
    }
  }

  Compute reduced_type(const Program::Reduction& s) const {
    return as_compute(program_.slots[static_cast<std::size_t>(s.in)].dtype);
  }
  const char* reduced_block(const Program::Reduction& s, const Addresses& addresses, int64_t at) const {
    return addresses[static_cast<std::size_t>(s.in)].at(at);
  }
  static char* result(const Program::Reduction& s, int64_t i) { return s.out->data + i * item_size(s.out->dtype); }

  void plain() {
    const int64_t size = program_.space.product();
    parallel_ranges(size, size, kBlock, [&](int64_t begin, int64_t end) { stretch(begin, end); });
  }

  // Reduced runs shorter than a block: as many at a time as fit.
  void short_rows(const Traversal& t) {
    const int64_t group = kBlock / t.width;
    parallel_ranges((t.outer + group - 1) / group, t.outer * t.width, 1, [&](int64_t begin, int64_t end) {
      const Addresses addresses = thread_addresses();
      for (int64_t g = begin; g < end; ++g) {
        const int64_t first = g * group, count = std::min(group, t.outer - first), at = first * t.width;
        block(addresses, at, count * t.width);
        for (const Program::Reduction& s : program_.reductions) {
          const Compute c = reduced_type(s);
          const char* x = reduced_block(s, addresses, at);
          for (int64_t r = 0; r < count; ++r) {
            Accumulator part = Accumulator::start(s.op), total = part;
            part.add_block(k_, s.op, c, x + r * t.width * compute_size(c), t.width);
            total.add_part(s.op, c, part);
            total.store(k_, c, s.out->dtype, result(s, first + r));
          }
        }
      }
    });
  }

  void long_rows(const Traversal& t) {
    const int64_t parts = (t.width + kPart - 1) / kPart, units = t.outer * parts;
    const std::size_t reductions = program_.reductions.size();
    std::vector<Accumulator> partial(static_cast<std::size_t>(units) * reductions);
    parallel_ranges(units, t.outer * t.width, 1, [&](int64_t begin, int64_t end) {
      const Addresses addresses = thread_addresses();
      for (int64_t u = begin; u < end; ++u) {
        Accumulator* a = &partial[static_cast<std::size_t>(u) * reductions];
        for (std::size_t i = 0; i < reductions; ++i) a[i] = Accumulator::start(program_.reductions[i].op);
        const int64_t row = u / parts * t.width, last = std::min(t.width, (u % parts + 1) * kPart);
        for (int64_t x = u % parts * kPart; x < last; x += kBlock) {
          const int64_t n = std::min(kBlock, last - x);
          block(addresses, row + x, n);
          for (std::size_t i = 0; i < reductions; ++i) {
            const Program::Reduction& s = program_.reductions[i];
            a[i].add_block(k_, s.op, reduced_type(s), reduced_block(s, addresses, row + x), n);
          }
        }
      }
    });
    for (std::size_t i = 0; i < reductions; ++i) {
      const Program::Reduction& s = program_.reductions[i];
      const Compute c = reduced_type(s);
      for (int64_t o = 0; o < t.outer; ++o) {
        Accumulator total = Accumulator::start(s.op);
        for (int64_t u = o * parts; u < (o + 1) * parts; ++u)
          total.add_part(s.op, c, partial[static_cast<std::size_t>(u) * reductions + i]);
        total.store(k_, c, s.out->dtype, result(s, o));
      }
    }
  }

  void columns(const Traversal& t) {
    std::vector<ColumnReduction> reductions;
    bool in_place = code_.empty();
    for (const Program::Reduction& s : program_.reductions) {
      reductions.push_back({s.op, reduced_type(s)});
      in_place = in_place && program_.slots[static_cast<std::size_t>(s.in)].memory;
    }
    reduce_columns(
        k_, t.outer, t.rows, t.width, reductions, in_place, [&] { return thread_addresses(); },
        [&](const Addresses& addresses, const ColumnBlock& b, ColumnAccumulator* sums) {
          const int64_t at = (b.outer * t.rows + b.row) * t.width + b.first;
          block(addresses, at, b.rows * b.width);
          for (std::size_t i = 0; i < reductions.size(); ++i)
            sums[i].add_rows(k_, reductions[i].op, reductions[i].c,
                             reduced_block(program_.reductions[i], addresses, at), b);
        },
        [&](int64_t o, int64_t first, int64_t n, const ColumnAccumulator* sums) {
          for (std::size_t i = 0; i < reductions.size(); ++i) {
            const Program::Reduction& s = program_.reductions[i];
            sums[i].store(k_, s.op, reductions[i].c, s.out->dtype, result(s, o * t.width + first), 1, n);
          }
        });
  }

  // Compiled loops, if this program has some.
  void find_plan() {
    SmallVector<bool, 16> dense(program_.code.size());
    SmallVector<std::size_t, 16> step(program_.code.size());
    for (std::size_t i = 0, next = 0; i < dense.size(); ++i) {
      if (reads_rounded(program_, program_.code[i])) continue;
      const Step& s = code_[next];
      dense[i] = s.kind == Kind::load && loops_[static_cast<std::size_t>(s.loop)].dense(1);
      step[i] = next++;
    }
    plan_ = loop_plan(program_, {dense.data(), dense.size()});
    if (!plan_) return;
    for (const LoopPlan::Item& item : plan_->items)
      steps_.push_back(item.instruction < 0 ? 0 : step[static_cast<std::size_t>(item.instruction)]);
  }

  const Program& program_;
  const Kernels& k_;
  std::shared_ptr<const LoopPlan> plan_;
  SmallVector<std::size_t, 4> steps_;  // of the plan's items
  int64_t register_ = 0;               // size in bytes
  Addresses addresses_;
  std::vector<Step> constants_;
  SmallVector<Step, 4> code_;
  std::vector<Loop<2>> loops_;
  std::vector<std::pair<int, int>> same_;  // slots that are the registers of others
};

}  // namespace

bool is_rounded(const Program::Slot& s) { return !s.memory && is_floating(s.dtype) && item_size(s.dtype) == 2; }
bool reads_rounded(const Program& p, const Program::Instruction& i) {
  const auto slot = [&](int s) -> const Program::Slot& { return p.slots[static_cast<std::size_t>(s)]; };
  return i.kind == Kind::convert && is_rounded(slot(i.in[0])) && slot(i.out).dtype == float32 && !slot(i.out).memory;
}

void CpuBackend::run(const Program& program) { Runner(program).run(); }

Stretch stretches(const Program& program) {
  return
      [runner = std::make_shared<const Runner>(program)](int64_t begin, int64_t end) { runner->stretch(begin, end); };
}

}  // namespace chainer::cpu
