// SPDX-License-Identifier: MIT
// An image a thread.
#include "chainer/array/host_kernels/spatial_transformer.h"

#include <algorithm>
#include <cmath>

#include "chainer/core/parallel.h"

namespace chainer::host_kernels {
namespace {

struct Sampling {
  int64_t n, c, h, w, out_h, out_w;
  Sampling(const Shape& x, const Shape& grid) : n(x[0]), c(x[1]), h(x[2]), w(x[3]), out_h(grid[2]), out_w(grid[3]) {}
};

// Where a point lies: the pixel above and left of it, and how far it is from there. Points far outside stay next to the
// image, where all is zero; `inside` tells whether moving the point moves it there.
struct NearestPixel {
  int64_t at;
  double part;
  bool inside;
  NearestPixel(double coordinate, int64_t length) {
    const double half = static_cast<double>(length - 1) / 2, u = coordinate * half + half;
    const double clipped = std::clamp(u, -1.0, static_cast<double>(length));
    inside = u >= -1 && u <= static_cast<double>(length);
    at = clipped == clipped ? std::min(static_cast<int64_t>(std::floor(clipped)), length - 1) : 0;  // NaN stays in part
    part = clipped - static_cast<double>(at);
  }
};

// Four neighbours of a point with their weights, those outside of the image left out.
template <class F>
void for_neighbours(const NearestPixel& u, const NearestPixel& v, int64_t h, int64_t w, F&& f) {
  for (int dy = 0; dy < 2; ++dy) {
    for (int dx = 0; dx < 2; ++dx) {
      const int64_t y = v.at + dy, x = u.at + dx;
      if (y >= 0 && y < h && x >= 0 && x < w)
        f(y * w + x, dx ? u.part : 1 - u.part, dy ? v.part : 1 - v.part, dx ? 1 : -1, dy ? 1 : -1);
    }
  }
}

// Points whose four neighbours are all there, some of an image at a time: channel by channel, whose pixels then stay
// in the cache.
template <class T>
struct Inner {
  static constexpr int64_t kMost = 256;
  int64_t count = 0, point[kMost], first[kMost];
  T du[kMost], dv[kMost];
  void add(int64_t p, const NearestPixel& u, const NearestPixel& v, int64_t w) {
    point[count] = p, first[count] = v.at * w + u.at;
    du[count] = static_cast<T>(u.part), dv[count] = static_cast<T>(v.part);
    ++count;
  }
};
// Calls inner(image, points) for those, and edge(image, point, u, v) for each of the others.
template <class T, class F, class G>
void for_points(const Sampling& s, const T* grid, F&& inner, G&& edge) {
  const int64_t points = s.out_h * s.out_w;
  cpu::parallel_ranges(s.n, s.n * points * s.c * 4, 1, [&](int64_t begin, int64_t end) {
    Inner<T> some;
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t p = 0; p < points; ++p) {
        const T* at = grid + i * 2 * points + p;
        const NearestPixel u(static_cast<double>(at[0]), s.w), v(static_cast<double>(at[points]), s.h);
        if (u.at >= 0 && u.at + 1 < s.w && v.at >= 0 && v.at + 1 < s.h)
          some.add(p, u, v, s.w);
        else
          edge(i, p, u, v);
        if (some.count == some.kMost || p + 1 == points) inner(i, some), some.count = 0;
      }
    }
  });
}
template <class T>
void sample(const Sampling& s, const T* x, const T* grid, T* y) {
  const int64_t points = s.out_h * s.out_w, pixels = s.h * s.w;
  for_points(
      s, grid,
      [&](int64_t i, const Inner<T>& some) {
        for (int64_t c = i * s.c; c < (i + 1) * s.c; ++c) {
          const T* image = x + c * pixels;
          T* to = y + c * points;
          for (int64_t k = 0; k < some.count; ++k) {
            const T *pixel = image + some.first[k], du = some.du[k], dv = some.dv[k];
            to[some.point[k]] = (1 - du) * (1 - dv) * pixel[0] + du * (1 - dv) * pixel[1] + (1 - du) * dv * pixel[s.w] +
                                du * dv * pixel[s.w + 1];
          }
        }
      },
      [&](int64_t i, int64_t p, const NearestPixel& u, const NearestPixel& v) {
        for_neighbours(u, v, s.h, s.w, [&](int64_t at, double wu, double wv, double, double) {
          for (int64_t c = 0; c < s.c; ++c)
            y[(i * s.c + c) * points + p] += static_cast<T>(wu * wv) * x[(i * s.c + c) * pixels + at];
        });
      });
}
template <class T>
void scatter(const Sampling& s, const T* x, const T* grid, const T* gy, T* gx, T* ggrid) {
  const int64_t points = s.out_h * s.out_w, pixels = s.h * s.w;
  for_points(
      s, grid,
      [&](int64_t i, const Inner<T>& some) {
        T along_u[Inner<T>::kMost] = {}, along_v[Inner<T>::kMost] = {};
        for (int64_t c = i * s.c; c < (i + 1) * s.c; ++c) {
          const T *image = x + c * pixels, *from = gy + c * points;
          T* gradient = gx + c * pixels;
          for (int64_t k = 0; k < some.count; ++k) {
            const T *pixel = image + some.first[k], du = some.du[k], dv = some.dv[k], g = from[some.point[k]];
            T* to = gradient + some.first[k];
            const T top = pixel[1] - pixel[0], bottom = pixel[s.w + 1] - pixel[s.w];
            to[0] += (1 - du) * (1 - dv) * g, to[1] += du * (1 - dv) * g;
            to[s.w] += (1 - du) * dv * g, to[s.w + 1] += du * dv * g;
            along_u[k] += g * (top + dv * (bottom - top));
            along_v[k] += g * (pixel[s.w] - pixel[0] + du * (bottom - top));
          }
        }
        for (int64_t k = 0; k < some.count; ++k) {
          T* g = ggrid + i * 2 * points + some.point[k];
          g[0] = along_u[k] * static_cast<T>(s.w - 1) / 2;
          g[points] = along_v[k] * static_cast<T>(s.h - 1) / 2;
        }
      },
      [&](int64_t i, int64_t p, const NearestPixel& u, const NearestPixel& v) {
        double gu = 0, gv = 0;
        for_neighbours(u, v, s.h, s.w, [&](int64_t at, double wu, double wv, double du, double dv) {
          double along = 0;
          for (int64_t c = 0; c < s.c; ++c) {
            const T g = gy[(i * s.c + c) * points + p];
            gx[(i * s.c + c) * pixels + at] += static_cast<T>(wu * wv) * g;
            along += static_cast<double>(g) * static_cast<double>(x[(i * s.c + c) * pixels + at]);
          }
          gu += along * du * wv, gv += along * wu * dv;
        });
        T* g = ggrid + i * 2 * points + p;
        if (u.inside) g[0] = static_cast<T>(gu * static_cast<double>(s.w - 1) / 2);
        if (v.inside) g[points] = static_cast<T>(gv * static_cast<double>(s.h - 1) / 2);
      });
}

}  // namespace

void sample_bilinear(const Array& x, const Array& grid, Array& y) {
  const Sampling s(x.shape(), grid.shape());
  if (x.dtype() == Dtype::float64)
    sample(s, x.data<double>(), grid.data<double>(), y.mutable_data<double>());
  else
    sample(s, x.data<float>(), grid.data<float>(), y.mutable_data<float>());
}

void sample_bilinear_grad(const Array& x, const Array& grid, const Array& gy, Array& gx, Array& ggrid) {
  const Sampling s(x.shape(), grid.shape());
  if (x.dtype() == Dtype::float64)
    scatter(s, x.data<double>(), grid.data<double>(), gy.data<double>(), gx.mutable_data<double>(),
            ggrid.mutable_data<double>());
  else
    scatter(s, x.data<float>(), grid.data<float>(), gy.data<float>(), gx.mutable_data<float>(),
            ggrid.mutable_data<float>());
}

}  // namespace chainer::host_kernels
