// SPDX-License-Identifier: MIT
// One model used by many threads, as serving.md describes. The thread sanitizer also checks for races.
#include <chainer/chainer.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>

#include "test.h"

using namespace chainer;

namespace {

struct Inner : Chain {
  L::Linear a, b;
  Inner() : a(8, 8), b(8, 8) {}
  CHAINER_MEMBERS(Inner, a, b);
  Variable forward(const Variable& x) { return b(F::relu(a(x))); }
};
struct Served : Chain {
  L::Linear l1;
  Inner inner;
  std::shared_ptr<Inner> shared = std::make_shared<Inner>();
  int count = 3;
  float ratio = 0.5f;
  Served() : l1(8, 8) {}
  CHAINER_MEMBERS(Served, l1, inner, shared, count, ratio);
  Variable forward(const Variable& x) { return (*shared)(inner(l1(x))); }
};

// Runs f(0), f(1), ... on `count` threads at once.
void on_threads(int count, const std::function<void(int)>& f) {
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t)
    threads.emplace_back([&, t] {
      ++ready;
      while (ready < count) std::this_thread::yield();
      f(t);
    });
  for (std::thread& t : threads) t.join();
}

bool same_elements(const Array& a, const Array& b) {
  return a.shape() == b.shape() && std::memcmp(a.raw(), b.raw(), static_cast<std::size_t>(a.nbytes())) == 0;
}

}  // namespace

TEST(threads_share_a_model_whose_calls_throw) {
  for (int round = 0; round < 20; ++round) {
    Served net;
    std::atomic<int> located{0};
    on_threads(4, [&](int t) {
      const UsingConfig test_mode(&Config::train, false);
      const NoBackpropMode no_graph;
      for (int i = 0; i < 5; ++i) {
        try {
          (void)(t % 2 ? net(zeros({2, 7})) : net.shared->b(zeros({2, 7})));
        } catch (const Error& e) {
          located += std::string(e.what()).find(t % 2 ? "in /l1 of Served" : "Linear") != std::string::npos;
        }
      }
    });
    EXPECT_EQ(located.load(), 4 * 5);
  }
}

TEST(threads_walk_one_model) {
  for (int round = 0; round < 20; ++round) {
    Served net;
    std::atomic<int> right{0};
    on_threads(4, [&](int) {
      right += net.namedlinks().size() == 8 && net.namedparams().size() == 10 && net.inner.a.name() == "a" &&
               net.children()[0]->name() == "inner" && net.count_params() == 10 * 36 && net.inner.b.name() == "b";
    });
    EXPECT_EQ(right.load(), 4);
  }
}

// A link in two trees gets its name from the last walk.
TEST(names_follow_the_walk) {
  const auto shared = std::make_shared<Inner>();
  struct Pair {
    Chain first, second;
  } pair;
  pair.first.add_link("one", shared);
  pair.second.add_link("two", shared);
  for (int i = 0; i < 3; ++i) {
    (void)pair.first.namedlinks();
    EXPECT_EQ(shared->name(), "one");
    (void)pair.second.children();
    EXPECT_EQ(shared->name(), "two");
  }
  Inner moved = std::move(*shared);
  EXPECT_EQ(moved.name(), "two");
  Inner assigned;
  assigned = std::move(moved);
  EXPECT_EQ(assigned.name(), "two");
  EXPECT_EQ(assigned.copy().name(), "");
}

// "Load into another model, then exchange a std::shared_ptr."
TEST(a_model_is_exchanged_while_others_answer) {
  const UsingConfig test_mode(&Config::train, false);
  const Array x = random::uniform(-1, 1, {2, 8}).astype(float32);
  std::mutex mutex;
  auto net = std::make_shared<Served>();
  std::vector<Array> answers;
  std::vector<serializers::DictionarySerializer> files(2);
  for (auto& file : files) {
    Served one;
    answers.push_back(one(x).array().copy());
    one.serialize(file);
  }
  const auto load = [&](std::size_t i) {
    auto next = std::make_shared<Served>();
    for (const auto& [path, p] : next->namedparams()) {
      chainer::Parameter to = p;
      to.set_array(std::get<Array>(files[i].target().at(path.substr(1))));
    }
    const std::lock_guard hold(mutex);
    net.swap(next);
  };
  load(0);
  std::atomic<int> wrong{0};
  on_threads(4, [&](int t) {
    const UsingConfig own(&Config::train, false), no_graph(&Config::enable_backprop, false);
    for (std::size_t i = 0; i < 20; ++i) {
      if (t == 0) {
        load(i % 2);
        memory::empty_cache();
        continue;
      }
      const auto mine = [&] {
        const std::lock_guard hold(mutex);
        return net;
      }();
      const Array y = (*mine)(x).array();
      const auto is = [&](const Array& a) { return max(absolute(y - a)).item<float>() < 1e-5f; };
      wrong += !is(answers[0]) && !is(answers[1]);
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

// "Each thread takes a copy(), which shares the arrays."
TEST(threads_copy_a_link_that_keeps_a_state) {
  L::LSTM lstm(4, 4);
  const Array x = random::uniform(-1, 1, {2, 4}).astype(float32);
  const auto run = [&](L::LSTM own) {
    const NoBackpropMode no_graph;
    for (int i = 0; i < 4; ++i) (void)own(x);
    return own(x).array().copy();
  };
  const Array expected = run(lstm.copy());
  std::atomic<int> wrong{0};
  on_threads(4, [&](int) {
    for (int i = 0; i < 5; ++i) wrong += !same_elements(run(lstm.copy()), expected);
  });
  EXPECT_EQ(wrong.load(), 0);
}

// "The library spreads large operations over threads of its own."
TEST(threads_compute_large_operations_at_once) {
  const Array a = random::uniform(-1, 1, {300, 300}).astype(float32);
  const Variable shared(a, false);
  const auto run = [&] { return F::softmax(F::tanh(F::matmul(shared, shared)) * shared + 1.f).array().copy(); };
  const NoBackpropMode no_graph;
  const Array expected = run();
  std::atomic<int> wrong{0};
  on_threads(4, [&](int) {
    const NoBackpropMode own_no_graph;
    for (int i = 0; i < 5; ++i) wrong += !same_elements(run(), expected);
  });
  EXPECT_EQ(wrong.load(), 0);
}
