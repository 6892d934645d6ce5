// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include <filesystem>
#include <sstream>

#include "folder.h"
#include "test.h"

using namespace chainer;

// The forms that users try first.

namespace {

struct Model : Chain {
  L::Linear l{2, 1};
  CHAINER_MEMBERS(Model, l);
  Variable forward(const Variable& x) {
    const Variable loss = F::mean(l(x) * l(x));
    report({{"loss", loss}}, *this);
    return loss;
  }
};

}  // namespace

TEST(optimizers_by_name_in_braces) {
  Model a, b;
  auto first = optimizers::SGD().setup(a);
  auto second = optimizers::Adam().setup(b);
  iterators::SerialIterator it(ones({4, 2}), 2);
  training::StandardUpdater updater(it, {{"main", first}, {"other", second}});
  EXPECT(&updater.get_optimizer("other") == &second);
  EXPECT_THROW(KeyError, "no entry named 'dis'; available: 'main', 'other'", updater.get_optimizer("dis"));
}

TEST(hyperparameters_by_position) {
  EXPECT_EQ(optimizers::SGD(0.5).get("lr"), 0.5);
  EXPECT_EQ(optimizers::SGD(1).get("lr"), 1.0);
  const optimizers::Adam adam(0.25, 0.5);
  EXPECT_EQ(adam.get("alpha"), 0.25);
  EXPECT_EQ(adam.get("beta1"), 0.5);
  EXPECT_EQ(adam.get("beta2"), 0.999);
}

TEST(a_trainer_takes_its_folder_and_extensions_take_their_trigger) {
  Model model;
  auto optimizer = optimizers::SGD().setup(model);
  iterators::SerialIterator it(ones({4, 2}), 2);
  const std::string out = test::folder / "forms_test";
  Trainer trainer(training::StandardUpdater(it, optimizer), {4, "iteration"}, out);
  EXPECT_EQ(trainer.out().string(), out);
  int epochs = 0, iterations = 0, halves = 0;
  trainer.extend([&](Trainer&) { ++epochs; }, {1, "epoch"});
  trainer.extend([&](Trainer&) { ++iterations; }, {1, "iteration"});
  // One Trigger passed to two extensions: each has its own state.
  const training::Trigger both(2, "iteration");
  for (int i = 0; i < 2; ++i) trainer.extend([&](Trainer&) { ++halves; }, {.name = "h", .trigger = both});
  trainer.run();
  EXPECT_EQ(epochs, 2);
  EXPECT_EQ(iterations, 4);
  EXPECT_EQ(halves, 4);
}

TEST(an_evaluator_refuses_an_iterator_that_repeats) {
  Model model;
  iterators::SerialIterator it(ones({4, 2}), 2);
  extensions::Evaluator evaluator(it, model);
  EXPECT_THROW(ValueError, "the iterator repeats", evaluator.run());
}

TEST(an_update_without_cleargrads_is_an_error) {
  Model model;
  auto optimizer = optimizers::SGD().setup(model);
  EXPECT_THROW(RuntimeError, "the gradient of /l/W is still the NaN of a new parameter", optimizer.update());
  model(Variable(ones({1, 2}))).backward();
  EXPECT_THROW(RuntimeError, "Call cleargrads() before backward()", optimizer.update());
  model.cleargrads();
  model(Variable(ones({1, 2}))).backward();
  optimizer.update();
  EXPECT(isfinite(model.l.W.array())[{0, 0}].item<bool>());
  optimizer.update([&] { return model(Variable(ones({1, 2}))); });
}

TEST(a_rule_takes_hyperparameters_without_a_cast) {
  Model model;
  auto optimizer = optimizers::SGD({.lr = 0.5}).setup(model);
  model.l.W.update_rule()->set("lr", 0.0);
  EXPECT_EQ(model.l.W.update_rule()->get("lr"), 0.0);
  EXPECT_EQ(model.l.b->update_rule()->get("lr"), 0.5);
  const Array before = model.l.W.array().copy();
  optimizer.update([&] { return model(Variable(ones({1, 2}))); });
  EXPECT_CLOSE(model.l.W.array(), before);
  EXPECT_THROW(KeyError, "no hyperparameter 'alpha'", model.l.W.update_rule()->set("alpha", 1));
}

TEST(a_misspelled_entry_is_not_a_users_key) {
  EXPECT_THROW(KeyError, "no entry named 'trian' (did you mean 'train'", UsingConfig("trian", false));
  EXPECT_THROW(TypeError, "'dtype' requires a value of its own type", UsingConfig("dtype", 3));
  const UsingConfig mine("temperature", 0.5);
  EXPECT_EQ(config().get<double>("temperature"), 0.5);
}

TEST(loading_says_what_it_did) {
  Model model;
  std::ostringstream out;
  serializers::save_npz(out, model);
  const auto load = [&](auto& target, serializers::NpzOptions options) {
    std::istringstream in(out.str());
    return serializers::load_npz(in, target, std::move(options));
  };
  L::Linear l(2, 1);
  EXPECT_EQ(load(l, {.path = "l"}).loaded.size(), 2u);
  EXPECT_EQ(load(l, {.path = "l/"}).loaded.size(), 2u);
  EXPECT_THROW(KeyError, "no entry matches; expected: predictor/W, predictor/b; available: l/W, l/b",
               load(l, {.path = "predictor", .strict = false}));
  EXPECT_THROW(KeyError, "no entry named 'll/W' (did you mean 'l/W'", load(l, {.path = "ll"}));
  struct More : Chain {
    L::Linear l{2, 1}, m{2, 1};
    void visit(MemberVisitor& v) override { v.link("l", l), v.link("m", m); }
  } more;
  const serializers::LoadReport report = load(more, {.strict = false});
  EXPECT_EQ(report.missing.size(), 2u);
  EXPECT_EQ(report.missing[0], "m/W");
  EXPECT_EQ(load(l, {.path = "l", .ignore_names = {std::string("l/b")}}).loaded.size(), 1u);
}

TEST(print_report_says_whose_log_it_wants) {
  Model model;
  auto optimizer = optimizers::SGD().setup(model);
  iterators::SerialIterator it(ones({4, 2}), 2);
  const std::string out = test::folder / "print_report_test";
  std::FILE* nowhere = std::fopen("/dev/null", "w");
  {
    Trainer trainer(training::StandardUpdater(it, optimizer), {1, "epoch"}, out);
    trainer.extend(extensions::PrintReport({"epoch"}, "LogReport", nowhere), {1, "epoch"});
    EXPECT_THROW(ValueError, "PrintReport: the trainer has no extension named 'LogReport'", trainer.run(false));
  }
  it.reset();
  Trainer trainer(training::StandardUpdater(it, optimizer), {1, "epoch"}, out);
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::PrintReport({"epoch", "main/lost"}, "LogReport", nowhere), {1, "epoch"});
  const int64_t warnings = warning_count();
  trainer.run();
  EXPECT_EQ(warning_count(), warnings + 1);
  std::fclose(nowhere);
}
