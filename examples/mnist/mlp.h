// SPDX-License-Identifier: MIT
// The multilayer perceptron of the manual's MNIST examples, and their data.
#pragma once
#include <cstdio>
#include <string>

#include "chainer/datasets/datasets.h"
#include "chainer/functions/activation.h"
#include "chainer/links/links.h"

/// Three layers with relu between them; the first call determines the input sizes.
struct MLP : chainer::Chain {
  chainer::L::Linear l1, l2, l3;
  MLP(int64_t n_units, int64_t n_out) : l1(n_units), l2(n_units), l3(n_out) {}
  CHAINER_MEMBERS(MLP, l1, l2, l3);
  chainer::Variable forward(const chainer::Variable& x) { return l3(chainer::F::relu(l2(chainer::F::relu(l1(x))))); }
};

/// Returns the dataset mnist, fashion or drawn. An empty name selects MNIST from the cache or the network, or drawn
/// digits if it is not available; a given name never falls back.
inline chainer::datasets::TrainTest load_digits(const std::string& name,
                                                const chainer::datasets::MnistOptions& options = {}) {
  using namespace chainer;
  if (name == "fashion") return datasets::get_fashion_mnist(options);
  if (name == "drawn") return datasets::get_drawn_digits(options);
  if (!name.empty() && name != "mnist") throw ValueError("--dataset is mnist, fashion or drawn, not '", name, "'");
  try {
    return datasets::get_mnist(options);
  } catch (const FileError& e) {
    if (!name.empty()) throw;
    std::fprintf(stderr, "MNIST is not available (%s): training on digits drawn by this program\n", e.what());
    return datasets::get_drawn_digits(options);
  }
}
