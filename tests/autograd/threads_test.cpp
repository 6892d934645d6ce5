// SPDX-License-Identifier: MIT
// The floating-point mode of threads, and several threads calling one model.
#include <chainer/chainer.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "chainer/core/parallel.h"
#include "test.h"

using namespace chainer;

namespace {

bool same_bits(const Array& a, const Array& b) {
  return a.shape() == b.shape() && std::memcmp(a.raw(), b.raw(), static_cast<std::size_t>(a.nbytes())) == 0;
}

struct Net : Chain {
  L::Linear l1, l2;
  Net() : l1(20, 64), l2(64, 5) {}
  CHAINER_MEMBERS(Net, l1, l2);
  Variable forward(const Variable& x) { return F::softmax(l2(F::dropout(F::relu(l1(x))))); }
};

}  // namespace

TEST(a_forward_is_the_same_before_and_after_the_first_backward) {
  std::thread([] {
    cpu::flush_denormals(false);  // a thread inherits the mode of the thread that creates it
    const auto forward = [] {
      const Variable x(full({5000}, 1e-30f), true);
      return x * 1e-10f;  // a denormal number
    };
    const Array before = forward().array().copy();
    Variable loss = F::sum(forward());
    loss.backward();
    EXPECT(same_bits(forward().array().copy(), before));
    EXPECT_EQ(cpu::denormals_flushed(), config().flush_denormals.get());
  }).join();
}

TEST(a_hook_that_throws_at_its_end_is_reported) {
  struct Throws : FunctionHook {
    void deleted(FunctionNode*) override { throw RuntimeError("on purpose"); }
  } hook;
  struct LinkThrows : LinkHook {
    void deleted(Link*) override { throw RuntimeError("on purpose"); }
  } link_hook;
  {
    const FunctionHookScope scope(hook);
    const LinkHookScope link_scope(link_hook);
  }
  EXPECT(get_function_hooks().empty());
  EXPECT(get_link_hooks().empty());
}

TEST(threads_share_a_model_in_test_mode) {
  Net net;
  const Array x = random::uniform(-1, 1, {300, 20}).astype(float32);
  const UsingConfig test("train", false), no_graph("enable_backprop", false);
  const Array expected = net(x).array().copy();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      const UsingConfig own_test("train", false), own_no_graph("enable_backprop", false);  // each thread has its own
      for (int i = 0; i < 50; ++i)
        if (!same_bits(net(x).array().copy(), expected)) ++wrong;
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(threads_with_models_of_their_own_train_as_alone) {
  const auto train = [](uint32_t seed) {
    random::RandomState r(seed);
    const auto numbers = [&](const Shape& s) { return r.uniform(-1, 1, s).astype(float32); };
    Array w = numbers({64, 64}), b = numbers({64});
    for (int i = 0; i < 30; ++i) {
      Variable W(w, true), B(b, true);
      const Variable x(numbers({100, 64}));
      Variable loss = F::sum(F::square(F::tanh(F::linear(x, W, B)) - 0.5f));
      loss.backward();
      w -= W.grad() * 1e-3f;
      b -= B.grad() * 1e-3f;
    }
    return w.copy();
  };
  const Array alone[] = {train(1), train(2)};
  Array together[2];
  std::thread first([&] { together[0] = train(1); }), second([&] { together[1] = train(2); });
  first.join();
  second.join();
  for (int i = 0; i < 2; ++i) EXPECT(same_bits(alone[i], together[i]));
}

// Both threads only read x, although the first function that needs a graph creates its node.
TEST(threads_share_a_variable_without_a_node) {
  const Variable W(random::uniform(-1, 1, {4, 8}));
  int differ = 0;
  for (int round = 0; round < 200; ++round) {
    const Variable x(random::uniform(-1, 1, {4, 8}), false);
    std::atomic<int> ready{0};
    Ref<VariableNode> nodes[2];
    const auto reads = [&](int t) {
      ++ready;
      while (ready < 2) std::this_thread::yield();
      const Variable y = x * W;
      nodes[t] = y.creator()->inputs()[0];
      (void)x.requires_grad();
      (void)Variable(x).node();
    };
    std::thread other([&] { reads(0); });
    reads(1);
    other.join();
    differ += nodes[0] != nodes[1] || nodes[0] != x.node();
  }
  EXPECT_EQ(differ, 0);
}
