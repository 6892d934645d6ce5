// SPDX-License-Identifier: MIT
// The model of the manual's first example.
#pragma once
#include <chainer/chainer.h>

struct MLP : chainer::Chain {
  chainer::links::Linear l1, l2, l3;
  MLP(int64_t n_units, int64_t n_out) : l1(n_units), l2(n_units), l3(n_out) {}
  CHAINER_MEMBERS(MLP, l1, l2, l3);
  chainer::Variable forward(const chainer::Variable& x) {
    namespace F = chainer::functions;
    return l3(F::relu(l2(F::relu(l1(x)))));
  }
};
