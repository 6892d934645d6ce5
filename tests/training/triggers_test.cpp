// SPDX-License-Identifier: MIT
#include "chainer/training/mock_updater.h"
#include "small_run.h"
#include "test.h"

namespace {

using Mock = chainer::testing::MockUpdater;

std::vector<int64_t> firings(Trigger trigger, int64_t per_epoch = 10, int64_t until = 30) {
  Mock updater(per_epoch);
  Trainer trainer(updater, {until, "iteration"}, {.out = out("triggers")});
  std::vector<int64_t> fired;
  trainer.extend([&](Trainer& t) { fired.push_back(t.updater().iteration()); }, {.trigger = trigger});
  trainer.run();
  return fired;
}
using List = std::vector<int64_t>;

std::shared_ptr<const serializers::NpzFile> file_of(Trainer& trainer) {
  serializers::DictionarySerializer saved;
  trainer.serialize(saved);
  return std::make_shared<const serializers::NpzFile>(serializers::npz_bytes(saved.target()), "memory");
}

}  // namespace

TEST(triggers_fire_when_they_should) {
  EXPECT(firings({3, "iteration"}, 10, 10) == (List{3, 6, 9}));
  EXPECT(firings({1, "epoch"}) == (List{10, 20, 30}));
  EXPECT(firings({0.5, "epoch"}, 10, 10) == (List{5, 10}));
  EXPECT(firings(triggers::ManualScheduleTrigger({2, 5, 8}, "iteration")) == (List{2, 5, 8}));
  EXPECT(firings(triggers::ManualScheduleTrigger(1.5, "epoch")) == List{15});
  EXPECT(firings(triggers::OnceTrigger()) == List{1});
  EXPECT(firings([](Trainer& t) { return t.updater().iteration() == 4; }) == List{4});
  EXPECT(firings(triggers::MinValueTrigger("main/loss", {5, "iteration"}), 10, 20) == (List{5, 10, 15, 20}));
  EXPECT(firings(triggers::MaxValueTrigger("main/loss", {5, "iteration"}), 10, 20) == List{5});
  EXPECT_THROW(ValueError, "'iteration' or 'epoch'", Trigger(1, "hours"));
  EXPECT_THROW(ValueError, "must be positive", Trigger(0, "epoch"));
}

TEST(an_extension_that_a_snapshot_lacks_waits_for_its_time) {
  Mock first;
  Trainer before(first, {150, "iteration"}, {.out = out("lacking")});
  before.run();
  const auto file = file_of(before);
  const auto later = [&](Trigger trigger) {
    Mock updater;
    Trainer trainer(updater, {210, "iteration"}, {.out = out("lacking")});
    List fired;
    trainer.extend([&](Trainer& t) { fired.push_back(t.updater().iteration()); }, {.trigger = std::move(trigger)});
    serializers::NpzDeserializer in(file);
    trainer.serialize(in);
    trainer.run();
    EXPECT_EQ(updater.n, 210);
    return fired;
  };
  EXPECT(later({100, "iteration"}) == List{200});
  EXPECT(later({151, "iteration"}) == List{151});
  EXPECT(later({2.5, "epoch"}) == (List{175, 200}));
  EXPECT(later(triggers::ManualScheduleTrigger(50, "iteration")).empty());
  EXPECT(later(triggers::ManualScheduleTrigger({3, 151, 160}, "iteration")) == (List{151, 160}));
  EXPECT(later(triggers::ManualScheduleTrigger({3, 16}, "epoch")) == List{160});
  EXPECT(later(triggers::OnceTrigger()).empty());
  EXPECT(later(triggers::OnceTrigger(true)) == List{151});
  EXPECT(later(triggers::MaxValueTrigger("main/loss", {100, "iteration"})) == List{200});
  EXPECT(later(triggers::TimeTrigger(1e5)).empty());
  EXPECT(later({1, "iteration"}).size() == 60);
}

TEST(a_time_trigger_that_a_snapshot_lacks_counts_on) {
  Mock first, second;
  Trainer before(first, {1, "iteration"}, {.out = out("time")});
  before.run();
  serializers::DictionarySerializer saved;
  before.serialize(saved);
  auto members = saved.target();
  members["_snapshot_elapsed_time"] = array(1005.0);  // a trigger of 10 seconds would have fired a hundred times
  Trainer after(second, {5, "iteration"}, {.out = out("time")});
  int fired = 0;
  after.extend([&](Trainer&) { ++fired; }, {.trigger = triggers::TimeTrigger(10)});
  serializers::NpzDeserializer in(
      std::make_shared<const serializers::NpzFile>(serializers::npz_bytes(members), "memory"));
  after.serialize(in);
  after.run();
  EXPECT_EQ(fired, 0);
}

TEST(a_trigger_that_was_moved_can_be_copied) {
  Trigger a(2, "iteration");
  const Trigger b = std::move(a);
  const Trigger c = a;  // NOLINT: what is left of it
  EXPECT(b.given() && !c.given() && !a.given());
  Trigger d;
  d = a;
  EXPECT(!d.given());
  a = b;
  EXPECT(a.given() && firings(a, 10, 5) == (List{2, 4}));
}

TEST(early_stopping_stops_a_resumed_run_where_it_stops_the_whole_one) {
  const std::vector<double> values = {9, 7, 8, 6, 6.5, 7, 7.5, 3, 2, 9, 9, 9, 1, 9};
  const auto run = [&](std::shared_ptr<const serializers::NpzFile> from, int64_t save_at) {
    Mock updater;
    Trainer trainer(
        updater,
        triggers::EarlyStoppingTrigger(
            {.check_trigger = {1, "iteration"}, .monitor = "value", .patients = 3, .max_trigger = {14, "iteration"}}),
        {.out = out("early_resumed")});
    std::shared_ptr<const serializers::NpzFile> saved;
    trainer.extend(
        [&](Trainer& t) {
          t.observation.insert_or_assign("value", values[static_cast<std::size_t>(t.updater().iteration() - 1)]);
        },
        {.priority = PRIORITY_WRITER});
    trainer.extend(
        [&](Trainer& t) {
          if (t.updater().iteration() == save_at) saved = file_of(t);
        },
        {.priority = -100});
    if (from) {
      serializers::NpzDeserializer in(from);
      trainer.serialize(in);
    }
    trainer.run();
    return std::pair(updater.n, saved);
  };
  const int64_t whole = run({}, 0).first;
  EXPECT_EQ(whole, 7);
  for (int64_t cut = 1; cut <= whole; ++cut) EXPECT_EQ(run(run({}, cut).second, 0).first, whole);
}

TEST(early_stopping) {
  Mock updater;
  Trainer trainer(
      updater,
      triggers::EarlyStoppingTrigger(
          {.check_trigger = {1, "iteration"}, .monitor = "value", .patients = 3, .max_trigger = {50, "iteration"}}),
      {.out = out("early")});
  trainer.extend([](Trainer& t) {
    t.observation.insert_or_assign("value", std::abs(static_cast<double>(t.updater().iteration()) - 5));
  });
  trainer.run();
  EXPECT_EQ(updater.n, 8);
}

TEST(a_trainer_with_a_mock_updater_runs_its_extensions) {
  int calls = 0;
  auto count = make_extension([&calls](Trainer&) { ++calls; });
  const auto trainer = chainer::testing::get_trainer_with_mock_updater({3, "epoch"}, 5, {count});
  trainer->run();
  EXPECT_EQ(trainer->updater().iteration(), 15);
  EXPECT_EQ(calls, 15);
  const auto ten = chainer::testing::get_trainer_with_mock_updater();
  ten->run();
  EXPECT_EQ(ten->updater().iteration(), 10);
}

TEST(a_best_value_is_a_number) {
  for (const bool snapshots : {false, true}) {
    Mock updater(10);
    Trainer trainer(updater, {6, "iteration"}, {.out = out("best_of_nan")});
    List fired;
    const double values[] = {NAN, 2, 1, NAN, 3, 2};
    trainer.extend(
        [&](Trainer& t) {
          t.observation.insert_or_assign("value", values[static_cast<std::size_t>(t.updater().iteration() - 1)]);
        },
        {.priority = PRIORITY_WRITER});
    trainer.extend([&](Trainer& t) { fired.push_back(t.updater().iteration()); },
                   {.trigger = triggers::MaxValueTrigger("value", {1, "iteration"})});
    if (snapshots) trainer.extend([](Trainer& t) { (void)file_of(t); }, {.trigger = {1, "iteration"}});
    trainer.run();
    EXPECT(fired == (List{2, 5}));
  }
}
