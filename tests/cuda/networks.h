// SPDX-License-Identifier: MIT
// Small networks of common kinds, as training steps on a device: for counts of requests to the device, and for
// comparisons of losses with the host.
#pragma once
#include <chainer/chainer.h>

#include <functional>
#include <string>
#include <vector>

/// A step copies its batch to the device, runs forward, backward and the update; it returns the loss on the device.
using TrainingStep = std::function<chainer::Variable()>;

struct Network {
  std::string name;
  TrainingStep (*make)(const chainer::Device&);
};

/// An MLP with dropout, convolutions with batch normalization and pooling, an LSTM language model with clipped
/// gradients, a DCGAN, a residual network. Each draws the same numbers on every device.
const std::vector<Network>& networks();
