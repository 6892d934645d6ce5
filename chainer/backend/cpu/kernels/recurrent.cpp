// SPDX-License-Identifier: MIT
// The pointwise parts of recurrent cells. Compiled once per instruction set.
#include "chainer/backend/common/formula_math.h"

#include "chainer/backend/cpu/kernels/fill.h"

namespace {

using chainer::LstmCells;
using chainer::cpu::GruArrays;
using chainer::cpu::LstmArrays;

// Units are processed in blocks padded with zeros to whole vectors, so that an element's result does not depend on its
// position.
constexpr int64_t kUnits = 128, kVector = 16;

template <class T>
struct Block {
  T v[kUnits];
  T operator[](int64_t k) const { return v[k]; }
  T& operator[](int64_t k) { return v[k]; }
};

// Loads n elements at a stride, padded with zeros up to `width`; zeros if `from` is null.
template <class T>
void load(Block<T>& b, const T* from, int64_t stride, int64_t n, int64_t width) {
  if (!from) n = 0;
  if (stride == 1)
    for (int64_t k = 0; k < n; ++k) b[k] = from[k];
  else if (stride == 4)
    for (int64_t k = 0; k < n; ++k) b[k] = from[4 * k];
  else
    for (int64_t k = 0; k < n; ++k) b[k] = from[stride * k];
  for (int64_t k = n; k < width; ++k) b[k] = T(0);
}
template <class T>
void store(T* to, int64_t stride, const Block<T>& b, int64_t n) {
  if (stride == 1)
    for (int64_t k = 0; k < n; ++k) to[k] = b[k];
  else if (stride == 4)
    for (int64_t k = 0; k < n; ++k) to[4 * k] = b[k];
  else
    for (int64_t k = 0; k < n; ++k) to[stride * k] = b[k];
}

// Calls f(row, first unit, units, padded units) for all blocks of some rows.
template <class F>
void blocks(int64_t begin, int64_t end, int64_t units, F f) {
  for (int64_t r = begin; r < end; ++r)
    for (int64_t u = 0; u < units; u += kUnits) {
      const int64_t n = units - u < kUnits ? units - u : kUnits;
      f(r, u, n, (n + kVector - 1) / kVector * kVector);
    }
}

template <class T>
const T* at(const void* p, int64_t i) {
  return p ? static_cast<const T*>(p) + i : nullptr;
}
template <class T>
T* at(void* p, int64_t i) {
  return static_cast<T*>(p) + i;
}

template <class T>
void lstm(const LstmCells& l, const LstmArrays& p, int64_t begin, int64_t end) {
  const int64_t row = (3 + l.children) * l.units;
  blocks(begin, end, l.units, [&](int64_t r, int64_t u, int64_t n, int64_t w) {
    const int64_t cell = r * l.units + u;
    const auto gate = [&](Block<T>& b, int s, int g) {
      load(b, at<T>(p.x[s], r * row + g * l.gate_stride + u * l.unit_stride), l.unit_stride, n, w);
    };
    Block<T> c{}, o{}, g, q;
    for (int s = 0; s < l.sources; ++s) {
      gate(g, s, l.a), gate(q, s, l.i);
      for (int64_t k = 0; k < w; ++k) g[k] = m::tanh(g[k]);
      for (int64_t k = 0; k < w; ++k) c[k] += g[k] * m::sigmoid(q[k]);
      for (int child = 0; child < l.children; ++child) {
        gate(g, s, l.f + child);
        load(q, at<T>(p.c_prev[s * l.children + child], cell), 1, n, w);
        for (int64_t k = 0; k < w; ++k) c[k] += m::sigmoid(g[k]) * q[k];
      }
      gate(g, s, l.o);
      for (int64_t k = 0; k < w; ++k) o[k] += g[k];
    }
    store(at<T>(p.c, cell), 1, c, n);
    for (int64_t k = 0; k < w; ++k) c[k] = m::tanh(c[k]);
    for (int64_t k = 0; k < w; ++k) c[k] *= m::sigmoid(o[k]);
    store(at<T>(p.h, cell), 1, c, n);
  });
}

// The activations are recomputed from the gates, which is cheaper than storing and reading them.
template <class T>
void lstm_grad(const LstmCells& l, const LstmArrays& p, int64_t begin, int64_t end) {
  const int64_t row = (3 + l.children) * l.units;
  blocks(begin, end, l.units, [&](int64_t r, int64_t u, int64_t n, int64_t w) {
    const int64_t cell = r * l.units + u;
    const auto place = [&](int g) { return r * row + g * l.gate_stride + u * l.unit_stride; };
    const auto gate = [&](Block<T>& b, int s, int g) { load(b, at<T>(p.x[s], place(g)), l.unit_stride, n, w); };
    const auto put = [&](const Block<T>& b, int s, int g) { store(at<T>(p.gx[s], place(g)), l.unit_stride, b, n); };
    Block<T> total{}, o{}, g, q, c;
    for (int s = 0; s < l.sources; ++s) {
      gate(g, s, l.o);
      for (int64_t k = 0; k < w; ++k) o[k] += g[k];
    }
    load(c, at<T>(p.c, cell), 1, n, w), load(g, at<T>(p.gh, cell), 1, n, w), load(q, at<T>(p.gc, cell), 1, n, w);
    for (int64_t k = 0; k < w; ++k) c[k] = m::tanh(c[k]);
    for (int64_t k = 0; k < w; ++k) {
      const T open = m::sigmoid(o[k]);
      total[k] = q[k] + g[k] * open * (T(1) - c[k] * c[k]);
      o[k] = g[k] * c[k] * open * (T(1) - open);
    }
    for (int s = 0; s < l.sources; ++s) {
      put(o, s, l.o);
      gate(g, s, l.a), gate(q, s, l.i);
      for (int64_t k = 0; k < w; ++k) g[k] = m::tanh(g[k]);
      for (int64_t k = 0; k < w; ++k) {
        const T open = m::sigmoid(q[k]);
        q[k] = total[k] * g[k] * open * (T(1) - open);
        g[k] = total[k] * open * (T(1) - g[k] * g[k]);
      }
      put(g, s, l.a), put(q, s, l.i);
      for (int child = 0; child < l.children; ++child) {
        const int index = s * l.children + child;
        gate(g, s, l.f + child);
        load(q, at<T>(p.c_prev[index], cell), 1, n, w);
        for (int64_t k = 0; k < w; ++k) {
          const T open = m::sigmoid(g[k]);
          g[k] = total[k] * q[k] * open * (T(1) - open);
          q[k] = total[k] * open;
        }
        put(g, s, l.f + child);
        if (p.gc_prev[index]) store(at<T>(p.gc_prev[index], cell), 1, q, n);
      }
    }
  });
}

template <class T>
void gru(int64_t units, const GruArrays& p, int64_t begin, int64_t end) {
  blocks(begin, end, units, [&](int64_t r, int64_t u, int64_t n, int64_t w) {
    const int64_t cell = r * units + u, gate = 3 * r * units + u;
    Block<T> reset, keep, x, h;
    load(reset, at<T>(p.x, gate), 1, n, w), load(h, at<T>(p.hx, gate), 1, n, w);
    for (int64_t k = 0; k < w; ++k) reset[k] = m::sigmoid(reset[k] + h[k]);
    load(keep, at<T>(p.x, gate + units), 1, n, w), load(h, at<T>(p.hx, gate + units), 1, n, w);
    for (int64_t k = 0; k < w; ++k) keep[k] = m::sigmoid(keep[k] + h[k]);
    load(x, at<T>(p.x, gate + 2 * units), 1, n, w), load(h, at<T>(p.hx, gate + 2 * units), 1, n, w);
    for (int64_t k = 0; k < w; ++k) x[k] = m::tanh(x[k] + reset[k] * h[k]);
    load(h, at<T>(p.h_prev, cell), 1, n, w);
    for (int64_t k = 0; k < w; ++k) h[k] = (T(1) - keep[k]) * x[k] + keep[k] * h[k];
    store(at<T>(p.h, cell), 1, h, n);
  });
}

template <class T>
void gru_grad(int64_t units, const GruArrays& p, int64_t begin, int64_t end) {
  blocks(begin, end, units, [&](int64_t r, int64_t u, int64_t n, int64_t w) {
    const int64_t cell = r * units + u, gate = 3 * r * units + u;
    Block<T> reset, keep, x, h, g, before;
    load(reset, at<T>(p.x, gate), 1, n, w), load(h, at<T>(p.hx, gate), 1, n, w);
    for (int64_t k = 0; k < w; ++k) reset[k] = m::sigmoid(reset[k] + h[k]);
    load(keep, at<T>(p.x, gate + units), 1, n, w), load(h, at<T>(p.hx, gate + units), 1, n, w);
    for (int64_t k = 0; k < w; ++k) keep[k] = m::sigmoid(keep[k] + h[k]);
    load(x, at<T>(p.x, gate + 2 * units), 1, n, w), load(h, at<T>(p.hx, gate + 2 * units), 1, n, w);
    for (int64_t k = 0; k < w; ++k) x[k] = m::tanh(x[k] + reset[k] * h[k]);
    load(g, at<T>(p.gh, cell), 1, n, w), load(before, at<T>(p.h_prev, cell), 1, n, w);
    for (int64_t k = 0; k < w; ++k) {
      const T candidate = g[k] * (T(1) - keep[k]) * (T(1) - x[k] * x[k]);
      const T update = g[k] * (before[k] - x[k]) * keep[k] * (T(1) - keep[k]);
      before[k] = g[k] * keep[k];
      g[k] = candidate * reset[k];
      keep[k] = update;
      reset[k] = candidate * h[k] * reset[k] * (T(1) - reset[k]);
      x[k] = candidate;
    }
    store(at<T>(p.gx, gate), 1, reset, n), store(at<T>(p.ghx, gate), 1, reset, n);
    store(at<T>(p.gx, gate + units), 1, keep, n), store(at<T>(p.ghx, gate + units), 1, keep, n);
    store(at<T>(p.gx, gate + 2 * units), 1, x, n), store(at<T>(p.ghx, gate + 2 * units), 1, g, n);
    store(at<T>(p.gh_prev, cell), 1, before, n);
  });
}

}  // namespace

namespace chainer::cpu::CHAINER_KERNEL_ISA {
void fill_recurrent(Kernels& k) {
  k.lstm[kF32] = lstm<float>;
  k.lstm[kF64] = lstm<double>;
  k.lstm_grad[kF32] = lstm_grad<float>;
  k.lstm_grad[kF64] = lstm_grad<double>;
  k.gru[kF32] = gru<float>;
  k.gru[kF64] = gru<double>;
  k.gru_grad[kF32] = gru_grad<float>;
  k.gru_grad[kF64] = gru_grad<double>;
}
}  // namespace chainer::cpu::CHAINER_KERNEL_ISA
