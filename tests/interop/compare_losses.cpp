// SPDX-License-Identifier: MIT
// Repeats the runs of make_reference.py --mnist on MNIST, and prints the largest difference of the losses:
//
//   make_reference.py x --mnist FOLDER_OF_IDX_FILES losses.npz
//   CHAINER_MATMUL=openblas CHAINER_ISA=avx2 build/release/tests/compare_losses losses.npz
#include <chainer/chainer.h>

#include "../../examples/mnist/mlp.h"

using namespace chainer;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: compare_losses LOSSES.npz\n");
    return 1;
  }
  const serializers::NpzFile reference{std::filesystem::path(argv[1])};
  const auto [train_data, test_data] = datasets::get_mnist();
  const auto check = [&, &data = train_data](const char* name, auto optimizer, int64_t units) {
    random::seed(0);
    iterators::SerialIterator train(data, 100);
    L::Classifier model(MLP(units, 10));
    optimizer.setup(model);
    const std::vector<double> expected = reference.array(name).to_vector<double>();
    double worst = 0;
    for (double e : expected) {
      auto [x, t] = concat_examples<2>(train.next());
      const Variable loss = model(x, t);
      model.cleargrads();
      loss.backward();
      optimizer.update();
      worst = std::max(worst, std::abs(loss.item<double>() - e));
    }
    std::printf("%-14s %zu iterations, largest difference %.2g\n", name, expected.size(), worst);
  };
  check("sgd", optimizers::SGD(), 1000);
  check("momentum_sgd", optimizers::MomentumSGD(), 1000);
  check("adam_100", optimizers::Adam(), 100);
  check("adam_1000", optimizers::Adam(), 1000);
}
