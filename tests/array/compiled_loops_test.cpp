// SPDX-License-Identifier: MIT
// Loops compiled at run time: every operation has the bits of its kernel, for every number of elements, and programs
// with them have those of single operations.
#include <chainer/backend/cpu/compiled/plan.h>
#include <chainer/backend/cpu/kernels/table.h>
#include <chainer/chainer.h>

#include <bit>
#include <cstring>

#include "chainer/array/operations/ops.h"
#include "bits.h"
#include "test.h"

using namespace chainer;
using cpu::FusedLoop;
using Format = FusedLoop::Format;
using Kind = FusedLoop::Kind;

namespace {

// Numbers of all magnitudes and signs, and those that are treated differently.
std::vector<float> samples(uint32_t seed, std::size_t count) {
  const float big = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
  const float small = std::bit_cast<float>(0x000116c2u);  // a denormal number, too
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  // NaNs whose lower halves are not zero: rounding by addition would make a number of them.
  const float long_nan = std::bit_cast<float>(0x7fffffffu), short_nan = std::bit_cast<float>(0x7f80ffffu);
  const float special[] = {0.f, -0.f, 1.f, -1.f, 0.5f,   1.5f,    2.5f,    big,      -big,      tiny,  -tiny,
                           inf, -inf, nan, -nan, 1e-38f, 65504.f, 65520.f, long_nan, short_nan, small, -small};
  random::RandomState r(seed);
  std::vector<float> x(count);
  for (float& v : x) {
    const auto k = r.next_interval(3 * std::size(special));
    v = k < std::size(special)
            ? special[k]
            : static_cast<float>(r.uniform(-3, 3, {1}).item<double>() *
                                 std::exp2(static_cast<double>(r.next_interval(k % 2 ? 8 : 60)) - (k % 2 ? 4 : 30)));
  }
  return x;
}

bool same(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

constexpr int64_t kLengths[] = {1, 2, 15, 16, 17, 31, 32, 33, 64, 100, 1023, 1024};

// Sets the treatment of denormal numbers during its lifetime.
struct DenormalMode {
  explicit DenormalMode(bool flush) : before(cpu::denormals_flushed()) { cpu::flush_denormals(flush); }
  ~DenormalMode() { cpu::flush_denormals(before); }
  DenormalMode(const DenormalMode&) = delete;
  DenormalMode& operator=(const DenormalMode&) = delete;
  bool before;
};

void expect_bits_of_kernels() {
  int known = 0;
  for (int number = 0; number < static_cast<int>(Elementwise::count); ++number) {
    const auto op = static_cast<Elementwise>(number);
    if (!cpu::compiles(op)) continue;
    ++known;
    const bool compares = category(op) == Category::compare, selects = op == Elementwise::where;
    const std::size_t operands = static_cast<std::size_t>(arity(op));
    FusedLoop loop;
    FusedLoop::Instruction x{Kind::kernel, op, static_cast<int>(operands), {-1, -1, -1}};
    for (std::size_t k = 0; k < operands; ++k) {
      loop.values.push_back({.format = selects && k == 0 ? Format::mask : Format::float32, .loaded = true});
      x.in[k] = static_cast<int>(k);
    }
    loop.values.push_back({.format = compares ? Format::mask : Format::float32, .stored = true});
    loop.code.push_back(x);
    const cpu::FusedCode code = cpu::compile(loop);
    EXPECT(code.function != nullptr);
    const cpu::ElementKernel kernel = cpu::kernels().elementwise[cpu::kF32][number];
    for (const int64_t n : kLengths) {
      std::vector<float> in[3];
      for (uint32_t k = 0; k < 3; ++k) in[k] = samples(100 * static_cast<uint32_t>(n) + k, 1024);
      std::vector<uint8_t> mask(1024);
      for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = in[2][i] > 0;
      std::vector<float> mine(1040, 7.f), theirs(1040, 7.f);
      std::vector<char*> addresses;
      for (std::size_t k = 0; k < operands; ++k) addresses.push_back(reinterpret_cast<char*>(in[k].data()));
      if (selects) addresses[0] = reinterpret_cast<char*>(mask.data());
      kernel(theirs.data(), addresses[0], operands > 1 ? addresses[1] : nullptr, operands > 2 ? addresses[2] : nullptr,
             n);
      addresses.push_back(reinterpret_cast<char*>(mine.data()));
      code.run(addresses.data(), n);
      if (compares) {
        EXPECT(std::memcmp(mine.data(), theirs.data(), static_cast<std::size_t>(n)) == 0);
        EXPECT(std::memcmp(mine.data(), theirs.data(), mine.size()) == 0);  // and none after them
        continue;
      }
      for (std::size_t i = 0; i < mine.size(); ++i) {
        ++test::expectations;
        if (!same(mine[i], theirs[i]))
          test::fail(__FILE__, __LINE__,
                     text(name(op), " of ", in[0][i], ", ", in[1][i], ", ", in[2][i], ": ", mine[i], " instead of ",
                          theirs[i], " at ", i, " of ", n));
      }
    }
  }
  EXPECT(known >= 30);
}

}  // namespace

TEST(compiled_operations_have_the_bits_of_kernels) {
  if (!cpu::compiles_loops()) return;
  for (const bool flush : {false, true}) {
    const DenormalMode mode(flush);
    expect_bits_of_kernels();
  }
}

namespace {

// Compares a deferred program, which is compiled when it runs for the third time, with single operations.
template <class F>
void expect_eager_bits(const std::string& what, F&& f) {
  // (Which of two NaNs a sum has depends on the compiler of the kernels.)
  const auto one_nan = [](const Array& a) {
    return is_floating(a.dtype()) ? where(isnan(a), full(a.shape(), NAN, a.dtype()), a) : a;
  };
  const Array expected = eagerly([&] { return one_nan(f()); });
  for (int time = 0; time < 4; ++time) {
    ++test::expectations;
    const Array y = f();
    (void)y.raw();
    if (!same_bits(one_nan(y), expected)) test::fail(__FILE__, __LINE__, text(what, ", time ", time));
  }
}
Array sample(uint32_t seed, int64_t n, Dtype dtype) {
  const std::vector<float> x = samples(seed, static_cast<std::size_t>(n));
  return array(x).astype(dtype);
}
constexpr Dtype kDtypes[] = {Dtype::float32, Dtype::bfloat16, Dtype::float16};

}  // namespace

TEST(programs_with_compiled_loops_have_the_bits_of_operations) {
  for (const Dtype d : kDtypes)
    for (const int64_t n : {4096, 4097, 5119, 5120, 10007}) {
      const Array x = sample(1, n, d), y = sample(2, n, d), row = sample(3, 17, d);
      const std::string what = text(d, ", ", n);
      expect_eager_bits(what + ", arithmetic", [&] { return ((x * 2 + 1) * x - y) / (abs(y) + 1); });
      expect_eager_bits(what + ", other kernels between", [&] { return tanh(x * y) * sigmoid(-x) + maximum(x, y); });
      expect_eager_bits(what + ", choices", [&] { return where(x > y, clip(x, -1, 1), minimum(y, 0.5) * x); });
      expect_eager_bits(what + ", truth", [&] { return (x > 0) == (x * x < y); });
      expect_eager_bits(what + ", converted", [&] { return (x.astype(float32) * 3 + y).astype(d) * y + 1; });
      const Array z = sample(7, n, float32);
      expect_eager_bits(what + ", rounded", [&] { return (z + 1).astype(d) * y; });
      expect_eager_bits(what + ", from integers", [&] { return x.astype(int32).astype(d) * y + x; });
      expect_eager_bits(what + ", to booleans", [&] { return (x * y).astype(bool_).astype(d) - x; });
      expect_eager_bits(what + ", sum", [&] { return sum(x * y - x); });
      const Array wide = x[Slice(0, n / 17 * 17)].reshape({n / 17, 17});
      expect_eager_bits(what + ", rows", [&] { return (wide * row + 1) * wide - row; });
      expect_eager_bits(what + ", columns", [&] { return sum((wide * row + 1) * wide, 0); });
      expect_eager_bits(what + ", gaps", [&] { return (wide[{Slice(), Slice(1, 16)}] * 3 + 1) * row[Slice(1, 16)]; });
    }
}

TEST(float64_in_a_chain_is_rounded_to_16_bits_once) {
  for (const auto& [d, half] : {std::pair{float16, 0x1p-11}, std::pair{bfloat16, 0x1p-8}}) {
    // Above half of the distance between two numbers by less than float32 resolves.
    const Array x = full({4096}, 1 + half + 0x1p-40, float64), y = full({4096}, 1.0, d);
    expect_eager_bits(text(d), [&, type = d] { return (x * 1.0).astype(type) * y; });
  }
}

TEST(signalling_nans_of_bfloat16_become_quiet_as_in_kernels) {
  Array x({65536}, bfloat16);
  for (int i = 0; i < 65536; ++i) static_cast<uint16_t*>(x.mutable_raw())[i] = static_cast<uint16_t>(i);
  const auto expect_same = [&](const char* what, auto f) {
    const Array expected = eagerly(f);
    for (int time = 0; time < 4; ++time)
      if (!same_bits(f(), expected)) test::fail(__FILE__, __LINE__, text(what, ", time ", time));
    ++test::expectations;
  };
  expect_same("-abs(x)", [&] { return -abs(x); });
  expect_same("where(x > 0, x, -x)", [&] { return where(x > 0, x, -x); });
  expect_same("maximum(-x, 1)", [&] { return maximum(-x, 1); });
  expect_same("-x * 1", [&] { return -x * 1; });
}

TEST(programs_are_compiled_when_they_run_for_the_third_time) {
  if (cpu::loops_in_use().starts_with("one operation") || std::getenv("CHAINER_JIT")) return;
  const Array x = sample(6, 4100, float32);
  const int64_t before = cpu::compiled_programs();
  for (int time = 0; time < 5; ++time) {
    const Array y = rsqrt(abs(x) + 7) * 3 - floor(x);
    (void)y.raw();
    EXPECT_EQ(cpu::compiled_programs() - before, int64_t{time >= 2});
  }
}

TEST(long_programs_are_divided) {
  for (const Dtype d : kDtypes) {
    // All terms are alive until the end: more than there are registers.
    const Array x = sample(4, 5000, d);
    for (const int terms : {20, 27, 28, 29, 30, 40, 130})
      expect_eager_bits(text(d, ", ", terms, " terms"), [&] {
        Arrays all;
        for (int i = 0; i < terms; ++i) all.push_back(x * (0.5 + i) + 1);
        Array y = all.back();
        for (int i = 0; i + 1 < terms; ++i) y = y * all[static_cast<std::size_t>(i)] - x;
        return y;
      });
    for (const int steps : {127, 128, 129, 300})
      expect_eager_bits(text(d, ", ", steps, " steps"), [&] {
        Array y = x;
        for (int i = 0; i < steps; ++i) y = y * 0.75 + x;
        return y;
      });
  }
}

TEST(gradients_through_compiled_loops_have_the_bits_of_operations) {
  for (const Dtype d : kDtypes) {
    const Array x = sample(5, 6001, d);
    const auto gradient = [&] {
      Variable v(x);
      const Variable y = F::sum(v * F::sigmoid(v) + 0.1f * F::tanh(v) - v * v / 2);
      y.backward();
      return v.grad();
    };
    expect_eager_bits(text(d), gradient);
  }
}
