// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernels/formulas.h"

#include "chainer/backend/cuda/kernels/recurrent.h"

namespace chainer::cuda {
namespace {

// The gates of one cell: their position in each source's array.
struct Cell {
  int64_t number, row, unit;
  DEVICE Cell(const LstmArgs& a, int64_t n) : number(n), row(n / a.units), unit(n % a.units) {}
  DEVICE int64_t gate(const LstmArgs& a, int g) const {
    return row * (3 + a.children) * a.units + g * a.gate_stride + unit * a.unit_stride;
  }
};
template <class T>
DEVICE T read(const void* p, int64_t i) {
  return static_cast<const T*>(p)[i];
}
template <class T>
DEVICE void put(void* p, int64_t i, T v) {
  static_cast<T*>(p)[i] = v;
}
template <class T>
DEVICE T output_gate(const LstmArgs& a, const Cell& cell) {
  T o = T(0);
  for (int s = 0; s < a.sources; ++s) o += read<T>(a.x[s], cell.gate(a, a.o));
  return m::sigmoid(o);
}

// One thread per cell.
template <class T>
DEVICE void lstm(const LstmArgs& a) {
  for (int64_t n = first_element(); n < a.rows * a.units; n += element_step()) {
    const Cell cell(a, n);
    T c = T(0);
    for (int s = 0; s < a.sources; ++s) {
      const auto gate = [&](int g) { return read<T>(a.x[s], cell.gate(a, g)); };
      c += m::tanh(gate(a.a)) * m::sigmoid(gate(a.i));
      for (int k = 0; k < a.children; ++k) c += m::sigmoid(gate(a.f + k)) * read<T>(a.c_prev[s * a.children + k], n);
    }
    put(a.c, n, c);
    put(a.h, n, output_gate<T>(a, cell) * m::tanh(c));
  }
}

// The activations are recomputed from the gates, which is cheaper than storing and reading them.
template <class T>
DEVICE void lstm_grad(const LstmArgs& a) {
  for (int64_t n = first_element(); n < a.rows * a.units; n += element_step()) {
    const Cell cell(a, n);
    const T o = output_gate<T>(a, cell), c = m::tanh(read<T>(a.c, n)), gh = a.gh ? read<T>(a.gh, n) : T(0);
    const T total = (a.gc ? read<T>(a.gc, n) : T(0)) + gh * o * (T(1) - c * c), go = gh * c * o * (T(1) - o);
    for (int s = 0; s < a.sources; ++s) {
      const auto gate = [&](int g) { return read<T>(a.x[s], cell.gate(a, g)); };
      const auto give = [&](int g, T v) { put(a.gx[s], cell.gate(a, g), v); };
      const T candidate = m::tanh(gate(a.a)), in = m::sigmoid(gate(a.i));
      give(a.o, go);
      give(a.a, total * in * (T(1) - candidate * candidate));
      give(a.i, total * candidate * in * (T(1) - in));
      for (int k = 0; k < a.children; ++k) {
        const int at = s * a.children + k;
        const T keep = m::sigmoid(gate(a.f + k)), before = read<T>(a.c_prev[at], n);
        give(a.f + k, total * before * keep * (T(1) - keep));
        if (a.gc_prev[at]) put(a.gc_prev[at], n, total * keep);
      }
    }
  }
}

// The gates of a GRU cell.
template <class T>
struct Gru {
  int64_t at, units;
  T r, z, from_h, candidate;
  DEVICE Gru(const GruArgs& a, int64_t n) : at(n / a.units * 3 * a.units + n % a.units), units(a.units) {
    const auto x = [&](int g) { return read<T>(a.x, at + g * units); };
    const auto hx = [&](int g) { return read<T>(a.hx, at + g * units); };
    r = m::sigmoid(x(0) + hx(0));
    z = m::sigmoid(x(1) + hx(1));
    from_h = hx(2);
    candidate = m::tanh(x(2) + r * from_h);
  }
};

template <class T>
DEVICE void gru(const GruArgs& a) {
  for (int64_t n = first_element(); n < a.rows * a.units; n += element_step()) {
    const Gru<T> g(a, n);
    put(a.h, n, (T(1) - g.z) * g.candidate + g.z * read<T>(a.h_prev, n));
  }
}
template <class T>
DEVICE void gru_grad(const GruArgs& a) {
  for (int64_t n = first_element(); n < a.rows * a.units; n += element_step()) {
    const Gru<T> g(a, n);
    const T gh = read<T>(a.gh, n), before = read<T>(a.h_prev, n);
    const T gn = gh * (T(1) - g.z) * (T(1) - g.candidate * g.candidate);
    const T gz = gh * (before - g.candidate) * g.z * (T(1) - g.z), gr = gn * g.from_h * g.r * (T(1) - g.r);
    put(a.gx, g.at, gr), put(a.ghx, g.at, gr);
    put(a.gx, g.at + g.units, gz), put(a.ghx, g.at + g.units, gz);
    put(a.gx, g.at + 2 * g.units, gn), put(a.ghx, g.at + 2 * g.units, gn * g.r);
    put(a.gh_prev, n, gh * g.z);
  }
}

}  // namespace

KERNEL(lstm_float32, LstmArgs) { lstm<float>(a); }
KERNEL(lstm_float64, LstmArgs) { lstm<double>(a); }
KERNEL(lstm_grad_float32, LstmArgs) { lstm_grad<float>(a); }
KERNEL(lstm_grad_float64, LstmArgs) { lstm_grad<double>(a); }
KERNEL(gru_float32, GruArgs) { gru<float>(a); }
KERNEL(gru_float64, GruArgs) { gru<double>(a); }
KERNEL(gru_grad_float32, GruArgs) { gru_grad<float>(a); }
KERNEL(gru_grad_float64, GruArgs) { gru_grad<double>(a); }

}  // namespace chainer::cuda
