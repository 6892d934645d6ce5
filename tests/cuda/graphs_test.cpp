// SPDX-License-Identifier: MIT
// Static graphs and recorded functions on a device: after some replays each is one launch, with the results of
// define-by-run, whatever happens to memory, parameters and results in between.
#include <chainer/chainer.h>
#include <chainer/graph_optimizations/static_graph.h>

#include <atomic>
#include <thread>

#include "../captured_stderr.h"
#include "../folder.h"
#include "chainer/array/host.h"
#include "chainer/array/recording/replays.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/emulation/driver_emulated.h"
#include "chainer/core/system/file.h"
#include "emulated_number.h"
#include "test.h"

using namespace chainer;

namespace {

constexpr int kUntilCaptured = 8;

cuda::CudaBackend& backend() { return dynamic_cast<cuda::CudaBackend&>(emulated_number(0).backend()); }
// (On a GPU programs are compiled first.)
int64_t calls() {
  backend().compiled_programs().wait();
  return backend().counts(0).calls;
}
Array on_device(const Array& a) { return a.to_device(emulated_number(0)); }
Array numbers(int seed, const Shape& shape) {
  return random::RandomState(static_cast<uint32_t>(seed)).randn(shape).astype(float32);
}
bool same(const Array& a, const Array& b) { return to_host(a).to_vector<float>() == to_host(b).to_vector<float>(); }

Variable chain(const Variable& x, const Variable& w) {
  Variable h = x;
  for (int i = 0; i < 100; ++i) h = F::tanh(h * w + x);
  return F::sum(F::matmul(h, w));
}

struct Net : Chain {
  L::Linear l1{20}, l2{3};
  L::BatchNormalization bn{20};
  CHAINER_MEMBERS(Net, l1, bn, l2);
  Variable forward(const Variable& x) { return l2(F::relu(bn(l1(x)))); }
};

}  // namespace

TEST(a_replay_on_a_device_is_one_launch) {
  const auto f = static_graph([](const Variable& x, const Variable& w) { return chain(x, w); });
  const Array x = on_device(numbers(1, {8, 8})), w = on_device(numbers(2, {8, 8}));
  const NoBackpropMode mode;
  const Array want = chain(Variable(x, false), Variable(w, false)).array();
  int64_t launched = 0;
  for (int i = 0; i < kUntilCaptured; ++i) {
    const int64_t before = calls();
    const Variable y = f(Variable(x, false), Variable(w, false));
    launched = calls() - before;
    EXPECT(same(y.array(), want));
  }
  EXPECT_EQ(launched, 1);
  EXPECT_EQ(f.schedule_manager().refused(), "");
}

// Forward and backward are a launch each; arguments at new addresses are copied.
TEST(a_static_step_is_two_launches_and_copies) {
  const auto f = static_graph([](const Variable& x, const Variable& w) { return chain(x, w); });
  Variable w(on_device(numbers(2, {8, 8})));
  int64_t launched = 0;
  Arrays held;  // so that memory moves
  for (int i = 0; i < 2 * kUntilCaptured; ++i) {
    const Array x = on_device(numbers(i, {8, 8}));
    held.push_back(on_device(numbers(i, {i + 1, 50})));
    const int64_t before = calls();
    Variable loss = f(Variable(x, false), w);
    w.cleargrad();
    loss.backward();
    launched = calls() - before;
    const Array grad = w.grad();
    Variable again(w.array());
    Variable plain = chain(Variable(x, false), again);
    plain.backward();
    EXPECT(same(loss.array(), plain.array()));
    EXPECT(same(grad, again.grad()));
  }
  EXPECT(launched <= 6);  // two graphs, copies of the arguments, the gradient of the loss
}

// Results that are still held keep their elements.
TEST(results_of_graphs_are_not_overwritten) {
  const auto f = static_graph([](const Variable& x) { return F::exp(F::sin(x) * 2.0) + F::tanh(x); });
  const NoBackpropMode mode;
  std::vector<Array> results, want;
  for (int i = 0; i < 4 * kUntilCaptured; ++i) {
    const Variable x(on_device(numbers(i, {5, 30})), false);
    results.push_back(f(x).array());
    want.push_back((F::exp(F::sin(x) * 2.0) + F::tanh(x)).array());
    if (i % 11 == 10) results.erase(results.begin(), results.begin() + 5), want.erase(want.begin(), want.begin() + 5);
  }
  for (std::size_t i = 0; i < results.size(); ++i) EXPECT(same(results[i], want[i]));
}

// The parameters change, persistent values are updated, memory is freed and reused: losses and weights are those of
// define-by-run.
TEST(training_by_graphs_gives_the_weights_of_define_by_run) {
  const auto train = [](bool with_graphs) {
    random::seed(3);
    Net net;
    net.to_device(emulated_number(0));
    auto optimizer = optimizers::Adam();
    optimizer.setup(net);
    const auto forward = [&net](const Variable& x) { return net(x); };
    const auto f = static_graph(forward, net);
    std::vector<float> out;
    for (int i = 0; i < 3 * kUntilCaptured; ++i) {
      const Variable x(on_device(numbers(i, {6, 4})), false);
      const Variable t(on_device(random::RandomState(static_cast<uint32_t>(i)).randint(0, 3, {6}).astype(int32)),
                       false);
      const Variable y = with_graphs ? f(x) : forward(x);
      Variable loss = F::softmax_cross_entropy(y, t);
      net.cleargrads();
      loss.backward();
      optimizer.update();
      if (i % 5 == 0) emulated_number(0).empty_cache();
      out.push_back(to_host(loss.array()).item<float>());
    }
    if (with_graphs) {
      EXPECT_EQ(f.schedule_manager().refused(), "");
      EXPECT(f.schedule_manager().counts().replayed > kUntilCaptured);
    }
    for (const float v : to_host(net.bn.avg_mean).to_vector<float>()) out.push_back(v);
    return out;
  };
  EXPECT(train(true) == train(false));
}

// Dropout draws other numbers at each replay, by a launch of its own.
TEST(dropout_in_a_graph_draws_each_time) {
  const auto f = static_graph([](const Variable& x) { return F::sum(F::dropout(F::tanh(x) * 2.0 + x, 0.5) * 3.0); });
  const NoBackpropMode mode;
  const Variable x(on_device(numbers(1, {40, 40})), false);
  std::vector<float> plain, replayed;
  for (const bool with : {false, true}) {
    random::seed(7);
    for (int i = 0; i < 2 * kUntilCaptured; ++i) {
      const Variable y = with ? f(x) : F::sum(F::dropout(F::tanh(x) * 2.0 + x, 0.5) * 3.0);
      (with ? replayed : plain).push_back(to_host(y.array()).item<float>());
    }
  }
  EXPECT(plain == replayed);
  EXPECT(replayed[kUntilCaptured] != replayed[kUntilCaptured + 1]);
}

// The mask of causal attention is computed on the device, so that no loop on the host ends the recording.
TEST(causal_attention_replays_as_a_graph) {
  const auto attention = [](const Variable& x) { return F::scaled_dot_product_attention(x, x, x, {.causal = true}); };
  const auto f = static_graph(attention);
  const NoBackpropMode mode;
  int64_t launched = 0;
  const Variable x(on_device(numbers(1, {2, 3, 64, 8})), false);
  for (int i = 0; i < kUntilCaptured; ++i) {
    const int64_t before = calls();
    const Array y = f(x).array();
    launched = calls() - before;
    EXPECT(same(y, attention(x).array()));
  }
  EXPECT_EQ(f.schedule_manager().refused(), "");
  EXPECT_EQ(launched, 1);
}

// Labels are checked at each replay.
TEST(wrong_labels_are_found_by_replays) {
  const auto f = static_graph(
      [](const Variable& x, const Variable& t) { return F::softmax_cross_entropy(F::tanh(x) * 2.0, t) * 0.5; });
  const NoBackpropMode mode;
  const Variable x(on_device(numbers(1, {4, 3})), false);
  const auto labels = [](int last) { return Variable(on_device(array({0, 1, 2, last}).astype(int32)), false); };
  for (int i = 0; i < kUntilCaptured; ++i) (void)to_host(f(x, labels(i % 3)).array());
  EXPECT_THROW(IndexError, "", to_host(f(x, labels(3)).array()));
  EXPECT(same(f(x, labels(1)).array(), (F::softmax_cross_entropy(F::tanh(x) * 2.0, labels(1)) * 0.5).array()));
}

// Functions of arrays, as prepared networks and imported models: constants stay, threads have graphs of their own.
TEST(recorded_functions_are_graphs) {
  const Array w = on_device(numbers(1, {30, 30}));
  const recording::Replays::Function f = [&](const Arrays& in) {
    Array h = in[0];
    for (int i = 0; i < 5; ++i) h = dot(h, w) * 0.2 + 1.0;
    return Arrays{h};
  };
  recording::Replays replays(4);
  int64_t launched = 0;
  for (int i = 0; i < kUntilCaptured + 2; ++i) {
    const Array x = on_device(numbers(i % 2, {7, 30}));
    const int64_t before = calls();
    const Array y = replays(f, {x})[0];
    launched = calls() - before;
    EXPECT(same(y, f({x})[0]));
  }
  EXPECT(launched <= 2);  // the graph, and a copy of the argument
  EXPECT_EQ(replays.refused(), "");
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int k = 0; k < 3; ++k)
    threads.emplace_back([&, k] {
      for (int i = 0; i < 3 * kUntilCaptured; ++i) {
        const Array x = on_device(numbers(100 * k + i, {7, 30}));
        wrong += !same(replays(f, {x})[0], f({x})[0]);
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong.load(), 0);
}

// A device that cannot capture launches the steps one by one, which is said once.
TEST(a_capture_that_fails_is_said_once) {
  auto driver = std::make_unique<cuda::emulation::EmulatedDriver>(cuda::emulation::EmulatedDriver::Options{});
  cuda::emulation::EmulatedDriver& emulated = *driver;
  cuda::CudaBackend mine(std::move(driver), "@failing");
  const Device device(mine, 0);
  const Array w = numbers(2, {6, 6}).to_device(device);
  const recording::Replays::Function f = [&w](const Arrays& in) {
    Array h = in[0];
    for (int i = 0; i < 3; ++i) h = dot(tanh(h * 2.0), w);
    return Arrays{h};
  };
  const test::Folder folder;
  const std::string file = (folder.path / "said").string();
  {
    const test::CapturedStderr captured(file);
    recording::Replays replays(4);
    const Array x = numbers(1, {5, 6}).to_device(device);
    const Array want = f({x})[0];
    for (int i = 0; i < 3 * kUntilCaptured; ++i) {
      emulated.fail_captures(true);
      EXPECT(same(replays(f, {x})[0], want));
    }
    EXPECT_EQ(replays.refused(), "");
  }
  const std::string said = read_file(file);
  EXPECT(said.find("cannot be captured and are launched one by one: ") != std::string::npos);
  EXPECT_EQ(said.find("cannot be captured"), said.rfind("cannot be captured"));
}

// What a capture allocates is not handed out while its graph lives, and is returned when it ends.
TEST(memory_of_a_graph_is_its_own) {
  const Device device = emulated_number(0);
  (void)to_host(on_device(numbers(1, {3})) * 2.0 + 1.0);  // numbers that the device keeps
  const int64_t in_use = device.memory_statistics().in_use;
  {
    Array out(Shape{1000}, float32, device);
    const Array x = on_device(numbers(1, {1000}));
    const auto work = backend().capture(0, [&] {
      const Array twice = (x * 2.0).copy();
      copy_elements(twice + 1.0, out);
      force(out.body());
    });
    EXPECT(work != nullptr);
    Arrays others;
    for (int i = 0; i < 20; ++i) others.push_back((x * 2.0).copy());
    work->launch();
    EXPECT(same(out, x * 2.0 + 1.0));
    for (int i = 0; i < 20; ++i) EXPECT(same(others[static_cast<std::size_t>(i)], x * 2.0));
  }
  EXPECT_EQ(device.memory_statistics().in_use, in_use);
}

TEST(calls_that_end_a_capture) {
  const Array x = on_device(numbers(1, {10}));
  const auto refusal = [&](const std::function<void()>& work) {
    try {
      (void)backend().capture(0, work);
      return std::string("none");
    } catch (const NotCaptured& e) { return e.why; }
  };
  EXPECT_EQ(refusal([&] { (void)to_host(x); }), "it copies to the host");
  EXPECT_EQ(refusal([&] { (void)on_device(numbers(1, {3})); }), "it copies from the host");
  EXPECT_EQ(refusal([&] { backend().synchronize(0); }), "it waits for the device");
  Array kept;
  EXPECT_EQ(refusal([&] { kept = x.copy(); }), "it keeps memory that it allocates");
  EXPECT_EQ(refusal([&] { (void)x.copy(); }), "none");
  EXPECT(same(x, numbers(1, {10})));
}
