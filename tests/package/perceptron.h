// SPDX-License-Identifier: MIT
// The model of the programs that save and serve.
#pragma once
#include <chainer/chainer.h>

using namespace chainer;

struct MLP : Chain {
  L::Linear l1, l2, l3;
  MLP() : l1(100), l2(100), l3(10) {}
  CHAINER_MEMBERS(MLP, l1, l2, l3);
  Variable forward(const Variable& x) { return l3(F::relu(l2(F::relu(l1(x))))); }
};
