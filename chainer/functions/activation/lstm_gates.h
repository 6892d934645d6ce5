// What the cells of the LSTM family share.
#pragma once
#include "chainer/autograd/type_check.h"
#include "chainer/functions/activation.h"
#include "chainer/functions/array.h"

namespace chainer::functions {

/// The gates of x (N, k * units, ...), which are interleaved: element j of unit u stands at k * u + j.
inline Variables gates(const Variable& x, int64_t k) {
  Shape s = x.shape();
  s[1] /= k;
  s.insert(2, k);
  return separate(reshape(x, s), 2);
}
/// Cells in[c] and gates in[x] of `gate_count` times as many units.
inline void check_cell(const type_check::TypeInfos& in, int64_t c, int64_t x, int64_t gate_count) {
  using type_check::expect;
  expect(in[c].dtype().kind() == 'f', in[x].dtype() == in[c].dtype(), in[c].ndim() >= 2, in[c].ndim() == in[x].ndim());
  expect(in[x].shape(1) == in[c].shape(1) * gate_count, in[x].shape().slice(2) == in[c].shape().slice(2));
}

}  // namespace chainer::functions
