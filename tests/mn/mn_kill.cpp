// SPDX-License-Identifier: MIT
// Trains for check_kills: mn_kill FOLDER. Resumes from the newest checkpoint in the folder, and writes the final
// parameters to FOLDER/end.RANK.
#include <chainer/chainer.h>
#include <chainer/mn/mn.h>

#include <fstream>

using namespace chainer;

namespace {

struct Net : Chain {
  L::Linear l1, l2;
  L::BatchNormalization bn;
  Net() : l1(16), l2(2), bn(16) {}
  CHAINER_MEMBERS(Net, l1, l2, bn);
  Variable forward(const Variable& x, const Variable& t) {
    const Variable loss = F::softmax_cross_entropy(l2(F::dropout(F::relu(bn(l1(x))))), t);
    report({{"loss", loss}}, this);
    return loss;
  }
};

void train(const std::string& folder) {
  const auto c = chainermn::create_communicator("hierarchical");
  random::seed(static_cast<uint32_t>(c->rank()));
  AnyDataset data;
  if (c->rank() == 0)
    data = datasets::TupleDataset(random::RandomState(1).randn({200, 8}, float32),
                                  random::RandomState(2).randint(0, 2, {200}, int32));
  data = chainermn::scatter_dataset(data, c, {.shuffle = true, .seed = 3});
  Net model;
  auto optimizer =
      chainermn::create_multi_node_optimizer(
          optimizers::Adam(), c,
          {.double_buffering = true, .compression = chainermn::Compression::bfloat16, .error_feedback = true})
          .setup(model);
  iterators::SerialIterator it(data, 8);
  training::StandardUpdater updater(it, optimizer);
  Trainer trainer(updater, {4000, "iteration"}, {.out = folder});
  const auto checkpointer = chainermn::create_multi_node_checkpointer("run", c, {.cp_interval = 2, .gc_interval = 2});
  trainer.extend(chainermn::extensions::AllreducePersistent(model, c));
  trainer.extend(extensions::LogReport({.trigger = {200, "iteration"}}));
  trainer.extend(checkpointer, {.trigger = {100, "iteration"}});
  (void)checkpointer->maybe_load(trainer, optimizer);
  std::printf("from %lld\n", static_cast<long long>(updater.iteration()));
  std::fflush(stdout);
  trainer.run(false);
  std::ofstream out(folder + "/end." + std::to_string(c->rank()));
  for (auto& [path, p] : model.namedparams()) {
    out << path;
    for (const float v : p.array().to_vector<float>()) out << ' ' << std::hexfloat << v;
    out << '\n';
  }
  out << random::global().next_uint32() << '\n';
  c->barrier();
}

}  // namespace

int main(int argc, char** argv) {
  return chainermn::run("mn_kill", [&] {
    if (argc < 2) throw ValueError("usage: mn_kill FOLDER");
    train(argv[1]);
  });
}
