// SPDX-License-Identifier: MIT
// Digits drawn by the program, for machines without a network: each consists of a few strokes whose points are moved by
// a random smooth field and a random affine map, drawn with a soft pen of random width.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "chainer/core/parallel.h"
#include "chainer/datasets/datasets.h"

namespace chainer::datasets {
namespace {

struct Point {
  double x, y;
};
using Stroke = std::vector<Point>;

// Points on an ellipse from one angle to another, in degrees; y grows downwards, 0 is to the right.
Stroke arc(double cx, double cy, double rx, double ry, double from, double to) {
  Stroke s;
  const int n = std::max(4, static_cast<int>(std::abs(to - from) / 20));
  for (int i = 0; i <= n; ++i) {
    const double a = (from + (to - from) * i / n) * std::numbers::pi / 180;
    s.push_back({cx + rx * std::cos(a), cy + ry * std::sin(a)});
  }
  return s;
}

// The strokes of each digit in the square [-1, 1]^2.
std::vector<Stroke> strokes_of(int digit) {
  switch (digit) {
    case 0: return {arc(0, 0, 0.55, 0.85, 0, 360)};
    case 1: return {{{-0.25, -0.55}, {0.1, -0.85}, {0.05, 0.85}}};
    case 2: {
      Stroke s = arc(0, -0.4, 0.5, 0.45, 190, 380);
      s.insert(s.end(), {{0.15, 0.25}, {-0.55, 0.8}, {0.6, 0.8}});
      return {s};
    }
    case 3: return {arc(-0.05, -0.42, 0.48, 0.42, 200, 450), arc(-0.05, 0.42, 0.55, 0.44, 270, 520)};
    case 4: return {{{0.1, -0.85}, {-0.6, 0.25}, {0.6, 0.25}}, {{0.3, -0.3}, {0.25, 0.85}}};
    case 5: {
      Stroke s = arc(-0.05, 0.35, 0.55, 0.5, 250, 500);
      return {{{0.5, -0.8}, {-0.4, -0.8}, {-0.45, -0.1}}, s};
    }
    case 6: {
      Stroke s = arc(0.35, 0.1, 0.9, 0.95, 265, 180);
      return {s, arc(0, 0.4, 0.5, 0.45, 0, 360)};
    }
    case 7: return {{{-0.55, -0.8}, {0.55, -0.8}, {0.1, 0.05}, {-0.15, 0.85}}};
    case 8: return {arc(0, -0.42, 0.42, 0.4, 0, 360), arc(0, 0.42, 0.52, 0.43, 0, 360)};
    default: return {arc(0, -0.38, 0.48, 0.45, 0, 360), {{0.48, -0.38}, {0.42, 0.2}, {0.15, 0.85}}};
  }
}

// SplitMix64. Each image has its own generator, so the numbers do not depend on the threads.
struct Generator {
  uint64_t state;
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform(double low, double high) { return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53); }
};

double distance(Point p, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const double t = length > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

void draw(const std::vector<Stroke>& shape, Generator g, uint8_t* pixels) {
  const double angle = g.uniform(-0.22, 0.22), shear = g.uniform(-0.3, 0.3);
  const double sx = g.uniform(0.75, 1.1) * 9, sy = g.uniform(0.85, 1.1) * 9;
  const double tx = 13.5 + g.uniform(-1.5, 1.5), ty = 13.5 + g.uniform(-1.5, 1.5);
  struct Wave {
    double fx, fy, phase, ax, ay;
  } waves[3];
  for (Wave& w : waves)
    w = {g.uniform(-2.5, 2.5), g.uniform(-2.5, 2.5), g.uniform(0, 2 * std::numbers::pi), g.uniform(-0.09, 0.09),
         g.uniform(-0.09, 0.09)};
  const double pen = g.uniform(0.75, 1.45), ink = g.uniform(215, 255);
  float nearest[784];
  std::fill(nearest, nearest + 784, 100.f);
  for (const Stroke& s : shape) {
    Point last{};
    for (std::size_t i = 0; i < s.size(); ++i) {
      Point p = s[i];
      for (const Wave& w : waves) {
        const double v = std::sin(w.fx * s[i].x + w.fy * s[i].y + w.phase);
        p.x += w.ax * v;
        p.y += w.ay * v;
      }
      const double x = (p.x + shear * p.y) * sx, y = p.y * sy;
      const Point q{tx + std::cos(angle) * x - std::sin(angle) * y, ty + std::sin(angle) * x + std::cos(angle) * y};
      if (i > 0) {
        const double reach = pen + 2;
        const int x0 = std::max(0, static_cast<int>(std::min(q.x, last.x) - reach)),
                  x1 = std::min(27, static_cast<int>(std::max(q.x, last.x) + reach));
        const int y0 = std::max(0, static_cast<int>(std::min(q.y, last.y) - reach)),
                  y1 = std::min(27, static_cast<int>(std::max(q.y, last.y) + reach));
        for (int py = y0; py <= y1; ++py)
          for (int px = x0; px <= x1; ++px) {
            float& d = nearest[py * 28 + px];
            d = std::min(d, static_cast<float>(distance({double(px), double(py)}, last, q)));
          }
      }
      last = q;
    }
  }
  for (int i = 0; i < 784; ++i) {
    const double cover = std::clamp(pen + 0.5 - static_cast<double>(nearest[i]), 0.0, 1.0);
    pixels[i] = static_cast<uint8_t>(cover * ink);
  }
}

AnyDataset make(int64_t n, uint64_t seed, const MnistOptions& o) {
  std::vector<std::vector<Stroke>> shapes;
  for (int d = 0; d < 10; ++d) shapes.push_back(strokes_of(d));
  Array images({n, 784}, uint8), labels({n}, uint8);
  uint8_t *x = images.mutable_data<uint8_t>(), *t = labels.mutable_data<uint8_t>();
  cpu::parallel_ranges(n, n * 784, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Generator g{seed + static_cast<uint64_t>(i) * 0x632be59bd9b4e019u};
      t[i] = static_cast<uint8_t>(g.next() % 10);
      draw(shapes[t[i]], g, x + i * 784);
    }
  });
  return make_mnist_dataset(images, labels, o);
}

}  // namespace

TrainTest get_drawn_digits(const MnistOptions& o, int64_t train_size, int64_t test_size) {
  return {make(train_size, 1, o), make(test_size, 0x5eed, o)};
}

}  // namespace chainer::datasets
