// SPDX-License-Identifier: MIT
// Composed forms of recurrent cells: the formulas of operations/recurrent_cells.h and backend.h, gate by gate.
#include "chainer/array/operations/recurrent_cells.h"

#include "chainer/array/operations/ops.h"
#include "chainer/backend/common/composed/steps.h"

namespace chainer {

using namespace composed;

namespace {

// Returns a view of gate number g of every unit.
Array gate(const LstmCells& cells, const Array& x, int g) {
  const int64_t width = (3 + cells.children) * cells.units;
  return window(x, {cells.rows, cells.units}, {width, cells.unit_stride}, g * cells.gate_stride);
}
// Returns the first rows of an array of cells, which may have more.
Array cell(const LstmCells& cells, const Array& a) { return window(a, {cells.rows, cells.units}, {cells.units, 1}, 0); }
Array sigmoid(const Array& x) { return unary(Elementwise::sigmoid, x); }
Array tanh(const Array& x) { return unary(Elementwise::tanh, x); }
// Return the gradients with respect to x of y = sigmoid(x) and y = tanh(x), from g, the gradient with respect to y.
Array sigmoid_grad(const Array& y, const Array& g) { return computed(Elementwise::sigmoid_grad, {y, g}, y.dtype()); }
Array tanh_grad(const Array& y, const Array& g) { return computed(Elementwise::tanh_grad, {y, g}, y.dtype()); }

Array output_gate(const LstmCells& cells, std::span<const Array> x) {
  Array sum = gate(cells, x[0], cells.o);
  for (std::size_t s = 1; s < x.size(); ++s) sum = add(sum, gate(cells, x[s], cells.o));
  return sigmoid(sum);
}

}  // namespace

void Backend::lstm(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev, Array& c,
                   Array& h) {
  Array sum;
  const auto more = [&](const Array& term) { sum = sum ? add(sum, term) : term; };
  for (std::size_t s = 0; s < x.size(); ++s) {
    more(multiply(tanh(gate(cells, x[s], cells.a)), sigmoid(gate(cells, x[s], cells.i))));
    for (int k = 0; k < cells.children; ++k)
      more(multiply(sigmoid(gate(cells, x[s], cells.f + k)),
                    cell(cells, c_prev[s * static_cast<std::size_t>(cells.children) + static_cast<std::size_t>(k)])));
  }
  store(sum, cell(cells, c));
  store(multiply(output_gate(cells, x), tanh(sum)), cell(cells, h));
}

void Backend::lstm_grad(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev, const Array& c,
                        const Array& gc, const Array& gh, std::span<Array> gx, std::span<Array> gc_prev) {
  const Array o = output_gate(cells, x), t = tanh(cell(cells, c));
  Array g, go = filled({cells.rows, cells.units}, c.dtype(), 0, c);
  if (gc) g = cell(cells, gc).copy();  // gc_prev may overwrite it
  if (gh) {
    const Array from_h = cell(cells, gh), through_c = tanh_grad(t, multiply(from_h, o));
    go = sigmoid_grad(o, multiply(from_h, t));
    g = g ? add(g, through_c) : through_c;
  }
  if (!g) g = go;
  for (std::size_t s = 0; s < x.size(); ++s) {
    const Array a = tanh(gate(cells, x[s], cells.a)), i = sigmoid(gate(cells, x[s], cells.i));
    const auto to = [&](int number) { return gate(cells, gx[s], number); };
    store(tanh_grad(a, multiply(g, i)), to(cells.a));
    store(sigmoid_grad(i, multiply(g, a)), to(cells.i));
    store(go, to(cells.o));
    for (int k = 0; k < cells.children; ++k) {
      const std::size_t at = s * static_cast<std::size_t>(cells.children) + static_cast<std::size_t>(k);
      const Array f = sigmoid(gate(cells, x[s], cells.f + k));
      store(sigmoid_grad(f, multiply(g, cell(cells, c_prev[at]))), to(cells.f + k));
      if (gc_prev[at]) store(multiply(g, f), cell(cells, gc_prev[at]));
    }
  }
}

namespace {

// Returns r, z or h of rows that hold all three.
Array third(const Array& a, int which) {
  const int64_t rows = a.shape()[0], units = a.shape()[1] / 3;
  return window(a, {rows, units}, {3 * units, 1}, which * units);
}
struct GruGates {
  Array r, z, candidate;
  GruGates(const Array& x, const Array& hx)
      : r(sigmoid(add(third(x, 0), third(hx, 0)))),
        z(sigmoid(add(third(x, 1), third(hx, 1)))),
        candidate(tanh(add(third(x, 2), multiply(r, third(hx, 2))))) {}
};

}  // namespace

void Backend::gru(const Array& x, const Array& hx, const Array& h_prev, Array& h) {
  const GruGates g(x, hx);
  copy_elements(computed(Elementwise::linear_interpolate, {g.z, h_prev, g.candidate}, h.dtype()), h);
}

void Backend::gru_grad(const Array& x, const Array& hx, const Array& h_prev, const Array& gh, Array& gx, Array& ghx,
                       Array& gh_prev) {
  const GruGates g(x, hx);
  const Array one = number(1, gh), gz = sigmoid_grad(g.z, multiply(gh, subtract(h_prev, g.candidate)));
  const Array gn = tanh_grad(g.candidate, multiply(gh, subtract(one, g.z)));
  const Array gr = sigmoid_grad(g.r, multiply(gn, third(hx, 2)));
  const Array before = multiply(gh, g.z);
  store(gr, third(gx, 0)), store(gz, third(gx, 1)), store(gn, third(gx, 2));
  store(gr, third(ghx, 0)), store(gz, third(ghx, 1)), store(multiply(gn, g.r), third(ghx, 2));
  copy_elements(before, gh_prev);
}

}  // namespace chainer
