// SPDX-License-Identifier: MIT
// The smallest useful program: loads a perceptron from an NPZ file and predicts.
#include <cstdio>

#include "perceptron.h"

int main(int, char** argv) {
  MLP model;
  const NoBackpropMode no_graph;
  serializers::load_npz(argv[1], model);
  std::printf("%lld\n", static_cast<long long>(argmax(model.forward(ones({1, 784})).array(), 1).item<int64_t>()));
}
