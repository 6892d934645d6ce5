// SPDX-License-Identifier: MIT
// Writes event files for the published tensorboard: tensorboard_write FOLDER. FOLDER/expected.json has the expected
// content, with which read_tensorboard.py compares.
#include <chainer/chainer.h>
#include <chainer/core/system/file.h>
#include <chainer/training/extensions/tensorboard.h>

#include <cstdio>

using namespace chainer;

namespace {

json::List points;

void scalar(tensorboard::Writer& board, const std::string& tag, double v, int64_t step, bool stays = true) {
  board.scalar(tag, v, step);
  if (!stays) return;
  json::Object o;
  o.emplace_back("tag", tag), o.emplace_back("step", step), o.emplace_back("value", v);
  points.emplace_back(std::move(o));
}

// Two equal links, one of them called twice, with functions between them.
struct Both : Chain {
  L::Linear a, b;
  Both() : a(4, 4), b(4, 4) {}
  CHAINER_MEMBERS(Both, a, b);
  Variable forward(const Variable& x) { return b(F::relu(a(F::relu(a(x))))); }
};

void train(const std::filesystem::path& out) {
  random::seed(2);
  const Array x = random::rand({200, 20}, float32), t = random::randint(0, 3, {200}, int32);
  L::Classifier model(Sequential(L::Linear(20, 8), F::relu, L::Linear(8, 3)));
  optimizers::Adam optimizer;
  optimizer.setup(model);
  iterators::SerialIterator batches(datasets::TupleDataset(x, t), 50);
  training::StandardUpdater updater(batches, optimizer);
  Trainer trainer(updater, {2, "epoch"}, {.out = out});
  trainer.extend(
      extensions::TensorBoard({.hparams = {{"units", 8.0}, {"relu", true}, {"name", std::string("small")}}}));
  trainer.run();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: tensorboard_write FOLDER\n"), 1;
  const std::filesystem::path folder = argv[1];
  random::seed(1);
  {
    tensorboard::Writer board(folder / "run");
    for (int64_t i = 0; i < 1000; ++i) scalar(board, "loss/main", 1.0 / (1.0 + 0.1 * i), i, i < 600);
    for (int64_t i = 0; i < 10; ++i) board.histogram("weights", random::normal(0, 1.0 + 0.1 * i, {3000}, float32), i);
    Array picture = zeros({3, 32, 48}, float32);
    picture.set({0}, 1.0);
    picture.set({1, Slice(8, 24), Slice(8, 40)}, 0.5);
    board.image("picture", picture, 3);
    board.text("notes", "# A run\n\n| a | b |\n|---|---|\n| 1 | 2 |", 0);
  }
  {
    // The run is resumed from a snapshot at step 600.
    tensorboard::Writer board(folder / "run", {.purge_step = 600});
    for (int64_t i = 600; i < 800; ++i) scalar(board, "loss/main", -1.0 * i, i);
  }
  {
    L::Classifier model(Both{});
    const Variable loss = model(ones({2, 4}, float32), zeros({2}, int32));
    tensorboard::Writer board(folder / "graph");
    board.graph({loss}, {{"", &model}});
  }
  train(folder / "trained");
  write_file(folder / "expected.json", json::dump(json::Value(std::move(points))));
}
