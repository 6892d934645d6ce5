// SPDX-License-Identifier: MIT
// Recordings of array operations, and their replay with other arrays.
#include <chainer/array/backend.h>
#include <chainer/array/recording/recorder.h>
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
