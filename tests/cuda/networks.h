// SPDX-License-Identifier: MIT
// Small networks of the kinds that people train, as training steps on a device: for counts of what a step asks of it,
// and for losses beside the host's.
#pragma once
#include <chainer/chainer.h>

#include <functional>
#include <string>
#include <vector>

/// A step sends its batch, computes, goes back through the graph and updates; it returns the loss, on the device.
using TrainingStep = std::function<chainer::Variable()>;

struct Network {
  std::string name;
  TrainingStep (*make)(const chainer::Device&);
};

/// An MLP with dropout, convolutions with batch normalization and pooling, an LSTM language model with clipped
/// gradients, a DCGAN, a residual network. Each draws the same numbers on every device.
const std::vector<Network>& networks();
