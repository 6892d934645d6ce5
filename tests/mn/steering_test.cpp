// SPDX-License-Identifier: MIT
// Commands to a run of several ranks are executed by all of them.
#include <chainer/viewing/live/commands.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "ranks.h"

using namespace chainer;

namespace {

struct Steered {
  chainermn::Communicator comm = world();
  std::filesystem::path out;
  L::Classifier model{L::Linear(6, 3)};
  chainermn::MultiNodeOptimizer optimizer =
      chainermn::create_multi_node_optimizer(optimizers::SGD(0.1), comm).setup(model);
  iterators::SerialIterator it;
  training::StandardUpdater updater{it, optimizer};
  Trainer trainer;
  explicit Steered(const std::string& name, int iterations)
      : out(comm->bcast_obj(
                    chainermn::Object((std::filesystem::temp_directory_path() / text(name, ::getpid())).string()))
                .to_text()),
        it(datasets::TupleDataset(random::RandomState(static_cast<uint32_t>(comm->rank())).randn({12, 6}, float32),
                                  zeros({12}, int32)),
           4),
        trainer(updater, {iterations, "iteration"}, {.out = out.string(), .handle_signals = false}) {}
  ~Steered() {
    comm->barrier();
    if (comm->rank() == 0) std::filesystem::remove_all(out);
  }
};

}  // namespace

TEST(all_ranks_obey_after_the_same_iteration) {
  Steered run("steered", 30);
  const bool first = run.comm->rank() == 0;
  const auto commands = std::make_shared<training::extensions::CommandsExtension>();
  chainermn::steer_together(*commands, run.comm);
  std::map<int64_t, double> rates;
  run.trainer.extend([&](Trainer& t) {
    const int64_t i = t.updater().iteration();
    rates[i] = run.optimizer.get("lr");
    const json::Value slower = json::Object{{"hyperparam", json::Object{{"lr", 0.01}}}};
    if (first && i == 3) live::request(run.out, "adjust_hyperparams", slower, {}, "ann");
    if (first && i == 5)
      for (const char* name : {"take_snapshot", "pause", "resume"}) live::request(run.out, name, {}, {}, "ann");
    if (first && i == 8) live::request(run.out, "stop", {}, {}, "ann");
    std::this_thread::sleep_for(std::chrono::milliseconds(25));  // the extension looks for requests every 20 ms
  });
  run.trainer.extend(commands);
  run.trainer.run();
  EXPECT(run.updater.iteration() >= 8 && run.updater.iteration() < 30);
  const auto same = [&](const std::vector<double>& mine) {
    const Array sum = run.comm->allreduce(array(mine));
    return all(absolute(sum - array(mine) * run.comm->size()) <= 1e-12).item<bool>();
  };
  EXPECT(same({static_cast<double>(run.updater.iteration())}));
  std::vector<double> all_rates;
  for (const auto& [i, lr] : rates) all_rates.push_back(lr);
  EXPECT(same(all_rates));
  EXPECT_EQ(all_rates.back(), 0.01);
  EXPECT(same(run.model.params()[0].array().ravel().astype(float64).to_vector<double>()));
  if (first)
    for (const json::Value& c : live::read_commands(run.out))
      EXPECT_EQ(c.find("response")->object() ? *c.find("response")->find("status")->string() : "none", "SUCCESS");
}

TEST(one_rank_alone_does_not_obey) {
  if (world()->size() == 1) return;
  Steered run("alone", 3);
  run.trainer.extend(training::extensions::CommandsExtension());
  EXPECT_THROW(RuntimeError, "chainermn::steer_together", run.trainer.run(false));
}
