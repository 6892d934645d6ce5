// SPDX-License-Identifier: MIT
// Machine code for fused loops, with AVX2 or AVX-512, by Xbyak. Each operation has the instructions of its kernel, so
// that the results have the same bits.
#include <xbyak/xbyak.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "chainer/array/operations/ops.h"
#include "chainer/backend/cpu/compiled/loop_values.h"
#include "chainer/backend/cpu/kernels/table.h"
#include "chainer/core/error.h"

namespace chainer::cpu {
namespace {

using Kind = FusedLoop::Kind;
using Format = FusedLoop::Format;
using Instruction = FusedLoop::Instruction;
// A vector register, of 32 or 64 bytes.
using V = Xbyak::Xmm;

// Bits of -0, 1 and NaN; for rounding to bfloat16: the lowest bit that is left, the largest number below half of it,
// the bits that are left, and the bit that makes a NaN quiet.
constexpr uint32_t kSign = 0x80000000, kOne = 0x3f800000, kNaN = 0x7fc00000;
constexpr uint32_t kLowest = 0x10000, kBelowHalf = 0x7fff, kUpper = 0xffff0000, kQuiet = 0x400000;
constexpr int kNowhere = -1;  // the register of a value that is in none

// Predicates of comparisons. They are false for NaN if their names do not say otherwise.
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

bool has_isa(std::string_view name) { return kernels().name == name; }

// Returns the numbers that rounding needs. With AVX-512 each of them has a register; AVX2 has too few.
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
using Emit = void (*)(Generator&, V out, V a, V b, V c);
Emit emitter(Elementwise op);

class Generator : public Xbyak::CodeGenerator {
 public:
  // With `wide`, the code is for AVX-512. Repeated values keep a register with `hoisted`, as do the numbers `held`.
  // `copies` vectors are computed at once, since the instructions of a long loop wait for each other.
  Generator(const FusedLoop& loop, bool wide, bool hoisted, const std::vector<uint32_t>& held, int copies)
      : CodeGenerator(4096 + 192 * static_cast<std::size_t>(1 + copies) * loop.code.size(), Xbyak::DontSetProtectRWE),
        loop_(loop),
        wide_(wide),
        hoisted_(hoisted),
        last_use_(last_uses(loop)),
        registers_(loop.values.size(), Copies{kNowhere, kNowhere, kNowhere, kNowhere}),
        pointers_(loop.values.size(), -1),
        clean_(clean_values(loop)) {
    int operands = 0;
    for (std::size_t v = 0; v < loop.values.size(); ++v)
      if (loop.values[v].loaded || loop.values[v].stored) pointers_[v] = operands++;
    for (int r = value_registers(wide) - 1; r >= 0; --r) free_.push_back(r);
    for (const uint32_t bits : held) held_.emplace_back(bits, kNowhere);
    generate(copies);
  }
  static constexpr int kMostCopies = 4;
  static int lanes(bool wide) { return wide ? 16 : 8; }
  // All but four: two temporary ones, zero and one.
  static int value_registers(bool wide) { return wide ? 28 : 12; }

 private:
  using Copies = std::array<int, kMostCopies>;
  friend Emit emitter(Elementwise op);

  V vector(int r) const { return wide_ ? V(Xbyak::Zmm(r)) : V(Xbyak::Ymm(r)); }
  V half_of(const V& v) const { return wide_ ? V(Xbyak::Ymm(v.getIdx())) : V(v.getIdx()); }

  // The last vector begins `lanes` elements before the end: it may compute some elements a second time.
  void generate(int copies) {
    Xbyak::Label several, one, end;
    vxorps(zero_, zero_, zero_);
    vbroadcastss(one_, number(kOne));
    copies_ = 1;
    for (std::size_t v = 0; v < loop_.values.size(); ++v)
      if (keeps_register(static_cast<int>(v))) {
        mov(address_, ptr[operands_ + 8 * pointers_[v]]);
        registers_[v].fill(take());
        load(vector(registers_[v][0]), loop_.values[v].format, address_);
      }
    for (auto& [bits, r] : held_) {
      r = take();
      vbroadcastss(vector(r), number(bits));
    }
    xor_(i_, i_);
    if (copies > 1) {
      lea(last_, ptr[n_ - copies * lanes(wide_)]);
      L(several);
      cmp(i_, last_);
      jg(one, T_NEAR);
      body(copies);
      jmp(several, T_NEAR);
    }
    L(one);
    lea(last_, ptr[n_ - lanes(wide_)]);
    cmp(i_, n_);
    jge(end, T_NEAR);
    cmp(i_, last_);
    cmovg(i_, last_);
    body(1);
    jmp(one, T_NEAR);
    L(end);
    vzeroupper();
    ret();
    align(64);
    for (auto& [bits, label] : numbers_) {
      L(label);
      for (int copy = 0; copy < (wide_ ? 1 : lanes(wide_)); ++copy) dd(bits);
    }
  }

  // Computes `copies` vectors: an instruction for all of them, then the next instruction.
  void body(int copies) {
    copies_ = copies;
    for (int number = 0; number < static_cast<int>(loop_.code.size()); ++number) {
      const Instruction& x = loop_.code[static_cast<std::size_t>(number)];
      for (const int v : x.in) fetch(v);
      const auto made = static_cast<std::size_t>(x.out);
      for (int k = 0; k < copies_; ++k) registers_[made][static_cast<std::size_t>(k)] = take();
      for (int k = 0; k < copies_; ++k) compute(x, k);
      if (loop_.values[made].stored) store(x.out);
      for (const int v : x.in) release(v, number);
      release(x.out, number);
    }
    add(i_, copies_ * lanes(wide_));
  }

  void compute(const Instruction& x, int copy) {
    std::array<V, 3> in;
    for (std::size_t k = 0; k < 3; ++k)
      if (x.in[k] >= 0) in[k] = value(x.in[k], copy);
    const V out = value(x.out, copy);
    switch (x.kind) {
      case Kind::kernel: emitter(x.op)(*this, out, in[0], in[1], in[2]); break;
      case Kind::to_float16: to_float16(out, in[0]); break;
      case Kind::to_bfloat16: to_bfloat16(out, in[0], clean_[static_cast<std::size_t>(x.in[0])]); break;
      case Kind::to_mask: compare(in[0], zero_, neq_or_nan, out); break;
      case Kind::from_mask: vandps(out, in[0], one_); break;
    }
  }

  int take() {
    const int r = free_.back();
    free_.pop_back();
    return r;
  }
  bool keeps_register(int v) const { return hoisted_ && loop_.values[static_cast<std::size_t>(v)].repeated; }
  void release(int v, int number) {
    if (v < 0 || last_use_[static_cast<std::size_t>(v)] > number || keeps_register(v)) return;
    for (int& r : registers_[static_cast<std::size_t>(v)])
      if (r != kNowhere) free_.push_back(std::exchange(r, kNowhere));
  }
  V value(int v, int copy) const {
    return vector(registers_[static_cast<std::size_t>(v)][static_cast<std::size_t>(copy)]);
  }

  // A number in the loop's constants, and an operand that has it in every lane.
  Xbyak::Label& label(uint32_t bits) {
    const auto at = std::find_if(numbers_.begin(), numbers_.end(), [&](const auto& n) { return n.first == bits; });
    return at != numbers_.end() ? at->second : numbers_.emplace_back(bits, Xbyak::Label()).second;
  }
  Xbyak::Address number(uint32_t bits) { return ptr[rip + label(bits)]; }
  Xbyak::Address all(uint32_t bits) { return wide_ ? ptr_b[rip + label(bits)] : ptr[rip + label(bits)]; }
  // One of the numbers that stay in registers.
  V held(uint32_t bits) const {
    return vector(std::find_if(held_.begin(), held_.end(), [&](const auto& h) { return h.first == bits; })->second);
  }

  Xbyak::RegExp element(Format f, int copy) const { return address_ + i_ * bytes(f) + copy * lanes(wide_) * bytes(f); }
  // Loads a value at its first use.
  void fetch(int v) {
    const auto at = static_cast<std::size_t>(v);
    if (v < 0 || registers_[at][0] != kNowhere) return;
    const Format format = loop_.values[at].format;
    mov(address_, ptr[operands_ + 8 * pointers_[at]]);
    for (int k = 0; k < copies_; ++k) {
      registers_[at][static_cast<std::size_t>(k)] = take();
      load(value(v, k), format, element(format, k));
    }
  }
  void load(V to, Format format, const Xbyak::RegExp& from) {
    switch (format) {
      case Format::float32: vmovups(to, ptr[from]); break;
      case Format::float16: vcvtph2ps(to, ptr[from]); break;
      case Format::bfloat16:
        vpmovzxwd(to, ptr[from]);
        vpslld(to, to, 16);
        break;
      case Format::mask:
        vpmovzxbd(to, ptr[from]);
        if (wide_) {
          vptestmd(condition_, to, to);
          vpmovm2d(to, condition_);
        } else {
          vpcmpgtd(to, to, zero_);
        }
    }
  }
  void store(int v) {
    const Format format = loop_.values[static_cast<std::size_t>(v)].format;
    mov(address_, ptr[operands_ + 8 * pointers_[static_cast<std::size_t>(v)]]);
    for (int k = 0; k < copies_; ++k) store(value(v, k), format, ptr[element(format, k)]);
  }
  void store(V from, Format format, const Xbyak::Address& to) {
    if (format == Format::float32) return vmovups(to, from);
    if (format == Format::float16) return vcvtps2ph(to, from, 0);
    if (format == Format::bfloat16)
      vpsrld(temporary_, from, 16);
    else
      vandps(temporary_, from, all(1));
    if (wide_) return format == Format::bfloat16 ? vpmovdw(to, temporary_) : vpmovdb(to, temporary_);
    const Xbyak::Xmm low(temporary_.getIdx()), high(second_.getIdx());
    vextracti128(high, Xbyak::Ymm(temporary_.getIdx()), 1);
    vpackusdw(low, low, high);
    if (format == Format::bfloat16) return vmovdqu(to, low);
    vpackuswb(low, low, low);
    vmovq(to, low);
  }

  // Every NaN becomes the same one, with its sign.
  void to_float16(V out, V x) {
    vcvtps2ph(half_of(temporary_), x, 0);
    vcvtph2ps(out, half_of(temporary_));
    if (wide_) {
      vcmpps(condition_, x, x, unordered);
      vandps(second_, x, held(kSign));
      return vorps(out | condition_, second_, held(kNaN));
    }
    vcmpps(second_, x, x, unordered);
    vandps(temporary_, x, all(kSign));
    vorps(temporary_, temporary_, all(kNaN));
    vblendvps(out, out, temporary_, second_);
  }
  // Half to even; a NaN becomes quiet and loses its lower half, which is zero already with `clean`.
  void to_bfloat16(V out, V x, bool clean) {
    if (wide_) {
      const auto number = [&](const V& r) { return clean ? r : r | condition_; };
      if (!clean) vcmpps(condition_, x, x, ordered);
      vptestmd(clean ? other_ : other_ | condition_, x, held(kLowest));
      if (!clean) vorps(out, x, all(kQuiet));
      vpaddd(number(out), x, held(kBelowHalf));
      vpaddd(out | other_, out, held(1));
      return vandps(out, out, held(kUpper));
    }
    vpsrld(temporary_, x, 16);
    vandps(temporary_, temporary_, all(1));
    vpaddd(out, x, all(kBelowHalf));
    vpaddd(out, out, temporary_);
    if (!clean) {
      vcmpps(second_, x, x, unordered);
      vorps(temporary_, x, all(kQuiet));
      vblendvps(out, out, temporary_, second_);
    }
    vandps(out, out, all(kUpper));
  }

  void round(V out, V x, uint8_t mode) { wide_ ? vrndscaleps(out, x, mode) : vroundps(out, x, mode); }
  // out = a p b
  void compare(V a, V b, Predicate p, V out) {
    if (!wide_) return vcmpps(out, a, b, p);
    vcmpps(condition_, a, b, p);
    vpmovm2d(out, condition_);
  }
  // out = a p b ? yes : no
  void choose(V a, V b, Predicate p, V out, V yes, V no) {
    set_condition(a, b, p);
    wide_ ? vblendmps(out | condition_, no, yes) : vblendvps(out, no, yes, second_);
  }
  // out = a p b ? yes : 0
  void keep_if(V a, V b, Predicate p, V out, V yes) {
    set_condition(a, b, p);
    wide_ ? vmovaps(out | condition_ | T_z, yes) : vandps(out, second_, yes);
  }
  // The condition of the two functions above.
  void set_condition(V a, V b, Predicate p) { wide_ ? vcmpps(condition_, a, b, p) : vcmpps(second_, a, b, p); }
  // out = a p b or a is NaN ? a : b
  void extreme(V out, V a, V b, Predicate p) {
    if (wide_) {
      vcmpps(condition_, a, b, p);
      vcmpps(other_, a, a, unordered);
      korw(condition_, condition_, other_);
      return vblendmps(out | condition_, b, a);
    }
    vcmpps(second_, a, b, p);
    vcmpps(temporary_, a, a, unordered);
    vorps(second_, second_, temporary_);
    vblendvps(out, b, a, second_);
  }
  // out = mask ? yes : no
  void select(V out, V mask, V yes, V no) {
    if (!wide_) return vblendvps(out, no, yes, mask);
    vpmovd2m(condition_, mask);
    vblendmps(out | condition_, no, yes);
  }

  const FusedLoop& loop_;
  const bool wide_, hoisted_;
  const std::vector<int> last_use_;
  int copies_ = 1;
  std::vector<Copies> registers_;  // of each value
  std::vector<int> pointers_, free_;
  std::vector<bool> clean_;
  std::vector<std::pair<uint32_t, Xbyak::Label>> numbers_;
  std::vector<std::pair<uint32_t, int>> held_;  // bits and register
  // The arguments are in registers of the calling convention of System V; no register is preserved for the caller.
  const Xbyak::Reg64 operands_ = rdi, n_ = rsi, i_ = rcx, last_ = rdx, address_ = rax;
  const Xbyak::Opmask condition_ = k1, other_ = k2;
  const V temporary_ = vector(value_registers(wide_)), second_ = vector(value_registers(wide_) + 1);
  const V zero_ = vector(value_registers(wide_) + 2), one_ = vector(value_registers(wide_) + 3);
};

// The instructions of the operations: a, b and c are the operands, t is a temporary register. Of two NaNs, sums and
// products have that of b, as in the kernels.
// clang-format off
#define CHAINER_COMPILED_OPS(X)                                                       \
  X(copy, g.vmovaps(out, a))                                                          \
  X(negative, g.vxorps(out, a, g.all(kSign)))                                         \
  X(absolute, g.vandps(out, a, g.all(~kSign)))                                        \
  X(square, g.vmulps(out, a, a))                                                      \
  X(floor, g.round(out, a, 9))                                                        \
  X(ceil, g.round(out, a, 10))                                                        \
  X(rint, g.round(out, a, 4))                                                         \
  X(trunc, g.round(out, a, 11))                                                       \
  X(relu, g.keep_if(a, g.zero_, not_le, out, a))                                      \
  X(sqrt, g.vsqrtps(out, a))                                                          \
  X(rsqrt, g.vsqrtps(t, a), g.vdivps(out, g.one_, t))                                 \
  X(reciprocal, g.vdivps(out, g.one_, a))                                             \
  X(add, g.vaddps(out, b, a))                                                         \
  X(subtract, g.vsubps(out, a, b))                                                    \
  X(multiply, g.vmulps(out, b, a))                                                    \
  X(divide, g.vdivps(out, a, b))                                                      \
  X(maximum, g.extreme(out, a, b, gt))                                                \
  X(minimum, g.extreme(out, a, b, lt))                                                \
  X(leaky_relu, g.vmulps(t, b, a), g.choose(a, g.zero_, ge, out, a, t))               \
  X(prelu_grad_slope, g.vmulps(t, b, a), g.choose(a, g.zero_, ge, out, g.zero_, t))   \
  X(prelu_grad, g.vmulps(t, c, b), g.choose(a, g.zero_, ge, out, c, t))               \
  X(relu_grad, g.keep_if(a, g.zero_, gt, out, b))                                     \
  X(sigmoid_grad, g.vmulps(t, b, a), g.vsubps(out, g.one_, a), g.vmulps(out, t, out)) \
  X(tanh_grad, g.vmovaps(t, g.one_), g.vfnmadd231ps(t, a, a), g.vmulps(out, b, t))    \
  X(multiply_add, g.vmovaps(out, a), g.vfmadd213ps(out, b, c))                        \
  X(linear_interpolate, g.vsubps(t, g.one_, a), g.vmulps(t, t, c), g.vmovaps(out, a), \
    g.vfmadd213ps(out, b, t))                                                         \
  X(clip, g.vmaxps(t, b, a), g.vminps(out, c, t))                                     \
  X(between, g.keep_if(a, b, gt, t, g.one_), g.keep_if(a, c, lt, out, t))             \
  X(equal, g.compare(a, b, eq, out))                                                  \
  X(not_equal, g.compare(a, b, neq_or_nan, out))                                      \
  X(less, g.compare(a, b, lt, out))                                                   \
  X(less_equal, g.compare(a, b, le, out))                                             \
  X(greater, g.compare(a, b, gt, out))                                                \
  X(greater_equal, g.compare(a, b, ge, out))                                          \
  X(isnan, g.compare(a, a, unordered, out))                                           \
  X(where, g.select(out, a, b, c))
// clang-format on

// Returns the function that writes the instructions of an operation; nullptr for one that is not in the list.
Emit emitter(Elementwise op) {
  switch (op) {
#define X(NAME, ...)                                                                                   \
  case Elementwise::NAME:                                                                              \
    return []([[maybe_unused]] Generator& g, V out, V a, [[maybe_unused]] V b, [[maybe_unused]] V c) { \
      [[maybe_unused]] const V t = g.temporary_;                                                       \
      (__VA_ARGS__);                                                                                   \
    };
    CHAINER_COMPILED_OPS(X)
#undef X
    default: return nullptr;
  }
}

}  // namespace

bool compiles_loops() { return has_isa("avx512") || has_isa("avx2"); }
bool compiles(Elementwise op) { return emitter(op) != nullptr; }

FusedCode compile(const FusedLoop& loop) {
  FusedCode code;
  code.operands = operands_of(loop);
  if (code.operands.size() > FusedCode::kMostOperands) return code;
  const bool wide = has_isa("avx512");
  const std::vector<uint32_t> held = wide ? numbers_in_registers(loop) : std::vector<uint32_t>();
  const int most = Generator::value_registers(wide) - static_cast<int>(held.size());
  const bool hoisted = most_live(loop, true) <= most;
  if (!hoisted && most_live(loop, false) > most) return code;
  const int shared = hoisted ? repeated_values(loop) : 0;
  const int copies =
      std::clamp((most - shared) / std::max(most_live(loop, hoisted) - shared, 1), 1, Generator::kMostCopies);
  try {
    const auto generated = std::make_shared<Generator>(loop, wide, hoisted, held, copies);
    generated->setProtectModeRE();
    code.lanes = Generator::lanes(wide);
    code.function = generated->getCode<FusedCode::Function>();
    code.memory = generated;
  } catch (const Xbyak::Error&) {  // no memory for code
  }
  return code;
}

std::string loop_compiler() {
  const int version = Xbyak::VERSION;  // 0x6680 is 6.68
  return text("Xbyak ", version >> 12, ".", version >> 8 & 15, version >> 4 & 15);
}

}  // namespace chainer::cpu
