// SPDX-License-Identifier: MIT
// Gradients in memory that code outside the library owns or refers to are read, never written.
#include <chainer/chainer.h>

#include "chainer/array/exclusive.h"
#include "chainer/array/external.h"
#include "test.h"

using namespace chainer;

namespace {

// An array in memory of the test, filled with one value.
struct Outside {
  explicit Outside(double value) : elements(16, value) {}
  Array array(bool writable = true, bool shared = false) {
    return external_array(elements.data(), {4, 4}, float64, [] {}, {.writable = writable, .shared = shared});
  }
  bool is_still(double value) const {
    return std::all_of(elements.begin(), elements.end(), [&](double v) { return v == value; });
  }
  std::vector<double> elements;
};

const Array& kept_numbers() {
  static const Array a = random::RandomState(3).uniform(-1, 1, {4, 4});
  return a;
}

// Functions that add to the gradient of W in place.
std::map<std::string, std::function<Variable(const Variable&)>> adding_functions() {
  return {{"linear", [](const Variable& W) { return F::linear(kept_numbers(), W); }},
          {"embed_id",
           [](const Variable& W) {
             return F::embed_id(array({0, 1, 1}), W);
           }},
          {"convolution",
           [](const Variable& W) {
             return F::convolution_2d(ones({1, 1, 4, 4}, float64), F::reshape(W, {1, 1, 4, 4}));
           }},
          {"convolution of a leaf", [](const Variable& W) {
             return F::convolution_2d(ones({1, 4, 1, 4}, float64), F::reshape(W, {4, 4, 1, 1}));
           }}};
}

}  // namespace

TEST(is_exclusive_knows_owners_outside) {
  Outside o(1);
  EXPECT(!is_exclusive(o.array()));
  EXPECT(!is_exclusive(o.array(false)));
  EXPECT(!is_exclusive(o.array()[Slice(0, 2)]));
  const Array a = kept_numbers().copy();
  EXPECT(is_exclusive(a));
  auto* const t = to_dlpack(a);
  EXPECT(!is_exclusive(a));
  t->deleter(t);
}

TEST(gradients_that_were_set_on_memory_outside_stay) {
  for (const auto& [name, f] : adding_functions()) {
    Variable plain(kept_numbers());
    for (int i = 0; i < 2; ++i) F::sum(f(plain)).backward();
    for (bool writable : {true, false})
      for (bool shared : {true, false}) {
        Outside o(10);
        Variable W(kept_numbers());
        W.set_grad(o.array(writable, shared));
        F::sum(f(W)).backward();
        F::sum(f(W)).backward();
        if (!o.is_still(10)) test::fail(name.c_str(), 0, "the array set as gradient was written to");
        EXPECT_CLOSE(W.grad(), plain.grad() + 10);
      }
    // Exported after it was set.
    Array g = full({4, 4}, 10, float64);
    auto* const t = to_dlpack(g);
    Variable W(kept_numbers());
    W.set_grad(std::move(g));
    g = Array();
    F::sum(f(W)).backward();
    EXPECT_CLOSE(from_dlpack(t), full({4, 4}, 10, float64));
  }
}

// A user's function returns gradients in its own memory, which it overwrites at each call.
TEST(gradients_that_come_on_memory_outside_stay) {
  static Outside* memory;
  struct Doubles : FunctionNode {
    Arrays forward(const Arrays& x) override { return {x[0] * 2}; }
    Variables backward(const Indexes&, const Variables&) override {
      return {Variable(memory->array(), false), Variable()};
    }
  };
  for (const auto& [name, f] : adding_functions()) {
    for (bool leaf : {true, false}) {
      Outside o(10);
      memory = &o;
      Variable W(kept_numbers());
      const Variable w = leaf ? W : W * 1.0;
      const Variable y = F::sum(f(w));
      // The rank of its second input makes Doubles the last function, so its gradient comes first.
      Variable late(kept_numbers());
      while (late.rank() <= y.rank()) late = F::identity(late);
      (F::sum(apply(Doubles(), {w, late})[0]) + y).backward();
      if (!o.is_still(10)) test::fail(name.c_str(), 0, "the gradient of a function was written to");
      Variable plain(kept_numbers());
      F::sum(f(plain)).backward();
      EXPECT_CLOSE(W.grad(), plain.grad() + 10);
    }
  }
}

// Parameters in external memory are updated in place; their states are the library's.
TEST(parameters_on_memory_outside_are_updated_there) {
  const auto train = [](const Array& W, auto optimizer) {
    L::Linear l(4, 4, {.nobias = true, .initialW = W});
    l.W.set_array(W);
    optimizer.setup(l);
    for (int i = 0; i < 3; ++i) optimizer.update([&] { return F::sum(F::square(l(kept_numbers()))); });
    return l.W.array();
  };
  const auto both = [&](auto make) {
    Outside o(0.5), shared(0.5);
    const Array a = o.array(), b = shared.array(true, true), plain = train(full({4, 4}, 0.5, float64), make());
    EXPECT(train(a, make()).is(a));
    EXPECT(train(b, make()).is(b));
    EXPECT_CLOSE(a, plain, {.atol = 0, .rtol = 0});
    EXPECT_CLOSE(b, plain, {.atol = 0, .rtol = 0});
    EXPECT_EQ(o.elements[5], plain[1].to_vector<double>()[1]);
  };
  both([] { return optimizers::SGD(0.1); });
  both([] { return optimizers::MomentumSGD(0.1); });
  both([] { return optimizers::Adam(); });
  Outside read_only(0.5);
  EXPECT_THROW(ValueError, "cannot be written to", train(read_only.array(false), optimizers::SGD(0.1)));
  EXPECT(read_only.is_still(0.5));
}
