// SPDX-License-Identifier: MIT
// Recordings of array operations, and their replay with other arrays.
#include <chainer/array/backend.h>
#include <chainer/array/recording/recorder.h>
#include <chainer/array/recording/replays.h>
#include <chainer/chainer.h>
#include <chainer/testing/testing.h>

#include <thread>

#include "test.h"

using namespace chainer;

namespace {

Array floats(const Shape& s) { return random::uniform(-1, 1, s, float32); }

// A recording of one phase with one argument.
struct Recorded {
  template <class F>
  Recorded(F f, const Array& x) {
    recording::Recorder recorder(tape);
    slot = recorder.bind(x, false);
    tape.phases.push_back(std::make_unique<recording::Phase>());
    {
      const recording::Recorder::Scope scope(recorder, *tape.phases[0]);
      const Array y = f(x);
      if (recorder.active()) recorder.finish({y});
    }
    refused = recorder.refused();
    escaped = recorder.escaped();
  }
  Array operator()(const Array& x) {
    tape.bind(slot, x);
    return tape.run(*tape.phases[0])[0];
  }
  int64_t steps() const { return static_cast<int64_t>(tape.phases[0]->steps.size()); }
  recording::Tape tape;
  int slot;
  std::string refused;
  int64_t escaped;
};

}  // namespace

TEST(a_tape_computes_with_other_arrays) {
  for (const Shape& shape : {Shape{3, 4}, Shape{60, 100}}) {
    const auto f = [](const Array& x) {
      Array y = exp(x) * 2 + x.T().T();
      y += sum(x, 0);
      y.set(Slice(0, 1), x[Slice(1, 2)]);
      return matmul(y, x.T());
    };
    Recorded r(f, floats(shape));
    EXPECT_EQ(r.refused, "");
    EXPECT_EQ(r.escaped, 0);
    for (int i = 0; i < 3; ++i) {
      const Array x = floats(shape);
      EXPECT_CLOSE(r(x), f(x), {.atol = 0, .rtol = 0});
    }
  }
}

TEST(memory_serves_one_array_after_the_other) {
  const auto f = [](const Array& x) {
    Array y = x;
    for (int i = 0; i < 50; ++i) y = matmul(y, x);
    return y;
  };
  const Array x = floats({64, 64}) * 0.1;
  Recorded r(f, x);
  EXPECT_CLOSE(r(x), f(x), {.atol = 0, .rtol = 0});
  EXPECT(r.tape.phases[0]->bytes <= 3 * 64 * 64 * 4);
}

TEST(an_input_may_be_a_view_of_the_same_layout) {
  const auto f = [](const Array& x) { return sum(x, 0) * 2; };
  const Array wide = floats({6, 10}), other = floats({8, 10});
  Recorded r(f, wide[{Slice(0, 6), Slice(2, 5)}]);
  const Array x = other[{Slice(1, 7), Slice(4, 7)}];
  EXPECT_CLOSE(r(x), f(x), {.atol = 0, .rtol = 0});
}

TEST(numbers_of_the_host_are_no_steps) {
  Recorded r([](const Array& x) { return x * (2 + arange(4).astype(float32) * 3); }, floats({3, 4}));
  EXPECT_EQ(r.steps(), 2);  // one to fill memory with the constants, and one to multiply
  (void)r(floats({3, 4}));
  EXPECT_EQ(r.steps(), 1);  // the constants are not written to, so they are read in place
  // A formula in the caller's code computes constants, too.
  const auto formula = [](const Array& x) {
    return x * elementwise([](auto n) { return n * n; }, arange(4)).astype(float32);
  };
  Recorded formulas(formula, floats({3, 4}));
  EXPECT_EQ(formulas.refused, "");
  const Array other = floats({3, 4});
  EXPECT_CLOSE(formulas(other), formula(other), {.atol = 0, .rtol = 0});
  // Constants that are written to are filled again.
  const auto adds = [](const Array& x) {
    Array total = ones({4});
    total += x;
    return total;
  };
  Recorded sums(adds, floats({4}));
  for (int i = 0; i < 3; ++i) {
    const Array x = floats({4});
    EXPECT_CLOSE(sums(x), adds(x), {.atol = 0, .rtol = 0});
  }
}

TEST(what_a_recording_refuses) {
  const Array other = floats({4});
  Array written = zeros({4});
  const auto why = [](auto f) { return Recorded(f, floats({4})).refused; };
  EXPECT(why([](const Array& x) { return x * x[0].item<float>(); }).find("reads elements") != std::string::npos);
  EXPECT(why([&](const Array& x) { return x * other; }).find("that was created before the call is read") !=
         std::string::npos);
  EXPECT(why([&](const Array& x) {
           copy_elements(x, written);
           return x * 2;
         }).find("that was created before the call is written to") != std::string::npos);
  EXPECT(why([](const Array& x) { return x + random::normal(0, 1, {4}, float32); }).find("Mersenne Twister") !=
         std::string::npos);
  EXPECT(why([](const Array& x) { return x.to_device(get_device("@reference")).to_device(Device()); }) != "");
  EXPECT(why([](const Array& x) { return elementwise([](auto v) { return v + 1; }, x); }).find("formula") !=
         std::string::npos);
  EXPECT_EQ(why([](const Array& x) { return x * 2; }), "");
}

TEST(arrays_that_outlive_a_recording_are_counted) {
  Array kept;
  const Recorded r(
      [&](const Array& x) {
        kept = x * 3;
        return kept + 1;
      },
      floats({4}));
  EXPECT_EQ(r.escaped, 1);
}

TEST(nobody_else_is_recorded) {
  recording::Tape tape;
  tape.phases.push_back(std::make_unique<recording::Phase>());
  recording::Recorder recorder(tape);
  {
    const recording::Recorder::Scope scope(recorder, *tape.phases[0]);
    std::thread([] { EXPECT_CLOSE(floats({3}) * 0, zeros({3})); }).join();
  }
  EXPECT_EQ(tape.phases[0]->steps.size(), std::size_t(0));
  EXPECT_EQ(recorder.refused(), "");
}

// Computations that wait when a recording begins read the same constants, or are read by the recorded function. They
// are computed once, outside of it.
TEST(computations_that_wait_are_no_part_of_a_recording) {
  for (const int kind : {0, 1, 2, 3}) {
    const Array w = floats({96, 128}), v = floats({128});
    Array before;  // waits at each call
    const auto f = [&](const Arrays& in) {
      Array y = kind == 0 ? matmul(in[0], w) : in[0][{Slice(), Slice(0, 96)}] * w[{Slice(), Slice(0, 96)}];
      if (kind == 1) y = y + sum(before);
      if (kind == 2) y = y * before[{Slice(), Slice(0, 96)}];
      if (kind == 3) y = y + sum(w * 2 + v, 1).reshape({96, 1});
      return Arrays{exp(y) + 1};
    };
    recording::Replays replays;
    before = w * 3 + v;
    const Array constant = before;
    for (int call = 0; call < 5; ++call) {
      const Array x = floats({96, kind == 0 ? 96 : 128});
      const Arrays waiting = {exp(w) * 2, sum(w * w, 1), tanh(constant)};
      if (call == 1) before = w * 3 + v;  // the function is recorded now
      const Array got = replays(f, {x})[0], expected = f({x})[0];
      EXPECT(all(got == expected).item<bool>());
      EXPECT(all(waiting[0] == exp(w) * 2).item<bool>());
      EXPECT(all(waiting[1] == sum(w * w, 1)).item<bool>());
      EXPECT(all(waiting[2] == tanh(constant)).item<bool>());
    }
    EXPECT_EQ(replays.refused(), "");
    EXPECT_EQ(replays.counts().replayed, 3);
  }
}

// The result of an earlier call, which nobody has read yet, reads the weights of the next one.
TEST(a_result_that_waits_when_the_next_call_is_recorded) {
  const Array w = floats({64, 64}), b = floats({64});
  recording::Replays replays;
  const auto f = [&](const Arrays& in) { return Arrays{matmul(in[0], w) + b}; };
  Arrays in, kept;
  for (int call = 0; call < 6; ++call) {
    in.push_back(floats({128, 64}));
    kept.push_back(tanh(replays(f, {in.back()})[0] + b) * w[0]);
  }
  for (std::size_t i = 0; i < in.size(); ++i) EXPECT(all(kept[i] == tanh(f({in[i]})[0] + b) * w[0]).item<bool>());
  EXPECT_EQ(replays.counts().replayed, 4);
}
