// SPDX-License-Identifier: MIT
// Tests an installed package by computing a gradient.
#include <chainer/chainer.h>

using namespace chainer;

int main() {
  const Variable x(array({1.f, 2.f}));
  F::sum(x * x).backward();
  std::printf("%s\n", repr(x.grad()).c_str());
  return x.grad().to_vector<float>() == std::vector<float>{2, 4} ? 0 : 1;
}
