// SPDX-License-Identifier: MIT
#include "chainer/autograd/type_check.h"
#include "chainer/functions/array.h"
#include "chainer/functions/convolution.h"

namespace chainer::functions {

Variable Shift::operator()(const Variable& x, const PerAxis& ksize, const ShiftOptions& o) const {
  const Dims k = ksize.on(2, "shift: ksize"), dilate = o.dilate.on(2, "shift: dilate");
  if (k[0] < 1 || k[1] < 1 || k[0] % 2 == 0 || k[1] % 2 == 0)
    throw ValueError("shift: the filter's lengths must be odd, not ", k);
  const int64_t groups = k[0] * k[1];
  type_check::check("shift", {x.array()}, [&](const type_check::TypeInfos& in) {
    in.names({"x"});
    type_check::expect(in[0].dtype().kind() == 'f', in[0].ndim() == 4);
    type_check::expect(in[0].shape(1) >= type_check::make_variable(groups, "ksize[0] * ksize[1]"));
  });
  const Shape& s = x.shape();
  const int64_t ph = k[0] / 2 * std::abs(dilate[0]), pw = k[1] / 2 * std::abs(dilate[1]), size = s[1] / groups;
  const Variable padded = pad(x, {{0, 0}, {0, 0}, {ph, ph}, {pw, pw}}, "constant");
  Variables moved;
  for (int64_t i = 0; i < groups; ++i) {
    // The middle of the filter, which does not shift, and its last element are swapped.
    const int64_t middle = (groups - 1) / 2, tap = i == middle ? groups - 1 : i == groups - 1 ? middle : i;
    const int64_t top = ph - (tap / k[1] - k[0] / 2) * dilate[0], left = pw - (tap % k[1] - k[1] / 2) * dilate[1];
    const int64_t end = i + 1 < groups ? (i + 1) * size : s[1];
    moved.push_back(padded[{Slice(), Slice(i * size, end), Slice(top, top + s[2]), Slice(left, left + s[3])}]);
  }
  return concat(moved, 1);
}

}  // namespace chainer::functions
