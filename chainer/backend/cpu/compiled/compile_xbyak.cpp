// SPDX-License-Identifier: MIT
// Machine code for fused loops, with AVX-512, by Xbyak. Each operation has the instructions of its kernel, so that the
// results have the same bits.
#include <xbyak/xbyak.h>

#include <algorithm>

#include "chainer/array/operations/ops.h"
#include "chainer/backend/cpu/compiled/loop_values.h"
#include "chainer/backend/cpu/kernels/table.h"

namespace chainer::cpu {
namespace {

using Kind = FusedLoop::Kind;
using Format = FusedLoop::Format;
using Instruction = FusedLoop::Instruction;
using Xbyak::Zmm;

constexpr int kLanes = 16;   // floats in a vector
constexpr int kValues = 28;  // registers for values; those that follow are temporary or constant
// Bits of -0, 1 and NaN; the lowest bit that is left in bfloat16, and what it takes to round to it.
constexpr uint32_t kSign = 0x80000000, kOne = 0x3f800000, kNaN = 0x7fc00000;
constexpr uint32_t kLowest = 0x10000, kBelowHalf = 0x7fff, kUpper = 0xffff0000;
constexpr int kNowhere = -1;  // the register of a value that is in none

// Predicates of comparisons (false for NaN, if not named otherwise).
enum Predicate : uint8_t {
  eq = 0,
  unordered = 3,
  neq_or_nan = 4,
  not_le = 6,
  ordered = 7,
  lt = 17,
  le = 18,
  ge = 29,
  gt = 30
};

// Returns the numbers that rounding needs: a register each, since loads would take longer than the arithmetic.
std::vector<uint32_t> numbers_in_registers(const FusedLoop& loop) {
  const auto has = [&](Kind k) {
    return std::any_of(loop.code.begin(), loop.code.end(), [&](const Instruction& x) { return x.kind == k; });
  };
  std::vector<uint32_t> bits;
  if (has(Kind::to_float16)) bits = {kSign, kNaN};
  if (has(Kind::to_bfloat16)) bits.insert(bits.end(), {kLowest, kBelowHalf, 1, kUpper});
  return bits;
}

class Generator;
using Emit = void (*)(Generator&, Zmm out, Zmm a, Zmm b, Zmm c);
Emit emitter(Elementwise op);

class Generator : public Xbyak::CodeGenerator {
 public:
  Generator(const FusedLoop& loop, std::vector<int> last, const std::vector<uint32_t>& held, bool hoisted)
      : CodeGenerator(8192 + 512 * loop.code.size(), Xbyak::DontSetProtectRWE),
        loop_(loop),
        last_(std::move(last)),
        registers_(loop.values.size(), kNowhere),
        pointers_(loop.values.size(), -1),
        clean_(clean_values(loop)) {
    int operands = 0;
    for (std::size_t v = 0; v < loop.values.size(); ++v)
      if (loop.values[v].loaded || loop.values[v].stored) pointers_[v] = operands++;
    for (int r = kValues - 1; r >= 0; --r) free_.push_back(r);
    hoisted_ = hoisted;
    for (const uint32_t bits : held) held_.emplace_back(bits, kNowhere);
    generate();
  }

 private:
  friend Emit emitter(Elementwise op);
  // Operands, n and i in registers of the calling convention of System V; no other is preserved for the caller.
  const Xbyak::Reg64 operands_ = rdi, n_ = rsi, i_ = rcx, address_ = rax;
  const Xbyak::Opmask tail_ = k1, condition_ = k2, other_ = k3;
  const Zmm temporary_ = zmm28, second_ = zmm29, zero_ = zmm30, one_ = zmm31;

  void generate() {
    Xbyak::Label loop, tail, end;
    vpxord(zero_, zero_, zero_);
    vbroadcastss(one_, number(kOne));
    if (hoisted_)
      for (std::size_t v = 0; v < loop_.values.size(); ++v)
        if (loop_.values[v].repeated) {
          mov(address_, ptr[operands_ + 8 * pointers_[v]]);
          registers_[v] = take();
          load(Zmm(registers_[v]), loop_.values[v].format, address_, false);
        }
    for (auto& [bits, r] : held_) {
      r = take();
      vpbroadcastd(Zmm(r), number(bits));
    }
    const std::vector<int> registers = registers_, unused = free_;
    xor_(i_, i_);
    sub(n_, kLanes);
    jl(tail, T_NEAR);
    L(loop);
    body(false);
    add(i_, kLanes);
    cmp(i_, n_);
    jle(loop, T_NEAR);
    L(tail);
    add(n_, kLanes);
    sub(n_, i_);
    jz(end, T_NEAR);
    // The remaining elements, fewer than a vector has: lanes without an element are neither read nor written.
    mov(rdx, rcx);
    mov(rcx, n_);
    mov(eax, 1);
    shl(eax, cl);
    sub(eax, 1);
    kmovw(tail_, eax);
    mov(rcx, rdx);
    registers_ = registers;
    free_ = unused;
    body(true);
    L(end);
    vzeroupper();
    ret();
    for (auto& [bits, label] : numbers_) {
      L(label);
      dd(bits);
    }
  }

  void body(bool masked) {
    for (std::size_t i = 0; i < loop_.code.size(); ++i) {
      const Instruction& x = loop_.code[i];
      std::array<Zmm, 3> in;
      for (std::size_t k = 0; k < 3; ++k)
        if (x.in[k] >= 0) in[k] = value(x.in[k], masked);
      const auto out = static_cast<std::size_t>(x.out);
      registers_[out] = take();
      const Zmm result(registers_[out]);
      compute(x, result, in[0], in[1], in[2]);
      if (loop_.values[out].stored) store(result, x.out, masked);
      for (const int v : x.in) release(v, static_cast<int>(i));
      release(x.out, static_cast<int>(i));
    }
  }

  int take() {
    const int r = free_.back();
    free_.pop_back();
    return r;
  }
  void release(int v, int at) {
    if (v < 0 || last_[static_cast<std::size_t>(v)] > at) return;
    int& r = registers_[static_cast<std::size_t>(v)];
    if (r == kNowhere || (hoisted_ && loop_.values[static_cast<std::size_t>(v)].repeated)) return;
    free_.push_back(r);
    r = kNowhere;
  }

  // An address in the loop's constants.
  Xbyak::Address number(uint32_t bits, bool each = false) {
    const auto at = std::find_if(numbers_.begin(), numbers_.end(), [&](const auto& n) { return n.first == bits; });
    Xbyak::Label& label = at != numbers_.end() ? at->second : numbers_.emplace_back(bits, Xbyak::Label()).second;
    return each ? ptr_b[rip + label] : ptr[rip + label];
  }
  Xbyak::Address all(uint32_t bits) { return number(bits, true); }
  // One of the numbers that stay in registers.
  Zmm held(uint32_t bits) const {
    return Zmm(std::find_if(held_.begin(), held_.end(), [&](const auto& h) { return h.first == bits; })->second);
  }

  static Zmm masked_if(bool masked, Zmm r, const Xbyak::Opmask& k) { return masked ? r | k | Xbyak::util::T_z : r; }
  static Xbyak::Address masked_if(bool masked, const Xbyak::Address& a, const Xbyak::Opmask& k) {
    return masked ? a | k : a;
  }

  Zmm value(int v, bool masked) {
    const auto at = static_cast<std::size_t>(v);
    if (registers_[at] == kNowhere) {
      registers_[at] = take();
      const FusedLoop::Value& x = loop_.values[at];
      mov(address_, ptr[operands_ + 8 * pointers_[at]]);
      load(Zmm(registers_[at]), x.format, address_ + i_ * bytes(x.format), masked);
    }
    return Zmm(registers_[at]);
  }
  static int bytes(Format f) { return f == Format::float32 ? 4 : f == Format::mask ? 1 : 2; }

  void load(Zmm to, Format format, const Xbyak::RegExp& from, bool masked) {
    const Zmm r = masked_if(masked, to, tail_);
    if (format == Format::float32) {
      vmovups(r, ptr[from]);
    } else if (format == Format::float16) {
      vcvtph2ps(r, ptr[from]);
    } else if (format == Format::bfloat16) {
      vpmovzxwd(r, ptr[from]);
      vpslld(to, to, 16);
    } else {
      vpmovzxbd(r, ptr[from]);
      vptestmd(condition_, to, to);
      vpmovm2d(to, condition_);
    }
  }
  void store(Zmm from, int v, bool masked) {
    const Format format = loop_.values[static_cast<std::size_t>(v)].format;
    mov(address_, ptr[operands_ + 8 * pointers_[static_cast<std::size_t>(v)]]);
    const Xbyak::Address to = masked_if(masked, ptr[address_ + i_ * bytes(format)], tail_);
    if (format == Format::float32) {
      vmovups(to, from);
    } else if (format == Format::float16) {
      vcvtps2ph(to, from, 0);
    } else if (format == Format::bfloat16) {
      vpsrld(temporary_, from, 16);
      vpmovdw(to, temporary_);
    } else {
      vpandd(temporary_, from, all(1));
      vpmovdb(to, temporary_);
    }
  }

  void to_float16(Zmm out, Zmm x) {
    const Xbyak::Ymm half(temporary_.getIdx());
    vcmpps(condition_, x, x, unordered);
    vcvtps2ph(half, x, 0);
    vcvtph2ps(out, half);
    // Every NaN becomes the same one, with its sign.
    vpandd(second_, x, held(kSign));
    vpord(out | condition_, second_, held(kNaN));
  }
  // If the lower halves of all NaNs are zero, rounding keeps these.
  void to_bfloat16(Zmm out, Zmm x, bool clean) {
    if (clean) {
      vptestmd(other_, x, held(kLowest));
      vpaddd(out, x, held(kBelowHalf));
      vpaddd(out | other_, out, held(1));
      return vpandd(out, out, held(kUpper));
    }
    vcmpps(condition_, x, x, ordered);
    vptestmd(other_ | condition_, x, held(kLowest));
    vpord(out, x, all(0x400000));  // a quiet NaN
    vpaddd(out | condition_, x, held(kBelowHalf));
    vpaddd(out | other_, out, held(1));
    vpandd(out, out, held(kUpper));
  }

  // out = a p b
  void compare(Zmm a, Zmm b, Predicate p, Zmm out) {
    vcmpps(condition_, a, b, p);
    vpmovm2d(out, condition_);
  }
  // out = a p b ? yes : no
  void choose(Zmm a, Zmm b, Predicate p, Zmm out, Zmm yes, Zmm no) {
    vcmpps(condition_, a, b, p);
    vblendmps(out | condition_, no, yes);
  }
  // out = a p b ? yes : 0
  void keep_if(Zmm a, Zmm b, Predicate p, Zmm out, Zmm yes) {
    vcmpps(condition_, a, b, p);
    vmovaps(out | condition_ | T_z, yes);
  }
  // out = a p b or a is NaN ? a : b
  void extreme(Zmm out, Zmm a, Zmm b, Predicate p) {
    vcmpps(condition_, a, b, p);
    vcmpps(other_, a, a, unordered);
    korw(condition_, condition_, other_);
    vblendmps(out | condition_, b, a);
  }

  void compute(const Instruction& x, Zmm out, Zmm a, Zmm b, Zmm c) {
    switch (x.kind) {
      case Kind::kernel: return emitter(x.op)(*this, out, a, b, c);
      case Kind::to_float16: return to_float16(out, a);
      case Kind::to_bfloat16: return to_bfloat16(out, a, clean_[static_cast<std::size_t>(x.in[0])]);
      case Kind::to_mask: return compare(a, zero_, neq_or_nan, out);
      case Kind::from_mask: return vandps(out, a, one_);
    }
  }

  const FusedLoop& loop_;
  const std::vector<int> last_;
  std::vector<int> registers_, pointers_, free_;
  std::vector<bool> clean_;
  std::vector<std::pair<uint32_t, Xbyak::Label>> numbers_;
  std::vector<std::pair<uint32_t, int>> held_;  // bits and register
  bool hoisted_ = false;
};

// The instructions of the operations: a, b and c are the operands, t a temporary register. Of two NaNs, sums and
// products have that of b, as in the kernels.
// clang-format off
#define CHAINER_COMPILED_OPS(X)                                                                   \
  X(copy, g.vmovaps(out, a))                                                                      \
  X(negative, g.vpxord(out, a, g.all(kSign)))                                                     \
  X(absolute, g.vpandd(out, a, g.all(~kSign)))                                                    \
  X(square, g.vmulps(out, a, a))                                                                  \
  X(floor, g.vrndscaleps(out, a, 9))                                                              \
  X(ceil, g.vrndscaleps(out, a, 10))                                                              \
  X(rint, g.vrndscaleps(out, a, 4))                                                               \
  X(trunc, g.vrndscaleps(out, a, 11))                                                             \
  X(relu, g.keep_if(a, g.zero_, not_le, out, a))                                                  \
  X(sqrt, g.vsqrtps(out, a))                                                                      \
  X(rsqrt, g.vsqrtps(t, a), g.vdivps(out, g.one_, t))                                             \
  X(reciprocal, g.vdivps(out, g.one_, a))                                                         \
  X(add, g.vaddps(out, b, a))                                                                     \
  X(subtract, g.vsubps(out, a, b))                                                                \
  X(multiply, g.vmulps(out, b, a))                                                                \
  X(divide, g.vdivps(out, a, b))                                                                  \
  X(maximum, g.extreme(out, a, b, gt))                                                            \
  X(minimum, g.extreme(out, a, b, lt))                                                            \
  X(leaky_relu, g.vmulps(t, b, a), g.choose(a, g.zero_, ge, out, a, t))                           \
  X(prelu_grad_slope, g.vmulps(t, b, a), g.choose(a, g.zero_, ge, out, g.zero_, t))               \
  X(prelu_grad, g.vmulps(t, c, b), g.choose(a, g.zero_, ge, out, c, t))                           \
  X(relu_grad, g.keep_if(a, g.zero_, gt, out, b))                                                 \
  X(sigmoid_grad, g.vmulps(t, b, a), g.vsubps(out, g.one_, a), g.vmulps(out, t, out))             \
  X(tanh_grad, g.vmovaps(t, g.one_), g.vfnmadd231ps(t, a, a), g.vmulps(out, b, t))                \
  X(multiply_add, g.vmovaps(out, a), g.vfmadd213ps(out, b, c))                                    \
  X(linear_interpolate, g.vsubps(t, g.one_, a), g.vmulps(t, t, c), g.vmovaps(out, a), g.vfmadd213ps(out, b, t)) \
  X(clip, g.choose(a, b, lt, t, b, a), g.choose(t, c, gt, out, c, t))                             \
  X(between, g.keep_if(a, b, gt, t, g.one_), g.keep_if(a, c, lt, out, t))                         \
  X(equal, g.compare(a, b, eq, out))                                                              \
  X(not_equal, g.compare(a, b, neq_or_nan, out))                                                  \
  X(less, g.compare(a, b, lt, out))                                                               \
  X(less_equal, g.compare(a, b, le, out))                                                         \
  X(greater, g.compare(a, b, gt, out))                                                            \
  X(greater_equal, g.compare(a, b, ge, out))                                                      \
  X(isnan, g.compare(a, a, unordered, out))                                                       \
  X(where, g.vpmovd2m(g.condition_, a), g.vblendmps(out | g.condition_, c, b))
// clang-format on

// Returns the function that writes the instructions of an operation; nullptr for one that is not in the list.
Emit emitter(Elementwise op) {
  switch (op) {
#define X(NAME, ...)                                                                          \
  case Elementwise::NAME:                                                                     \
    return [](Generator& g, Zmm out, Zmm a, [[maybe_unused]] Zmm b, [[maybe_unused]] Zmm c) { \
      [[maybe_unused]] const Zmm t = g.temporary_;                                            \
      (__VA_ARGS__);                                                                          \
    };
    CHAINER_COMPILED_OPS(X)
#undef X
    default: return nullptr;
  }
}

}  // namespace

bool compiles_loops() {
  static const bool can = allows_extensions();
  return can;
}

bool compiles(Elementwise op) { return emitter(op) != nullptr; }

FusedCode compile(const FusedLoop& loop) {
  const std::vector<int> last = last_uses(loop);
  const std::vector<uint32_t> held = numbers_in_registers(loop);
  const int most = kValues - static_cast<int>(held.size());
  const bool hoisted = most_live(loop, last, true) <= most;
  if (!hoisted && most_live(loop, last, false) > most) return {};
  try {
    const auto code = std::make_shared<Generator>(loop, last, held, hoisted);
    code->setProtectModeRE();
    return {code->getCode<FusedFunction>(), code};
  } catch (const Xbyak::Error&) { return {}; }
}

const char* loop_compiler() { return "Xbyak"; }

}  // namespace chainer::cpu
