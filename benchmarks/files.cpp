// SPDX-License-Identifier: MIT
// Times saving and loading a model of ResNet50's size (25.6 million parameters in 98 arrays): NPZ with and without
// compression, HDF5, safetensors; and how long a snapshot (NPZ without compression) stops training. Prints lines of
// tabs: name, median ms, minimum ms. bench_files FOLDER [ROUNDS]
#include <chainer/chainer.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <vector>

#include "chainer/serializers/hdf5.h"
#include "chainer/serializers/safetensors.h"

using namespace chainer;

namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Times f(); `after` runs outside of the time.
template <class F>
void report(const char* name, int rounds, F&& f, const std::function<void()>& after = {}) {
  std::vector<double> all;
  for (int i = 0; i < rounds; ++i) {
    const double begin = seconds();
    f();
    all.push_back((seconds() - begin) * 1e3);
    if (after) after();
  }
  std::sort(all.begin(), all.end());
  std::printf("%s\t%.1f\t%.1f\n", name, all[all.size() / 2], all[0]);
  std::fflush(stdout);
}

// Convolutions of 3x3 and 1x1 and a last layer, as many numbers as in ResNet50.
struct Weights : ChainList {
  Weights() {
    for (const int64_t c : {64, 128, 256, 512})
      for (int i = 0; i < 4; ++i) {
        add_link(L::Convolution2D(c, c, 3));
        add_link(L::Convolution2D(c, 4 * c, 1));
        add_link(L::Convolution2D(4 * c, c, 1));
      }
    add_link(L::Linear(2048, 1000));
  }
};

void snapshots(const std::filesystem::path& folder, int rounds, Weights& model) {
  auto optimizer = optimizers::MomentumSGD().setup(model);
  iterators::SerialIterator none(datasets::TupleDataset(zeros({1, 1}), zeros({1}, int32)), 1);
  training::StandardUpdater updater(none, optimizer);
  for (const bool background : {false, true}) {
    Trainer trainer(updater, {1, "iteration"}, {.out = folder.string()});
    auto extension = extensions::snapshot_object(model, "snapshot", {.compression = false, .background = background});
    report(
        background ? "snapshot in the background" : "snapshot", rounds, [&] { extension(trainer); },
        [&] { extension.finalize(); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_files FOLDER [ROUNDS]\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  std::filesystem::create_directories(folder);
  random::seed(0);
  Weights model;
  const auto both = [&](const std::string& name, const char* ending, auto&& save, auto&& load) {
    const std::filesystem::path file = folder / ("ours_" + name + ending);
    report((name + " save").c_str(), rounds, [&] { save(file); });
    report((name + " load").c_str(), rounds, [&] { load(file); });
  };
  const auto load_npz = [&](const auto& f) { serializers::load_npz(f, model); };
  both(
      "npz", ".npz", [&](const auto& f) { serializers::save_npz(f, model, false); }, load_npz);
  both(
      "npz_compressed", ".npz", [&](const auto& f) { serializers::save_npz(f, model, true); }, load_npz);
  both(
      "hdf5", ".h5", [&](const auto& f) { serializers::save_hdf5(f, model, std::nullopt); },
      [&](const auto& f) { serializers::load_hdf5(f, model); });
  both(
      "safetensors", ".safetensors", [&](const auto& f) { serializers::save_safetensors(f, model); },
      [&](const auto& f) { serializers::load_safetensors(f, model); });
  snapshots(folder, rounds, model);
}
