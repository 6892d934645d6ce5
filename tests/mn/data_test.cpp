// SPDX-License-Identifier: MIT
#include <numeric>
#include <set>

#include "ranks.h"

using namespace chainer;

TEST(scatter_dataset) {
  for (const auto& c : communicators()) {
    const int last = c->size() - 1;
    for (const int root : {0, last})
      for (const int64_t n : {int64_t(10), int64_t(8), int64_t(1), int64_t(0)}) {
        const AnyDataset whole = datasets::TupleDataset(arange(n) * 2, arange(n).astype(float32));
        const AnyDataset mine =
            chainermn::scatter_dataset(c->rank() == root ? whole : AnyDataset(), c, {.root = root, .max_buf_len = 200});
        const auto [begin, end] = chainermn::shard_of(n, c->rank(), c->size());
        EXPECT_EQ(mine.size(), end - begin);
        for (int64_t i = 0; i < mine.size(); ++i) {
          EXPECT_EQ(mine[i][0].item<int64_t>(), 2 * (begin + i));
          EXPECT_EQ(mine[i][1].dtype(), float32);
        }
      }
    // A seed gives each rank the same examples every time; together they are the dataset.
    std::vector<int64_t> first;
    for (int i = 0; i < 2; ++i) {
      const AnyDataset mine = chainermn::scatter_dataset(arange(4 * c->size()), c, {.shuffle = true, .seed = 7});
      std::vector<int64_t> got;
      for (int64_t k = 0; k < mine.size(); ++k) got.push_back(mine[k][0].item<int64_t>());
      if (i == 0) first = got;
      EXPECT(got == first);
      const Array sum = c->allreduce(array(std::accumulate(got.begin(), got.end(), int64_t(0))));
      EXPECT_EQ(sum.item<int64_t>(), 4 * c->size() * (4 * c->size() - 1) / 2);
    }
  }
  EXPECT_THROW(ValueError, "the dataset is none", chainermn::scatter_dataset(AnyDataset(), world()));
  EXPECT_THROW(ValueError, "max_buf_len", chainermn::scatter_dataset(arange(3), world(), {.max_buf_len = 2147483647}));
  EXPECT_THROW(ValueError, "root 99", chainermn::scatter_dataset(arange(3), world(), {.root = 99}));
}

namespace {
struct Broken : Dataset {
  int64_t size() const override { return 8; }
  Example get(int64_t i) const override {
    if (i == at) throw ValueError("the file is damaged");
    return array(i);
  }
  int64_t at = 7;
};
}  // namespace

// Also ranks that have got their examples before the damaged one was read.
TEST(scatter_dataset_errors_reach_all_ranks) {
  const auto& c = world();
  const auto expect_errors = [&](const AnyDataset& broken, const std::string& what) {
    if (c->rank() == 0)
      EXPECT_THROW(ValueError, what, chainermn::scatter_dataset(broken, c, {.max_buf_len = 100}));
    else
      EXPECT_THROW(Error, "rank 0: " + what, chainermn::scatter_dataset(AnyDataset(), c));
    c->barrier();
  };
  for (int64_t i = 8 / c->size(); i < 8; ++i) {  // after the part of rank 0, which is not read
    Broken broken;
    broken.at = i;
    expect_errors(broken, "the file is damaged");
  }
  struct NoSize : Broken {
    int64_t size() const override { throw ValueError("the list is damaged"); }
  };
  expect_errors(NoSize(), "the list is damaged");
}

// A random transform would be applied only once to each example of the other ranks.
TEST(scatter_dataset_refuses_random_transforms) {
  const auto& c = world();
  const auto scatter = [&](const std::function<Example(const Example&)>& transform) {
    const AnyDataset whole = datasets::TransformDataset(AnyDataset(arange(8)), transform);
    return chainermn::scatter_dataset(c->rank() == 0 ? whole : AnyDataset(), c);
  };
  const std::vector<std::function<Example(const Example&)>> random_ones = {
      [](const Example& e) { return Example(e[0] + dataset::example_random().below(1000)); },
      [](const Example& e) { return Example(e[0] + random::global().next_uint32() % 1000); },
      [](const Example& e) { return Example(e[0] + random::randn({})); }};
  for (const auto& f : random_ones) {
    if (c->rank() == 0)
      EXPECT_THROW(ValueError, "is drawn anew at each visit", scatter(f));
    else
      EXPECT_THROW(RuntimeError, "without its random transforms", scatter(f));
  }
  const AnyDataset fixed = scatter([](const Example& e) { return Example(e[0] * 2); });
  EXPECT(fixed.size() > 0);
  const AnyDataset drawn = datasets::TransformDataset(fixed, random_ones[0]);  // each rank draws its own
  dataset::begin_example(1);
  const auto first = drawn[0][0].item<int64_t>();
  dataset::begin_example(2);
  EXPECT(drawn[0][0].item<int64_t>() != first);
  c->barrier();
}

TEST(multi_node_iterator) {
  const auto& c = world();
  for (const int master : {0, c->size() - 1}) {
    const bool is_master = c->rank() == master;
    const AnyDataset whole = datasets::TupleDataset(arange(10), arange(10).astype(float64));
    const AnyDataset own = is_master ? whole : chainermn::datasets::create_empty_dataset(whole);
    random::seed(static_cast<uint32_t>(c->rank()));
    auto it = chainermn::iterators::create_multi_node_iterator(iterators::SerialIterator(own, 4), c, master);
    for (int i = 0; i < 7; ++i) {
      const Examples batch = it.next();
      std::vector<int64_t> mine;
      for (const Example& e : batch) mine.push_back(e[0].item<int64_t>());
      EXPECT_CLOSE(c->bcast(array(mine)), array(mine));
      EXPECT_EQ(batch[0][1].dtype(), float64);
      EXPECT_EQ(it.epoch(), (i + 1) * 4 / 10);
      EXPECT(std::abs(it.epoch_detail() - (i + 1) * 0.4) < 1e-12);
    }
    serializers::DictionarySerializer s;
    it.serialize(s);
    EXPECT_EQ(s.target().empty(), !is_master);
    it.reset();
    EXPECT_EQ(it.epoch(), 0);
    // Reads to the end, without repeat.
    auto once = chainermn::iterators::create_multi_node_iterator(
        iterators::SerialIterator(own, 4, {.repeat = false, .shuffle = false}), c, master);
    EXPECT(!once.repeat());
    int64_t count = 0;
    while (const auto batch = once.try_next()) count += static_cast<int64_t>(batch->size());
    EXPECT_EQ(count, 10);
  }
  // An error of the master is thrown on all ranks.
  auto it = chainermn::iterators::create_multi_node_iterator(
      iterators::SerialIterator(c->rank() == 0 ? AnyDataset(Broken()) : AnyDataset(arange(8)), 8,
                                {.repeat = true, .shuffle = false}),
      c);
  EXPECT_THROW(Error, "the file is damaged", it.next());
}

TEST(synchronized_iterator) {
  const auto& c = world();
  random::seed(static_cast<uint32_t>(c->rank()));
  const auto make = [&] {
    return chainermn::iterators::create_synchronized_iterator<iterators::SerialIterator>(c, arange(10), 3);
  };
  auto it = make();
  std::vector<int64_t> seen;
  const auto read = [&](Iterator& from, int batches) {
    std::vector<int64_t> out;
    for (int i = 0; i < batches; ++i)
      for (const Example& e : from.next()) out.push_back(e[0].item<int64_t>());
    return out;
  };
  seen = read(it, 8);
  EXPECT_CLOSE(c->bcast(array(seen)), array(seen));
  // A resumed iterator continues with the same orders.
  serializers::DictionarySerializer s;
  it.serialize(s);
  auto again = make();
  serializers::NpzDeserializer in(
      std::make_shared<const serializers::NpzFile>(serializers::npz_bytes(s.target()), "memory"));
  again.serialize(in);
  EXPECT(read(it, 12) == read(again, 12));
}

// Few examples have few orders; all of them appear again and again.
TEST(synchronized_iterator_of_few_examples) {
  const auto& c = world();
  const auto read = [&](Iterator& from, int64_t n, int epochs) {
    std::vector<std::vector<int64_t>> orders;
    for (int i = 0; i < epochs; ++i) {
      std::vector<int64_t> order;
      for (int64_t k = 0; k < n; ++k) order.push_back(from.next()[0][0].item<int64_t>());
      EXPECT_CLOSE(c->bcast(array(order)), array(order));
      orders.push_back(order);
    }
    return orders;
  };
  for (const int64_t n : {int64_t(2), int64_t(3)})
    for (uint32_t seed = 0; seed < 5; ++seed) {
      random::seed(seed);
      const auto make = [&] { return chainermn::iterators::create_synchronized_iterator<>(c, arange(n), 1); };
      auto it = make(), again = make();
      for (int part = 0; part < 2; ++part) {
        const auto orders = read(it, n, 40);
        EXPECT_EQ(static_cast<int64_t>(std::set(orders.begin(), orders.end()).size()), n == 2 ? 2 : 6);
      }
      serializers::DictionarySerializer s;
      it.serialize(s);
      serializers::NpzDeserializer in(
          std::make_shared<const serializers::NpzFile>(serializers::npz_bytes(s.target()), "memory"));
      again.serialize(in);
      EXPECT(read(it, n, 40) == read(again, n, 40));
    }
}

TEST(multi_node_evaluator) {
  struct Named : extensions::Evaluator {
    Named(int rank) : Evaluator(iterators::SerialIterator(arange(2), 1, {.repeat = false}), L::Linear(1, 1)), r(rank) {}
    std::map<std::string, double> evaluate() override {
      std::map<std::string, double> out{{"loss", r}};
      if (r == bad) out["other"] = 1;
      return out;
    }
    int r, bad = -1;
  };
  const auto& c = world();
  auto evaluator = chainermn::create_multi_node_evaluator(Named(c->rank()), c);
  EXPECT_EQ(evaluator.evaluate().at("loss"), (c->size() - 1) / 2.0);
  evaluator.bad = c->size() - 1;
  EXPECT_THROW(ValueError, "'other' is reported by rank", evaluator.evaluate());
}

namespace {
struct Persistents : Link {
  Array mean = zeros({3});
  Array count = zeros({2}, int64);
  double number = 0;
  int64_t whole = 0;
  CHAINER_MEMBERS(Persistents, mean, count, number, whole);
};
}  // namespace

TEST(allreduce_persistent) {
  const auto& c = world();
  Persistents p;
  p.mean.fill(c->rank());
  p.count.fill(c->rank());
  p.number = c->rank();
  p.whole = c->rank();
  chainermn::extensions::AllreducePersistent average(p, c);
  average();
  const double mean = (c->size() - 1) / 2.0;
  EXPECT_CLOSE(p.mean, full({3}, mean, float32));
  EXPECT_EQ(p.number, mean);
  EXPECT_EQ(p.whole, c->rank());
  EXPECT_CLOSE(p.count, full({2}, c->rank(), int64));
  EXPECT_EQ(average.priority(), 301);
}
