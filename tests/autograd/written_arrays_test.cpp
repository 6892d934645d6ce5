// SPDX-License-Identifier: MIT
// Writes to arrays that a graph uses.
#include <chainer/chainer.h>

#include "chainer/array/backend.h"
#include "chainer/array/version.h"
#include "chainer/core/warnings.h"
#include "test.h"

using namespace chainer;

namespace {
Variable numbers(int64_t n = 3) { return Variable(random::uniform(0.5, 1.5, {n}, float32)); }
}  // namespace

TEST(a_write_to_a_kept_array_is_an_error_that_names_it) {
  Variable x = numbers(), w = numbers();
  Variable y = F::sum(x * w);
  Array data = w.array();
  data *= 2;
  EXPECT_THROW(RuntimeError, "backward of _ * _: its input 1, an array of shape (3,), was written to in place",
               y.backward());
  Variable e = F::exp(x), s = F::sum(e);  // keeps its output
  Array out = e.array();
  out.fill(1);
  EXPECT_THROW(RuntimeError, "its output 0", s.backward());
}

TEST(every_way_of_writing_counts) {
  const auto refused = [](const char* way, auto write) {
    for (const int64_t n : {int64_t(3), int64_t(5000)}) {  // eager and deferred
      Variable x = numbers(n), y = F::sum(F::square(x));
      Array a = x.array();
      write(a);
      ++test::expectations;
      try {
        y.backward();
        test::fail(way, 0, "this write was not noticed");
      } catch (const RuntimeError&) {}
    }
  };
  refused("+=", [](Array& a) { a += 1; });
  refused("*= array", [](Array& a) { a *= a.copy(); });
  refused("fill", [](Array& a) { a.fill(2); });
  refused("set", [](Array& a) { a.set(0, 5); });
  refused("set by mask", [](Array& a) { a.set(a > 1.f, zeros({})); });
  refused("a view", [](Array& a) {
    Array first = a[Slice(0, 2)];
    first += 1;
  });
  refused("a pointer", [](Array& a) { a.mutable_data<float>()[0] = 3; });
  refused("copy_elements", [](Array& a) { copy_elements(zeros_like(a), a); });
}

TEST(reading_and_computing_later_do_not_count) {
  for (const int64_t n : {int64_t(3), int64_t(5000)}) {
    Variable x = numbers(n);
    Variable h = F::tanh(x) * x + F::exp(x);  // deferred if it is large
    Variable y = F::sum(h * h);
    (void)h.array().to_vector<float>();
    (void)(h.array() + 1).to_vector<float>();
    (void)x.array().data<float>()[0];
    (void)x.array()[Slice(0, 2)].copy();
    const uint32_t before = memory_version(x.array());
    y.backward();
    EXPECT(x.grad());
    EXPECT_EQ(memory_version(x.array()), before);
  }
  // Arrays that backward does not need may be written to.
  Variable x = numbers(), y = F::sum(x + 1);
  Array a = x.array();
  a += 1;
  y.backward();
  EXPECT_CLOSE(x.grad(), ones({3}));
  Variable w = numbers();
  const Array constant = ones({3});
  const Variable fixed = constant;  // requires no gradient
  Variable z = F::sum(w * fixed);   // the gradient with respect to w needs only the constant
  Array data = w.array();
  data += 1;
  z.backward();
  EXPECT_CLOSE(w.grad(), constant);
}

TEST(an_update_between_forward_and_backward_is_a_warning) {
  L::Linear l(2, 2);
  optimizers::SGD optimizer(0.1);
  optimizer.setup(l);
  const Variable x(ones({1, 2}));
  Variable first = F::sum(l(x)), second = F::sum(F::square(l(F::tanh(l(x)))));
  l.cleargrads();
  first.backward();
  optimizer.update();
  const int64_t warnings = warning_count();
  second.backward();
  EXPECT(warning_count() > warnings);
  EXPECT(last_warning().find("was updated by an optimizer after the forward pass") != std::string::npos);
  Variable third = F::sum(F::square(l(F::tanh(l(x)))));
  Array W = l.W.array();
  W *= 0.5;
  optimizer.update();
  EXPECT_THROW(RuntimeError, "was written to in place", third.backward());
}
