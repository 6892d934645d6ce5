// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/pooling.h"

namespace chainer::cuda {
namespace {

enum Operation { max, sum, gather, scatter, spread };

// The elements [begin, end) of a window along axis d that are inside the image.
struct Inside {
  int begin, end;
  DEVICE int count() const { return begin < end ? end - begin : 0; }
};
DEVICE Inside inside(const Windows& w, int d, int window) {
  const int from = window * w.stride[d] - w.pad[d], rest = w.size[d] - from;
  return {from < 0 ? -from : 0, rest < w.ksize[d] ? rest : w.ksize[d]};
}
// Returns the weight of a window's elements in its sum.
template <class T>
DEVICE T weight_of(const PoolingArgs& a, const Place& o) {
  if (a.weight != 0) return static_cast<T>(a.weight);
  int count = 1;
  for (int d = 0; d < Windows::kAxes; ++d) count *= inside(a.windows, d, o.at[d]).count();
  return T(1) / static_cast<T>(count);
}

// One thread per channel of each window. The first NaN of a window is kept.
template <class T>
DEVICE void pool_windows(const PoolingArgs& a) {
  const Windows& w = a.windows;
  const T* in = static_cast<const T*>(a.in);
  const int64_t size = a.outer * w.out[0] * w.out[1] * w.out[2] * a.inner;
  for (int64_t i = first_element(); i < size; i += element_step()) {
    int64_t n = i / a.inner;
    const Place o = split(n, w.out);
    const T* image = in + n * w.size[0] * w.size[1] * w.size[2] * a.inner + i % a.inner;
    const Inside in0 = inside(w, 0, o.at[0]), in1 = inside(w, 1, o.at[1]), in2 = inside(w, 2, o.at[2]);
    const int wanted = a.op == gather ? a.position[i] : -1;
    T result = a.op == max ? -T(1) / T(0) : T(0);
    int found = -1;
    for (int k0 = in0.begin; k0 < in0.end; ++k0)
      for (int k1 = in1.begin; k1 < in1.end; ++k1)
        for (int k2 = in2.begin; k2 < in2.end; ++k2) {
          const int64_t x0 = o.at[0] * w.stride[0] - w.pad[0] + k0, x1 = o.at[1] * w.stride[1] - w.pad[1] + k1,
                        x2 = o.at[2] * w.stride[2] - w.pad[2] + k2;
          const T v = image[((x0 * w.size[1] + x1) * w.size[2] + x2) * a.inner];
          const int k = (k0 * w.ksize[1] + k1) * w.ksize[2] + k2;
          if (a.op == sum)
            result += v;
          else if (a.op == gather ? k == wanted : found < 0 || (!(v <= result) && result == result))
            result = v, found = k;
        }
    if (a.op == sum) result *= weight_of<T>(a, o);
    static_cast<T*>(a.out)[i] = result;
    if (a.op == max && a.position) a.position[i] = found < 0 ? 0 : found;
  }
}

// Returns the windows [begin, end) along axis d that contain pixel x.
DEVICE Inside windows_over(const Windows& w, int d, int x) {
  const int last = (x + w.pad[d]) / w.stride[d] + 1, before = x + w.pad[d] - w.ksize[d];
  return {before < 0 ? 0 : before / w.stride[d] + 1, last < w.out[d] ? last : w.out[d]};
}

// One thread per channel of each pixel; it adds the contributions of the windows over the pixel, in order.
template <class T>
DEVICE void pool_images(const PoolingArgs& a) {
  const Windows& w = a.windows;
  const T* in = static_cast<const T*>(a.in);
  const int64_t size = a.outer * w.size[0] * w.size[1] * w.size[2] * a.inner;
  for (int64_t i = first_element(); i < size; i += element_step()) {
    int64_t n = i / a.inner;
    const Place x = split(n, w.size);
    const int64_t first = n * w.out[0] * w.out[1] * w.out[2];
    const Inside over0 = windows_over(w, 0, x.at[0]), over1 = windows_over(w, 1, x.at[1]),
                 over2 = windows_over(w, 2, x.at[2]);
    T result = T(0);
    for (int o0 = over0.begin; o0 < over0.end; ++o0)
      for (int o1 = over1.begin; o1 < over1.end; ++o1)
        for (int o2 = over2.begin; o2 < over2.end; ++o2) {
          const int64_t at = (first + (int64_t(o0) * w.out[1] + o1) * w.out[2] + o2) * a.inner + i % a.inner;
          const int k0 = x.at[0] + w.pad[0] - o0 * w.stride[0], k1 = x.at[1] + w.pad[1] - o1 * w.stride[1],
                    k2 = x.at[2] + w.pad[2] - o2 * w.stride[2];
          if (a.op == spread)
            result += weight_of<T>(a, Place{{o0, o1, o2}}) * in[at];
          else if (a.position[at] == (k0 * w.ksize[1] + k1) * w.ksize[2] + k2)
            result += in[at];
        }
    static_cast<T*>(a.out)[i] = result;
  }
}

}  // namespace

KERNEL(pool_windows_float32, PoolingArgs) { pool_windows<float>(a); }
KERNEL(pool_windows_float64, PoolingArgs) { pool_windows<double>(a); }
KERNEL(pool_images_float32, PoolingArgs) { pool_images<float>(a); }
KERNEL(pool_images_float64, PoolingArgs) { pool_images<double>(a); }

}  // namespace chainer::cuda
