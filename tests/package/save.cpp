// SPDX-License-Identifier: MIT
// Makes the file that serve reads.
#include "perceptron.h"

int main(int, char** argv) {
  MLP model;
  (void)model.forward(ones({1, 784}));           // gives the parameters their shapes
  serializers::save_npz(argv[1], model, false);  // not packed: read without unpacking
}
