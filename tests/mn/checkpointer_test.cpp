// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "chainer/core/system/file.h"
#include "ranks.h"

using namespace chainer;
namespace fs = std::filesystem;

namespace {

// The same folder on all ranks.
fs::path folder(const chainermn::Communicator& c) {
  const fs::path p =
      c->bcast_obj(chainermn::Object((fs::temp_directory_path() / text("mn_checkpoints_", ::getpid())).string()))
          .to_text();
  if (c->rank() == 0) fs::remove_all(p), fs::create_directories(p);
  c->barrier();
  return p;
}

// A training run with every kind of state: shuffled examples, dropout, Adam.
struct Run {
  struct Net : Chain {
    L::Linear l1, l2;
    Net() : l1(8), l2(2) {}
    CHAINER_MEMBERS(Net, l1, l2);
    Variable forward(const Variable& x, const Variable& t) {
      return F::softmax_cross_entropy(l2(F::dropout(F::relu(l1(x)))), t);
    }
  };
  Net model;
  chainermn::MultiNodeOptimizer optimizer;
  iterators::SerialIterator it;
  training::StandardUpdater updater;
  Trainer trainer;
  std::shared_ptr<chainermn::MultiNodeCheckpointer> checkpointer;
  Run(const chainermn::Communicator& c, const fs::path& out, int64_t iterations, chainermn::CheckpointerOptions o = {})
      : optimizer(chainermn::create_multi_node_optimizer(optimizers::Adam(), c).setup(model)),
        it(data(c), 4),
        updater(it, optimizer),
        trainer(updater, {iterations, "iteration"}, {.out = out.string()}),
        checkpointer(chainermn::create_multi_node_checkpointer("run", c, o)) {}
  static AnyDataset data(const chainermn::Communicator& c) {
    const auto [begin, end] = chainermn::shard_of(40, c->rank(), c->size());
    return datasets::SubDataset(datasets::TupleDataset(random::RandomState(1).randn({40, 5}, float32),
                                                       random::RandomState(2).randint(0, 2, {40}, int32)),
                                begin, end);
  }
  std::vector<Array> values() {
    std::vector<Array> out;
    for (auto& p : model.params()) out.push_back(p.array().copy());
    return out;
  }
};
bool same(const std::vector<Array>& a, const std::vector<Array>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].to_vector<float>() != b[i].to_vector<float>()) return false;
  return a.size() == b.size();
}
void seed(const chainermn::Communicator& c) { random::seed(static_cast<uint32_t>(c->rank())); }

}  // namespace

TEST(checkpointer_resumes) {
  const auto& c = world();
  const fs::path at = folder(c);
  const int r = c->rank();
  const auto file = [&](int rank, int i) { return at / text("run.", rank, ".", i); };
  seed(c);
  Run whole(c, at / "whole", 30);
  whole.trainer.run(false);

  seed(c);
  {
    Run first(c, at, 21);
    EXPECT(!first.checkpointer->maybe_load(first.trainer));
    // It ends with an exception, so its files are kept.
    first.trainer.extend(first.checkpointer, {.trigger = {5, "iteration"}});
    first.trainer.extend([](Trainer& t) {
      if (t.updater().iteration() == 17) throw RuntimeError("power failure");
    });
    EXPECT_THROW(RuntimeError, "power failure", first.trainer.run(false));
    EXPECT(first.checkpointer->get_stats().starts_with("checkpoints: 3, seconds"));
    EXPECT(fs::exists(file(r, 15)));
  }
  c->barrier();
  // The newest checkpoint is damaged on one rank, and one exists on one rank only.
  if (r == c->size() - 1) {
    std::string bytes = read_file(file(r, 15));
    for (std::size_t i = 0; i < 300; ++i) ++bytes[bytes.size() / 2 + i];  // more bytes than between two arrays
    std::ofstream(file(r, 15), std::ios::binary) << bytes;
  }
  if (r == 0) fs::copy_file(file(0, 10), file(0, 90));
  c->barrier();
  {
    random::seed(99);
    Run second(c, at, 30);
    EXPECT(second.checkpointer->maybe_load(second.trainer, second.optimizer) == std::optional<int64_t>(10));
    EXPECT_EQ(second.updater.iteration(), 10);
    second.trainer.extend(second.checkpointer, {.trigger = {5, "iteration"}});
    second.trainer.run(false);
    EXPECT(same(second.values(), whole.values()));
    // The run has completed, so its files are removed.
    c->barrier();
    EXPECT(!fs::exists(file(r, 30)) && !fs::exists(file(r, 10)));
  }
  c->barrier();
  if (r == 0) fs::remove_all(at);
}

TEST(checkpointer_with_another_number_of_ranks) {
  const auto& c = world();
  const fs::path at = folder(c);
  const auto half = c->split(c->rank() < c->size() / 2 ? 0 : 1, c->rank());
  // The first update of several ranks only makes their parameters equal.
  const int64_t without = c->size() / 2 > 1 ? 1 : 0;
  // Half of the ranks train 8 iterations; all ranks continue, then one alone.
  if (c->rank() < c->size() / 2) {
    seed(c);
    Run few(half, at, 100);
    few.trainer.extend(few.checkpointer, {.trigger = {8, "iteration"}});
    few.trainer.extend(
        [](Trainer& t) {
          if (t.updater().iteration() == 8) throw StopIteration("enough");
        },
        {.priority = -200});
    EXPECT_THROW(StopIteration, "enough", few.trainer.run(false));
    serializers::save_npz(at / "few.npz", few.model);
  }
  c->barrier();
  Run all(c, at, 100);
  EXPECT(all.checkpointer->maybe_load(all.trainer) == std::optional<int64_t>(8));
  Run::Net few;
  serializers::load_npz(at / "few.npz", few);
  EXPECT(same(all.values(), [&] {
    std::vector<Array> v;
    for (auto& p : few.params()) v.push_back(p.array());
    return v;
  }()));
  EXPECT_EQ(all.optimizer.t, 8 - without);
  EXPECT_EQ(all.it.position.current_position, 0);
  all.trainer.extend(all.checkpointer, {.trigger = {4, "iteration"}});
  all.trainer.extend(
      [](Trainer& t) {
        if (t.updater().iteration() == 12) throw StopIteration("enough");
      },
      {.priority = -200});
  EXPECT_THROW(StopIteration, "enough", all.trainer.run(false));
  EXPECT_EQ(all.optimizer.t, 12 - without);
  c->barrier();
  const auto alone = c->split(c->rank(), 0);
  if (c->rank() == 0) {
    Run one(alone, at, 14);
    EXPECT(one.checkpointer->maybe_load(one.trainer) == std::optional<int64_t>(12));
    one.trainer.run(false);
    EXPECT_EQ(one.updater.iteration(), 14);
  }
  c->barrier();
  if (c->rank() == 0) fs::remove_all(at);
}

TEST(checkpoints_stay_after_an_exception_in_the_last_iteration) {
  const auto& c = world();
  for (const int failing : {0, c->size() - 1, -1}) {  // -1: all of them
    const fs::path at = folder(c);
    seed(c);
    Run run(c, at, 6);
    run.trainer.extend(run.checkpointer, {.trigger = {2, "iteration"}});
    run.trainer.extend([&](Trainer& t) {
      if (t.updater().iteration() == 6 && (failing < 0 || failing == c->rank())) throw RuntimeError("at the very end");
    });
    if (failing < 0 || failing == c->rank())
      EXPECT_THROW(RuntimeError, "at the very end", run.trainer.run(false));
    else
      run.trainer.run(false);
    c->barrier();
    EXPECT(fs::exists(at / text("run.", c->rank(), ".4")));
    Run again(c, at, 6);
    EXPECT(again.checkpointer->maybe_load(again.trainer) == std::optional<int64_t>(4));
    c->barrier();
    if (c->rank() == 0) fs::remove_all(at);
  }
}

TEST(a_checkpoint_that_is_cut_short_is_named) {
  const auto& c = world();
  const fs::path at = folder(c);
  seed(c);
  {
    Run first(c, at, 100);
    first.trainer.extend(first.checkpointer, {.trigger = {3, "iteration"}});
    first.trainer.extend(
        [](Trainer& t) {
          if (t.updater().iteration() == 6) throw StopIteration("enough");
        },
        {.priority = -200});
    EXPECT_THROW(StopIteration, "enough", first.trainer.run(false));
  }
  c->barrier();
  if (c->rank() == 0) fs::resize_file(at / "run.0.6", 1000);
  c->barrier();
  const int64_t warnings = warning_count();
  Run again(c, at, 100);
  EXPECT(again.checkpointer->maybe_load(again.trainer) == std::optional<int64_t>(3));
  EXPECT_EQ(warning_count() - warnings, c->rank() == 0 ? 1 : 0);
  c->barrier();
  if (c->rank() == 0) fs::remove_all(at);
}

TEST(orders_drawn_ahead_by_another_number_of_ranks_are_not_taken) {
  const auto& c = world();
  const fs::path at = folder(c);
  struct Ahead {
    Run::Net model;
    chainermn::MultiNodeOptimizer optimizer;
    iterators::MultithreadIterator it;
    training::StandardUpdater updater;
    Trainer trainer;
    explicit Ahead(const chainermn::Communicator& comm, const fs::path& out)
        : optimizer(chainermn::create_multi_node_optimizer(optimizers::Adam(), comm).setup(model)),
          it(Run::data(comm), 4),
          updater(it, optimizer),
          trainer(updater, {1000, "iteration"}, {.out = out.string()}) {}
  };
  const auto alone = c->split(c->rank(), 0);
  if (c->rank() == 0) {
    Ahead one(alone, at);
    const auto checkpointer = chainermn::create_multi_node_checkpointer("run", alone);
    for (int i = 0; i < 8; ++i)
      one.updater.update();  // after the ninth update; the tenth ends the epoch and draws an order
    one.trainer.extend([](Trainer&) { throw StopIteration("enough"); }, {.priority = -200});
    one.trainer.extend(checkpointer, {.trigger = {1, "iteration"}});
    EXPECT_THROW(StopIteration, "enough", one.trainer.run(false));
    EXPECT(fs::exists(at / "run.0.9"));
  }
  c->barrier();
  Ahead all(c, at);
  const auto checkpointer = chainermn::create_multi_node_checkpointer("run", c);
  EXPECT(checkpointer->maybe_load(all.trainer) == std::optional<int64_t>(9));
  all.updater.update();
  EXPECT_EQ(all.updater.iteration(), 10);
  c->barrier();
  if (c->rank() == 0) fs::remove_all(at);
}

TEST(checkpointer_collects_old_files) {
  const auto& c = world();
  const fs::path at = folder(c);
  seed(c);
  Run run(c, at, 100, {.cp_interval = 2, .gc_interval = 4});
  run.trainer.extend(run.checkpointer, {.trigger = {1, "iteration"}});
  run.trainer.extend(
      [](Trainer& t) {
        if (t.updater().iteration() == 12) throw StopIteration("enough");
      },
      {.priority = -200});
  EXPECT_THROW(StopIteration, "enough", run.trainer.run(false));
  int mine = 0;
  for (const auto& e : fs::directory_iterator(at))
    mine += e.path().filename().string().starts_with(text("run.", c->rank(), "."));
  EXPECT_EQ(mine, 6);  // two were kept when the eighth was saved, and four were added since
  EXPECT(fs::exists(at / text("run.", c->rank(), ".7")) && !fs::exists(at / text("run.", c->rank(), ".6")));
  EXPECT_THROW(ValueError, "contain a dot", chainermn::create_multi_node_checkpointer("a.b", c));
  EXPECT_THROW(ValueError, "cp_interval is 0", chainermn::create_multi_node_checkpointer("a", c, {.cp_interval = 0}));
  c->barrier();
  if (c->rank() == 0) fs::remove_all(at);
}
