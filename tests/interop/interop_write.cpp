// SPDX-License-Identifier: MIT
// Writes a model, an optimizer and a snapshot of a trainer, which read_ours.py reads with the release: interop_write
// FOLDER.
#include <chainer/chainer.h>

using namespace chainer;

struct MLP : Chain {
  L::Linear l1, l2, l3;
  MLP(int64_t n_units, int64_t n_out) : l1(n_units), l2(n_units), l3(n_out) {}
  CHAINER_MEMBERS(MLP, l1, l2, l3);
  Variable forward(const Variable& x) { return l3(F::relu(l2(F::relu(l1(x))))); }
};

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: interop_write FOLDER\n");
    return 1;
  }
  const std::string folder = argv[1];
  random::seed(2);
  const Array x = random::rand({200, 784}, float32), t = random::randint(0, 10, {200}, int32);
  L::Classifier model(MLP(8, 10));
  optimizers::Adam optimizer;
  optimizer.setup(model);
  iterators::SerialIterator train(datasets::TupleDataset(x, t), 50);
  training::StandardUpdater updater(train, optimizer);
  Trainer trainer(updater, {2, "epoch"}, {.out = folder});
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::PlotReport({"main/loss"}));
  trainer.extend(extensions::snapshot({.filename = "our_snapshot.npz"}));
  trainer.run();
  serializers::save_npz(folder + "/our_model.npz", model);
  serializers::save_npz(folder + "/our_optimizer.npz", optimizer);
  try {
    serializers::save_hdf5(folder + "/our_model.h5", model);
    serializers::save_hdf5(folder + "/our_optimizer.h5", optimizer);
    serializers::save_hdf5(folder + "/our_trainer.h5", trainer);
  } catch (const MissingPartError& e) { std::fprintf(stderr, "%s\n", e.what()); }
  datasets::PickleDatasetWriter records(folder + "/our_records.pkl");
  for (int64_t i = 0; i < 5; ++i) records.write({x[i], array(i).astype(int32)});
  records.write(Example({{"x", x[0].astype(float16)}, {"none", Array()}}));
  records.close();
  MLP uninitialized(8, 10);
  serializers::save_npz(folder + "/our_uninitialized.npz", uninitialized);
  const Variable y = model.predictor().call({Variable(x, false)})[0];
  serializers::write_npz(folder + "/our_output.npz", {{"x", x}, {"y", y.array()}});
}
