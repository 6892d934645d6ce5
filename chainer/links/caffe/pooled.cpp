// SPDX-License-Identifier: MIT
#include "chainer/links/caffe/pooled.h"

#include <algorithm>

#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/pooling.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"

namespace chainer::links::caffe {
namespace {

namespace F = chainer::functions;

// The windows along an axis.
struct Windows {
  int64_t kernel, stride, pad, length, count = 0;
  // `padded`: one of the axes is padded, so that all windows begin before the padding at the end.
  Windows(int64_t k, int64_t s, int64_t p, int64_t n, bool round_down, bool padded)
      : kernel(k), stride(s), pad(p), length(n) {
    int64_t span = length + 2 * pad - kernel;
    if (stride < 1) return;
    if (span < 0 && span > -stride && !round_down) {  // one window, which covers everything
      kernel += span;
      span = 0;
    }
    if (span < 0) return;
    count = (round_down ? span : span + stride - 1) / stride + 1;
    if (padded && (count - 1) * stride >= length + pad) --count;
  }
  // How far the last window extends past the padding.
  int64_t beyond() const { return std::max(int64_t(0), (count - 1) * stride + kernel - length - 2 * pad); }
  // The kernel's length by the part of each window that is not past the padding.
  Array factors() const {
    std::vector<float> out;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t begin = i * stride - pad, end = std::min(begin + kernel, length + pad);
      out.push_back(static_cast<float>(kernel) / static_cast<float>(end - begin));
    }
    return array(out);
  }
};

Variable means(const Variable& x, const Windows& h, const Windows& w, const F::AveragePooling2DOptions& o) {
  const PerAxis ksize{h.kernel, w.kernel};
  const int64_t below = h.beyond(), right = w.beyond();
  if (below == 0 && right == 0) return F::average_pooling_2d(x, ksize, o);
  const Variable y = F::average_pooling_2d(F::pad(x, {{0, 0}, {0, 0}, {0, below}, {0, right}}, "constant"), ksize, o);
  const Array factors = h.factors().reshape({h.count, 1}) * w.factors();
  return y * F::broadcast_to(factors.astype(y.dtype()).to_device(y.array().device()), y.shape());
}

}  // namespace

Variable pooled(const chainer::caffe::Layer& l, const Variable& x) {
  const chainer::caffe::Window& window = l.window;
  const bool whole = l.global_pooling && window.kernel[0] == 0 && window.kernel[1] == 0;
  if (x.ndim() != 4)
    throw DimensionError("CaffeFunction: layer '", l.name, "' (Pooling) needs images (N, C, h, w), not shape ",
                         x.shape());
  const auto along = [&](std::size_t i) {
    const int64_t length = x.shape(static_cast<int>(i) + 2);
    return Windows(whole ? length : window.kernel[i], window.stride[i], window.pad[i], length, l.round_down,
                   window.pad[0] > 0 || window.pad[1] > 0);
  };
  const Windows h = along(0), w = along(1);
  if (h.count < 1 || w.count < 1)
    throw ValueError("CaffeFunction: layer '", l.name, "' (Pooling): windows of ", h.kernel, " x ", w.kernel,
                     " with strides ", h.stride, " and ", w.stride, " do not fit a blob of shape ", x.shape());
  const PerAxis stride{h.stride, w.stride}, pad{h.pad, w.pad};
  const Variable y = l.pool == chainer::caffe::Pool::max
                         ? F::max_pooling_2d(x, PerAxis{h.kernel, w.kernel},
                                             {.stride = stride, .pad = pad, .cover_all = !l.round_down})
                         : means(x, h, w, {.stride = stride, .pad = pad});
  if (y.shape(2) <= h.count && y.shape(3) <= w.count) return y;
  return F::get_item(y, {Slice(), Slice(), Slice(0, h.count), Slice(0, w.count)});
}

}  // namespace chainer::links::caffe
