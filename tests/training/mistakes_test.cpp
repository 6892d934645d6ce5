// SPDX-License-Identifier: MIT
// Checks docs/mistakes.md row by row: the messages of mistakes that other libraries accept silently or report poorly.
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <map>
#include <set>

#include "captured_stderr.h"
#include "chainer/core/system/file.h"
#include "chainer/core/warnings.h"
#include "small_run.h"
#include "test.h"

namespace {

struct Logarithm : Chain {
  L::Linear l{1, 1};
  CHAINER_MEMBERS(Logarithm, l);
  Variable forward(const Variable& x) { return F::sum(F::log(l(x) * 0 - 1)); }
};
struct Pointing : Chain {
  L::Linear listed{1, 1};
  std::unique_ptr<L::Linear> pointed = std::make_unique<L::Linear>(1, 1);
  CHAINER_MEMBERS(Pointing, listed);
  Variable forward(const Variable& x) { return (*pointed)(listed(x)); }
};
struct Nothing : Chain {
  std::vector<std::shared_ptr<L::Linear>> layers;
  CHAINER_MEMBERS(Nothing);
};
struct Unlisted : Chain {
  L::Linear l{1, 1};
};

void nan_loss(optimizer::OnNan on_nan) {
  Logarithm model;
  optimizers::SGD optimizer;
  optimizer.setup(model);
  optimizer.on_nan = on_nan;
  optimizer.update([&] { return model(ones({1, 1})); });
}

// A short run of a model whose loss is the sum of its input.
struct Small {
  L::Linear model{1, 1};
  optimizers::SGD optimizer{0.1};
  iterators::SerialIterator it{AnyDataset(ones({6, 1})), 2};
  StandardUpdater updater{it, optimizer.setup(model), {.loss_func = [this](const Variables& x) {
                            const Variable loss = F::sum(model(x[0]));
                            report({{"loss", loss}}, model);
                            return loss;
                          }}};
  Trainer trainer;
  explicit Small(Trigger stop = {2, "epoch"}) : trainer(updater, std::move(stop), {.out = out("mistakes")}) {}
};

const std::map<std::string, std::function<void()>>& mistakes() {
  static const std::map<std::string, std::function<void()>> all{
      {"a loss that is NaN", [] { nan_loss(optimizer::OnNan::warn); }},
      {"the same, with `on_nan = optimizer::OnNan::stop`", [] { nan_loss(optimizer::OnNan::stop); }},
      {"a training loop inside of `NoBackpropMode`",
       [] {
         Small s;
         const NoBackpropMode no_graph;
         s.optimizer.update([&] { return F::sum(s.model(ones({1, 1}))); });
       }},
      {"a loss that is made of `.array()`",
       [] {
         Small s;
         s.optimizer.update([&] { return Variable(sum(s.model(ones({1, 1})).array())); });
       }},
      {"`backward()` on such a loss",
       [] {
         Small s;
         Variable(sum(s.model(ones({1, 1})).array())).backward();
       }},
      {"`update()` without gradients",
       [] {
         Small s;
         s.model.cleargrads();
         s.optimizer.update();
       }},
      {"`BatchNormalization` trained on a batch of one",
       [] {
         L::BatchNormalization norm(3);
         (void)norm(ones({1, 3}));
       }},
      {"a NaN gradient in a custom loop",
       [] {
         Logarithm model;
         optimizers::Adam optimizer;
         optimizer.setup(model);
         model.cleargrads();
         Variable loss = F::sum(F::sqrt(model.l(zeros({1, 1})) * 0));
         loss.backward();
         optimizer.update();
       }},
      {"a reported loss that is NaN",
       [] {
         Small s;
         s.trainer.extend([](Trainer&) {});
         s.optimizer.on_nan = optimizer::OnNan::ignore;
         s.model.W.set_array(full({1, 1}, std::nan(""), float32));
         s.trainer.run(false);
       }},
      {"`SGD({.lr = -0.1})`", [] { optimizers::SGD({.lr = -0.1}); }},
      {"`optimizer.set(\"alpha\", NAN)`", [] { optimizers::Adam().set("alpha", std::nan("")); }},
      {"an unreported key of `PlotReport`",
       [] {
         if (!extensions::PlotReport::available()) throw MissingPartError("no drawing library");
         Small s;
         s.trainer.extend(extensions::PlotReport({"main/los"}));
         s.trainer.run(false);
       }},
      {"an unreported key of `LogReport`",
       [] {
         Small s;
         s.trainer.extend(extensions::LogReport({.keys = {"main/los"}}));
         s.trainer.run(false);
       }},
      {"a link in a `unique_ptr` that no list names",
       [] {
         Pointing model;
         optimizers::SGD().setup(model);
       }},
      {"a model without parameters",
       [] {
         Nothing model;
         optimizers::SGD().setup(model);
       }},
      {"a model whose class has no `CHAINER_MEMBERS`",
       [] {
         Unlisted model;
         optimizers::SGD().setup(model);
       }},
      {"batches of 64 from 10 examples",
       [] {
         iterators::SerialIterator(AnyDataset(ones({10, 1})), 64);
       }},
      {"a batch that is larger than the memory",
       [] {
         iterators::SerialIterator(AnyDataset(ones({6, 1})), int64_t(1) << 40);
       }},
      {"two optimizers on one model",
       [] {
         L::Linear model(1, 1);
         optimizers::SGD first(0.1);
         optimizers::Adam second;
         first.setup(model);
         second.setup(model);
         first.update([&] { return F::sum(model(ones({1, 1}))); });
       }},
      {"a write to an array that a graph keeps",
       [] {
         Variable x(ones({3})), y = F::sum(F::square(x));
         Array data = x.array();
         data *= 2;
         y.backward();
       }},
      {"an update between forward and backward",
       [] {
         L::Linear model(1, 1);
         optimizers::SGD optimizer(0.1);
         optimizer.setup(model);
         Variable loss = F::sum(model(model(ones({1, 1}))));
         optimizer.update([&] { return F::sum(model(ones({1, 1}))); });
         loss.backward();
       }},
      {"`ExponentialShift` without a trigger",
       [] {
         Small s;
         s.trainer.extend(extensions::ExponentialShift("lr", 0.5));
       }},
      {"a trainer without a stop trigger",
       [] {
         Small s(Trigger{});
         s.trainer.extend([](Trainer& t) { t.stop(); });
         s.trainer.run(false);
       }},
      {"one picture instead of a batch",
       [] {
         (void)L::Convolution2D(3, 8, 3)(ones({3, 9, 9}));
       }},
      {"a dataset without labels",
       [] {
         L::Classifier(L::Linear(1, 1)).call(Variables{ones({2, 1})});
       }},
      {"`Linear` on (batch, time, features)",
       [] {
         (void)L::Linear(4, 5)(ones({2, 3, 4}));
       }},
      {"`LayerNormalization` on (batch, time, features)",
       [] {
         (void)L::LayerNormalization(4)(ones({2, 3, 4}));
       }},
      {"an extension that throws",
       [] {
         Small s;
         s.trainer.extend([](Trainer&) { throw ValueError("on purpose"); }, {.name = "mine"});
         s.trainer.run(false);
       }},
      {"a model that died before its optimizer",
       [] {
         optimizers::SGD optimizer;
         {
           L::Linear model(1, 1);
           optimizer.setup(model);
         }
         optimizer.update();
       }},
      {"a plot on a full disk",
       [] {
         if (!plot::available()) throw MissingPartError("no drawing library");
         // Limits the size of files to 100 bytes during its lifetime.
         struct Limit {
           rlimit before{};
           void (*action)(int) = std::signal(SIGXFSZ, SIG_IGN);
           Limit() {
             ::getrlimit(RLIMIT_FSIZE, &before);
             const rlimit small{100, before.rlim_max};
             ::setrlimit(RLIMIT_FSIZE, &small);
           }
           ~Limit() {
             ::setrlimit(RLIMIT_FSIZE, &before);
             std::signal(SIGXFSZ, action);
           }
         } limit;
         plot::save(plot::Figure(), test::folder / "loss.png");
       }},
      {"a misspelled key of `EarlyStoppingTrigger`",
       [] {
         Small s(triggers::EarlyStoppingTrigger({.monitor = "main/los", .max_trigger = {2, "epoch"}}));
         s.trainer.run(false);
       }},
      {"`choice` with a list of float32 probabilities",
       [] {
         (void)random::choice(3, {1}, true, std::vector<double>{0.1f, 0.2f, 0.7000003f});
       }},
  };
  return all;
}

// Returns "error" or "warning", and the message.
std::pair<std::string, std::string> said_by(const std::function<void()>& f) {
  const int64_t warnings = warning_count();
  try {
    f();
  } catch (const MissingPartError&) { throw; } catch (const std::exception& e) {
    return {"error", e.what()};
  }
  return {warning_count() > warnings ? "warning" : "nothing", last_warning()};
}

}  // namespace

TEST(mistakes_say_what_the_table_says) {
  std::ifstream page(SOURCE_DIR "/docs/mistakes.md");
  const std::string refused = read_file(SOURCE_DIR "/tests/refusals/refused.cpp");
  std::set<std::string> seen;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("| ", 0) != 0 || line.rfind("| mistake", 0) == 0) continue;
    std::vector<std::string> cells;
    for (std::size_t at = 2, end; (end = line.find(" |", at)) != line.npos; at = end + 3)
      cells.push_back(line.substr(at, end - at));
    EXPECT_EQ(cells.size(), 3u);
    if (cells[1] == "compile error") {  // tests/check_refusals compiles these
      EXPECT(refused.find("  // " + cells[2].substr(0, cells[2].find(" for a["))) != refused.npos ||
             refused.find(cells[2]) != refused.npos);
      continue;
    }
    const auto it = mistakes().find(cells[0]);
    if (it == mistakes().end()) {
      test::fail(cells[0].c_str(), 0, "the page has this row, the test does not");
      continue;
    }
    seen.insert(cells[0]);
    try {
      const auto [kind, text] = said_by(it->second);
      ++test::expectations;
      if (kind != cells[1] || text.find(cells[2]) == text.npos)
        test::fail(cells[0].c_str(), 0, chainer::text(kind, ": ", text, "\n    instead of ", cells[1], ": ", cells[2]));
    } catch (const MissingPartError& e) { std::fprintf(stderr, "left out: %s\n", e.what()); }
  }
  for (const auto& [name, f] : mistakes())
    if (!seen.count(name)) test::fail(name.c_str(), 0, "the page lacks this row");
}

TEST(nan_is_warned_of_once_and_stops_each_time) {
  Logarithm model;
  optimizers::SGD optimizer;
  optimizer.setup(model);
  const auto step = [&] { optimizer.update([&] { return model(ones({1, 1})); }); };
  const int64_t warnings = warning_count();
  step();
  step();
  EXPECT_EQ(warning_count(), warnings + 1);
  optimizer.on_nan = optimizer::OnNan::stop;
  Logarithm fresh;
  optimizer.setup(fresh);
  const Array before = fresh.l.W.array().copy();
  for (int i = 0; i < 2; ++i)
    EXPECT_THROW(RuntimeError, "the loss is NaN in update 1", optimizer.update([&] { return fresh(ones({1, 1})); }));
  EXPECT_CLOSE(fresh.l.W.array(), before);
  EXPECT_EQ(optimizer.t, 0);
  // The trainer passes the option to its optimizers.
  Small s;
  Trainer trainer(s.updater, {2, "epoch"}, {.out = out("nan"), .on_nan = optimizer::OnNan::stop});
  EXPECT(s.optimizer.on_nan == optimizer::OnNan::stop);
  s.model.W.set_array(full({1, 1}, std::nan(""), float32));
  EXPECT_THROW(RuntimeError, "is NaN in update 1", trainer.run(false));
}

TEST(a_repeated_forward_pass_reports_nothing) {
  Small s({1, "iteration"});
  s.model.W.set_array(full({1, 1}, std::nan(""), float32));
  int calls = 0;
  s.trainer.extend([&](Trainer& t) { calls += static_cast<int>(t.observation.size()); });
  s.trainer.run(false);
  EXPECT_EQ(calls, 1);
}

TEST(what_is_meant_stays_silent) {
  const int64_t warnings = warning_count();
  Small s;
  s.trainer.extend(extensions::ExponentialShift("lr", 0.5), {1, "epoch"});
  s.trainer.extend(extensions::ExponentialShift("lr", 0.9999));
  s.trainer.extend(extensions::LogReport({.keys = {"main/loss"}}));
  s.trainer.run(false);
  iterators::SerialIterator whole(AnyDataset(ones({10, 1})), 64, {.repeat = false});
  L::Linear model(1, 1);
  optimizers::SGD first(0.1);
  optimizers::Adam second;
  first.setup(model);
  second.setup(model);  // replaces the first optimizer
  second.update([&] { return F::sum(model(ones({1, 1}))); });
  EXPECT_EQ(warning_count(), warnings);
}

TEST(what_is_no_exception_is_named) {
  Small s;
  s.trainer.extend([](Trainer&) { throw 42; }, {.name = "thrower"});
  const test::CapturedStderr captured(out("thrown.txt"));
  bool thrown = false;
  try {
    s.trainer.run();
  } catch (int v) { thrown = v == 42; }
  EXPECT(thrown);
  const std::string said = captured.text();
  EXPECT(said.find("in the extension 'thrower'") != std::string::npos);
  EXPECT(said.find("an exception of type int, which is not derived from std::exception") != std::string::npos);
}

TEST(triggers_have_the_names_that_extensions_have) {
  const chainer::Trigger t = chainer::triggers::IntervalTrigger(1, "epoch");
  EXPECT(t.given());
}
