// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "chainer/core/sanitizer.h"
#include "chainer/links/parameter_hooks.h"
#include "chainer/training/updaters/model_threads.h"
#include "folder.h"
#include "test.h"

using namespace chainer;

namespace {

struct SmallNet : Chain {
  L::Linear l1, l2;
  SmallNet() : l1(20), l2(3) {}
  CHAINER_MEMBERS(SmallNet, l1, l2);
  Variable forward(const Variable& x) { return l2(F::tanh(l1(x))); }
};

AnyDataset data(int64_t n) {
  random::RandomState r(1);
  return datasets::TupleDataset(r.rand({n, 5}).astype(float32), r.randint(0, 3, {n}).astype(int32));
}
std::vector<float> weights(const Link& model) {
  std::vector<float> out;
  for (const Parameter& p : model.params())
    for (float v : p.array().to_vector<float>()) out.push_back(v);
  return out;
}
double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double most = a.size() == b.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) most = std::max(most, double(std::abs(a[i] - b[i])));
  return most;
}
const std::map<std::string, Device> kTwo{{"main", get_device("@cpu:0")}, {"second", get_device("@cpu:1")}};

}  // namespace

TEST(parallel_updates_equal_one_model_with_the_whole_batch) {
  // Losses are means: the sum of two halves' gradients is twice the whole batch's.
  random::seed(0);
  L::Classifier one{SmallNet()};
  auto single = optimizers::SGD({.lr = 0.2}).setup(one);
  training::StandardUpdater u(iterators::SerialIterator(data(40), 8, {.shuffle = false}), single);
  for (int i = 0; i < 12; ++i) u.update();
  random::seed(0);
  L::Classifier two{SmallNet()};
  auto parallel = optimizers::SGD({.lr = 0.1}).setup(two);
  training::ParallelUpdater p(iterators::SerialIterator(data(40), 8, {.shuffle = false}), parallel, {.devices = kTwo});
  for (int i = 0; i < 12; ++i) p.update();
  EXPECT(largest_difference(weights(one), weights(two)) < 1e-6);
  EXPECT(p.iteration() == 12 && p.epoch() == 2 && parallel.epoch == 2 && parallel.t == 12);
}

TEST(parallel_updates_of_uneven_and_small_batches) {
  random::seed(0);
  L::Classifier model{SmallNet()};
  auto optimizer = optimizers::SGD().setup(model);
  std::map<std::string, Device> four = kTwo;
  four.insert({{"third", Device()}, {"fourth", Device()}});
  training::ParallelUpdater p(iterators::SerialIterator(data(9), 3, {.shuffle = false}), optimizer, {.devices = four});
  for (int i = 0; i < 4; ++i) p.update();
  EXPECT_EQ(optimizer.t, 4);
}

TEST(parallel_updaters_check_their_models) {
  L::Classifier model{SmallNet()};
  auto optimizer = optimizers::SGD().setup(model);
  const auto make = [&](const training::updaters::ParallelUpdaterOptions& o) {
    training::ParallelUpdater(iterators::SerialIterator(data(9), 3), optimizer, o);
  };
  EXPECT_THROW(ValueError, "models or devices must be given", make({}));
  EXPECT_THROW(KeyError, "no device named 'main'", make({.devices = {{"a", Device()}}}));
  const auto other = model.clone(CopyMode::copy);
  EXPECT_THROW(KeyError, "no model named 'main'", make({.models = {{"a", other}}}));
  EXPECT_THROW(ValueError, "must be the optimizer's target", make({.models = {{"main", other}}}));
}

TEST(parallel_updaters_report_and_resume) {
  const test::Folder place;
  const auto& folder = place.path;
  const auto run = [&](int epochs, const std::string& resume, bool several_iterators) {
    random::seed(3);
    L::Classifier model{SmallNet()};
    auto optimizer = optimizers::MomentumSGD({.lr = 0.05}).setup(model);
    std::shared_ptr<training::Updater> updater;
    if (several_iterators)
      updater = std::make_shared<training::MultiprocessParallelUpdater>(
          std::vector<Kept<Iterator>>{iterators::SerialIterator(data(24), 4, {.shuffle = false}),
                                      iterators::SerialIterator(data(24), 4, {.shuffle = false})},
          optimizer);
    else
      updater = std::make_shared<training::ParallelUpdater>(
          iterators::SerialIterator(data(24), 4, {.shuffle = false}), optimizer,
          training::updaters::ParallelUpdaterOptions{.devices = kTwo});
    Trainer trainer(updater, {epochs, "epoch"}, {.out = folder});
    trainer.extend(extensions::LogReport());
    if (!resume.empty()) serializers::load_npz(folder / resume, trainer);
    std::size_t reported = 0;
    trainer.extend(
        [&](Trainer& t) { reported = t.observation.count("main/loss") + t.observation.count("second/loss"); },
        {.name = "count", .trigger = {1, "iteration"}});
    trainer.run();
    EXPECT_EQ(reported, std::size_t(several_iterators ? 1 : 2));
    serializers::save_npz(folder / "saved", trainer);
    return weights(model);
  };
  for (bool several : {false, true}) {
    const auto whole = run(4, "", several);
    (void)run(2, "", several);
    EXPECT(run(4, "saved", several) == whole);
  }
}

namespace {
// Losses in train mode depend on persistent values: running averages and the vector of the power iteration.
struct StatefulNet : Chain {
  L::Linear l1{5, 8}, l2{8, 3};
  L::BatchRenormalization norm{8, {.rmax = 3, .dmax = 5}};
  StatefulNet() { l1.add_hook(std::make_shared<link_hooks::SpectralNormalization>()); }
  CHAINER_MEMBERS(StatefulNet, l1, l2, norm);
  Variable forward(const Variable& x) { return l2(F::tanh(norm(l1(x)))); }
};
}  // namespace

TEST(parallel_updaters_resume_models_with_persistent_values) {
  const test::Folder place;
  const auto run = [&](int iterations, bool resume, bool several_iterators) {
    random::seed(3);
    L::Classifier model{StatefulNet()};
    auto optimizer = optimizers::MomentumSGD({.lr = 0.1}).setup(model);
    const auto batches = [] { return iterators::SerialIterator(data(24), 8, {.shuffle = false}); };
    std::shared_ptr<training::Updater> updater;
    if (several_iterators)
      updater = std::make_shared<training::MultiprocessParallelUpdater>(
          std::vector<Kept<Iterator>>{batches(), batches()}, optimizer);
    else
      updater = std::make_shared<training::ParallelUpdater>(
          batches(), optimizer, training::updaters::ParallelUpdaterOptions{.devices = kTwo});
    Trainer trainer(updater, {iterations, "iteration"}, {.out = place.path});
    if (resume) serializers::load_npz(place.path / "saved", trainer);
    trainer.run(false);
    serializers::save_npz(place.path / "saved", trainer);
    return weights(model);
  };
  for (const bool several : {false, true}) {
    const auto whole = run(8, false, several);
    for (const int cut : {1, 3, 6}) {
      (void)run(cut, false, several);
      EXPECT(run(8, true, several) == whole);
    }
  }
}

TEST(several_iterators_feed_several_models) {
  random::seed(0);
  L::Classifier model{SmallNet()};
  auto optimizer = optimizers::SGD({.lr = 0.2}).setup(model);
  const int64_t warnings = warning_count();
  training::MultiprocessParallelUpdater p(
      {iterators::SerialIterator(data(12), 4), iterators::SerialIterator(data(12), 4)}, optimizer);
  EXPECT(training::MultiprocessParallelUpdater::available() && warning_count() == warnings + 1);
  EXPECT_EQ(optimizer.get("lr"), 0.1);
  p.setup_workers();
  for (int i = 0; i < 3; ++i) p.update();
  EXPECT(optimizer.t == 3 && optimizer.epoch == 1);
  auto adam = optimizers::Adam().setup(model);
  training::MultiprocessParallelUpdater q(
      {iterators::SerialIterator(data(12), 4), iterators::SerialIterator(data(12), 4)}, adam);
  EXPECT_CLOSE(array(adam.get("eps")), array(2e-8));
  using Iterators = std::vector<Kept<Iterator>>;
  EXPECT_THROW(ValueError, "iterators must not be empty", training::MultiprocessParallelUpdater(Iterators{}, adam));
  EXPECT_THROW(ValueError, "2 iterators for 1 devices",
               training::MultiprocessParallelUpdater(
                   Iterators{iterators::SerialIterator(data(12), 4), iterators::SerialIterator(data(12), 4)}, adam,
                   {.devices = {Device()}}));
  EXPECT_THROW(ValueError, "batch sizes 4 and 3",
               training::MultiprocessParallelUpdater(
                   Iterators{iterators::SerialIterator(data(12), 4), iterators::SerialIterator(data(12), 3)}, adam));
}

TEST(scopes_of_one_model_do_not_change_the_configuration_of_others) {
  training::updaters::ModelThreads threads(2);
  const UsingConfig wide(&Config::dtype, float64);  // reaches all models
  std::atomic<int> step{0};
  bool other_trains = false;
  Dtype seen[2] = {};
  threads.run([&](int i) {
    seen[i] = config().dtype;
    if (i == 0) {
      const UsingConfig test_mode(&Config::train, false);
      step = 1;
      while (step == 1) std::this_thread::yield();
    } else {
      while (step == 0) std::this_thread::yield();
      other_trains = config().train;
      step = 2;
    }
  });
  EXPECT(other_trains);
  EXPECT(seen[0] == float64 && seen[1] == float64);
}

TEST(threads_that_cannot_be_started_are_an_error) {
  if (kSanitized) return EXPECT(true);  // sanitizers reserve more addresses than any limit
  // The child's memory suffices for a few thread stacks, but not for 64.
  const pid_t child = ::fork();
  if (child == 0) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t room = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + (40u << 20);
    const rlimit limit{room, room};
    ::setrlimit(RLIMIT_AS, &limit);
    try {
      training::updaters::ModelThreads threads(64);
    } catch (const RuntimeError& e) {
      ::_exit(std::string(e.what()).find("cannot start 63 threads for 64 models; started ") == 0 ? 3 : 4);
    } catch (...) {}
    ::_exit(5);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

TEST(parallel_updates_scale_the_loss) {
  random::seed(0);
  L::Classifier plain{SmallNet()};
  auto first = optimizers::SGD({.lr = 0.1}).setup(plain);
  training::ParallelUpdater p(iterators::SerialIterator(data(40), 8, {.shuffle = false}), first, {.devices = kTwo});
  for (int i = 0; i < 6; ++i) p.update();
  random::seed(0);
  L::Classifier scaled{SmallNet()};
  auto second = optimizers::SGD({.lr = 0.1}).setup(scaled);
  second.loss_scaling({.initial = 512});
  training::ParallelUpdater q(iterators::SerialIterator(data(40), 8, {.shuffle = false}), second, {.devices = kTwo});
  Reporter reporter;
  Observation seen;
  for (int i = 0; i < 6; ++i) {
    const auto current = reporter.make_current();
    const auto scope = reporter.scope(seen);
    q.update();
  }
  EXPECT(largest_difference(weights(plain), weights(scaled)) < 1e-6);
  EXPECT(seen.count("loss_scale") == 1);
  // The gradient with respect to the loss is the scale.
  struct Spy : FunctionNode {
    explicit Spy(std::atomic<double>* to) : to(to) {}
    std::string label() const override { return "Spy"; }
    Arrays forward(const Arrays& x) override { return {x[0]}; }
    Variables backward(const Indexes&, const Variables& gy) override {
      *to = gy[0].array().item<double>();
      return {gy[0]};
    }
    std::atomic<double>* to;
  };
  std::atomic<double> gradient = 0;
  L::Classifier watched(SmallNet(), {.lossfun = [&](const Variable& y, const Variable& t) {
                          return apply_single(Spy(&gradient), F::softmax_cross_entropy(y, t));
                        }});
  auto third = optimizers::SGD({.lr = 0.1}).setup(watched);
  third.loss_scaling({.initial = 512});
  training::ParallelUpdater r(iterators::SerialIterator(data(40), 8, {.shuffle = false}), third, {.devices = kTwo});
  r.update();
  EXPECT(gradient >= 512);
}

namespace {
// Examples of class 0 reach `a`, others `b`.
struct Experts : Chain {
  L::Linear a{5, 1}, b{5, 1};
  CHAINER_MEMBERS(Experts, a, b);
  Variable forward(const Variable& x, const Variable& t) {
    return F::mean(F::square(t.array()[0].item<int>() == 0 ? a(x) : b(x)));
  }
};
}  // namespace

TEST(gradients_that_only_a_copy_reaches_are_scaled) {
  const auto trained = [](double scale, bool hook) {
    random::seed(0);
    Experts model;
    auto optimizer = optimizers::SGD({.lr = 0.1}).setup(model);
    if (scale != 1) optimizer.set_loss_scale(scale);
    if (hook) optimizer.add_hook(std::make_shared<optimizer_hooks::WeightDecay>(0.0));
    const Array x = random::RandomState(1).rand({8, 5}).astype(float32);
    const datasets::TupleDataset data(x, array<int32_t>({0, 1, 0, 1, 1, 0, 1, 0}));
    training::ParallelUpdater u(iterators::SerialIterator(data, 2, {.shuffle = false}), optimizer, {.devices = kTwo});
    for (int i = 0; i < 4; ++i) u.update();
    return weights(model);
  };
  for (const bool hook : {false, true}) EXPECT(largest_difference(trained(64, hook), trained(1, false)) < 1e-6);
}
