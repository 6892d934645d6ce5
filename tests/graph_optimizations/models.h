// SPDX-License-Identifier: MIT
// Models for tests of static graphs.
#pragma once
#include <chainer/chainer.h>
#include <chainer/testing/testing.h>

#include <cstring>

namespace static_models {
using namespace chainer;

struct Mlp : Chain {
  L::Linear l1{12, 16}, l2{16, 5};
  CHAINER_MEMBERS(Mlp, l1, l2);
  int runs = 0;
  Variable forward(const Variable& x) {
    ++runs;
    return l2(F::relu(l1(x)));
  }
};

struct Noisy : Chain {
  L::Linear l1{12, 16}, l2{16, 5};
  L::BatchNormalization bn{16};
  CHAINER_MEMBERS(Noisy, l1, l2, bn);
  Variable forward(const Variable& x) { return l2(F::dropout(F::relu(bn(l1(x))), 0.3)); }
};

struct Reporting : Chain {
  Mlp mlp;
  CHAINER_MEMBERS(Reporting, mlp);
  Variable forward(const Variable& x, const Variable& t) {
    const Variable y = mlp(x), loss = F::softmax_cross_entropy(y, t);
    report({{"loss", loss}, {"accuracy", F::accuracy(y, t)}}, *this);
    return loss;
  }
};

struct Unrolled : Chain {
  L::EmbedID embed{9, 6};
  L::LSTM lstm{6, 8};
  L::Linear out{8, 9};
  CHAINER_MEMBERS(Unrolled, embed, lstm, out);
  Variable forward(const Variable& words) {
    lstm.reset_state();
    Variable loss;
    for (int64_t k = 0; k + 1 < words.shape()[0]; ++k) {
      const Variable step = F::softmax_cross_entropy(out(lstm(embed(words.array()[k]))), words.array()[k + 1]);
      loss = loss ? loss + step : step;
    }
    lstm.reset_state();
    return loss;
  }
};

inline Array floats(const Shape& s) { return random::uniform(-1, 1, s, float32); }
inline bool same(const Array& a, const Array& b) {
  if (static_cast<bool>(a) != static_cast<bool>(b)) return false;
  if (!a) return true;
  const Array x = a.contiguous(), y = b.contiguous();
  return x.shape() == y.shape() && x.dtype() == y.dtype() &&
         (x.size() == 0 || std::memcmp(x.raw(), y.raw(), static_cast<std::size_t>(x.nbytes())) == 0);
}

}  // namespace static_models
