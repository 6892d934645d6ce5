// SPDX-License-Identifier: MIT
// Inputs and results of recurrent links in the reference release.
#pragma once
#include <chainer/chainer.h>

#include "test.h"

inline const chainer::serializers::NpzFile& release() {
  static const chainer::serializers::NpzFile f(TEST_DATA "../conformance/recurrent.npz");
  return f;
}

// Compares results `name`/y0, y1, ..., parameters, and the gradients of the weighted sum of the results.
inline void expect_release(const std::string& name, chainer::Link& link, const chainer::Variables& ys,
                           double gradients_atol) {
  chainer::Variable loss;
  for (std::size_t i = 0; i < ys.size(); ++i) {
    const chainer::Variable term = static_cast<double>(i + 1) * chainer::F::sum(ys[i]);
    loss = loss ? loss + term : term;
    EXPECT_CLOSE(ys[i].array(), release().array(chainer::text(name, "/y", i)), {.atol = 2e-6});
  }
  EXPECT(!release().contains(chainer::text(name, "/y", ys.size())));
  link.cleargrads();
  loss.backward();
  const auto parameters = link.namedparams();
  EXPECT(!parameters.empty());
  for (const auto& [path, p] : parameters) {
    EXPECT_CLOSE(p.array(), release().array(name + path), {.atol = 1e-7});
    EXPECT_CLOSE(p.grad(), release().array(name + path + "_grad"), {.atol = gradients_atol, .rtol = 1e-5});
  }
}
