// SPDX-License-Identifier: MIT
#include <cmath>

#include "table.h"

namespace table {

void math(std::vector<OpCase>& t) {
  const Array m = normal({3, 4}), line = normal({4}), cube = normal({2, 3, 4});
  t.push_back(row("clip", "F.clip(x[0], -0.7, 0.9)", [](const Variables& x) { return F::clip(x[0], -0.7, 0.9); },
                  {normal({3, 4}) * 2})
                  .elementwise()
                  .formula([](double x) { return std::min(std::max(x, -0.7), 0.9); }));
  t.push_back(row("identity", "F.identity(*x)", [](const Variables& x) { return F::identity(x); }, {m, line}));
  for (const auto& [name, f] : {std::pair(
                                    "maximum", +[](const Variables& x) { return F::maximum(x[0], x[1]); }),
                                std::pair(
                                    "minimum", +[](const Variables& x) { return F::minimum(x[0], x[1]); })})
    t.push_back(row(name, text("F.", name, "(x[0], x[1])"), f, {normal({3, 4}), normal({3, 4})}).elementwise());

  t.push_back(
      row("sum", "F.sum(x[0])", [](const Variables& x) { return F::sum(x[0]); }, {cube}).reference([](const Arrays& x) {
        return Arrays{sum(x[0])};
      }));
  const auto one = [&](const std::string& name, const std::string& python, auto f, const Array& x) {
    t.push_back(row(name, python, [f](const Variables& v) { return f(v[0]); }, {x}));
  };
  for (int axis : {0, 1, -1}) {
    const std::string a = "axis=" + std::to_string(axis);
    one(
        "sum", "F.sum(x[0], " + a + ")", [=](const Variable& x) { return F::sum(x, axis); }, cube);
    one(
        "max", "F.max(x[0], " + a + ", keepdims=True)",
        [=](const Variable& x) { return F::max(x, axis, {.keepdims = true}); }, cube);
    one(
        "min", "F.min(x[0], " + a + ")", [=](const Variable& x) { return F::min(x, axis); }, cube);
    one(
        "mean", "F.mean(x[0], " + a + ")", [=](const Variable& x) { return F::mean(x, axis); }, cube);
  }
  one(
      "sum", "F.sum(x[0], axis=(0, 2), keepdims=True)",
      [](const Variable& x) {
        return F::sum(x, {0, 2}, {.keepdims = true});
      },
      cube);
  one(
      "max", "F.max(x[0])", [](const Variable& x) { return F::max(x); }, cube);
  one(
      "min", "F.min(x[0], axis=(0, -1))",
      [](const Variable& x) {
        return F::min(x, {0, -1});
      },
      cube);
  one(
      "mean", "F.mean(x[0])", [](const Variable& x) { return F::mean(x); }, cube);
  t.push_back(row("average", "F.average(x[0], 1, weights=x[1])",
                  [](const Variables& x) { return F::average(x[0], 1, {.weights = x[1]}); }, {m, positive({4})}));
  t.push_back(row("average", "F.average(x[0], (0, 2), keepdims=True)",
                  [](const Variables& x) {
                    return F::average(x[0], {0, 2}, {.keepdims = true});
                  },
                  {cube}));
  t.push_back(
      row("bias", "F.bias(x[0], x[1])", [](const Variables& x) { return F::bias(x[0], x[1]); }, {cube, normal({3})}));
  t.push_back(row("scale", "F.scale(x[0], x[1], axis=0)", [](const Variables& x) { return F::scale(x[0], x[1], 0); },
                  {cube, normal({2, 3})}));

  const auto product = [&](const std::string& python, const Shape& a, const Shape& b, const F::MatmulOptions& o = {}) {
    t.push_back(row("matmul", "F.matmul(x[0], x[1]" + python + ")",
                    [=](const Variables& x) { return F::matmul(x[0], x[1], o); }, {normal(a), normal(b)}));
  };
  product("", {3, 4}, {4, 5});
  t.back().reference = [](const Arrays& x) { return Arrays{matmul(x[0], x[1])}; };
  product(", transa=True, transb=True", {4, 3}, {5, 4}, {.transa = true, .transb = true});
  product(", transa=True", {4, 3}, {4, 5}, {.transa = true});
  product("", {2, 1, 3, 4}, {5, 4, 2});
  product("", {4}, {4});
  product("", {4}, {2, 4, 3});
  product("", {2, 3, 4}, {4});

  struct Along {
    std::string python;
    std::optional<int64_t> axis;
  };
  for (const Along& a : {Along{"", {}}, Along{", axis=0", 0}, Along{", axis=-1", -1}}) {
    const auto along = [&](const std::string& name, auto f, const Array& x) {
      return row(name, "F." + name + "(x[0]" + a.python + ")",
                 [f, axis = a.axis](const Variables& v) { return f(v[0], axis); }, {x});
    };
    t.push_back(along("argmax", F::argmax, cube).no_gradient());
    t.push_back(along("argmin", F::argmin, cube).no_gradient());
    t.push_back(along("cumsum", F::cumsum, cube));
    t.push_back(along("cumprod", F::cumprod, cube));
  }
  const Array with_zeros = array({{0., 2., 3.}, {1.5, 0., -2.}, {0., 0.5, 0.}});
  one(
      "cumprod", "F.cumprod(x[0], axis=1)", [](const Variable& x) { return F::cumprod(x, 1); }, with_zeros);
  one(
      "prod", "F.prod(x[0])", [](const Variable& x) { return F::prod(x); }, normal({2, 3}));
  one(
      "prod", "F.prod(x[0], axis=1, keepdims=True)",
      [](const Variable& x) { return F::prod(x, 1, {.keepdims = true}); }, with_zeros);
  one(
      "prod", "F.prod(x[0], axis=(0, 2))",
      [](const Variable& x) {
        return F::prod(x, {0, 2});
      },
      cube);
  one(
      "logsumexp", "F.logsumexp(x[0])", [](const Variable& x) { return F::logsumexp(x); }, cube);
  one(
      "logsumexp", "F.logsumexp(x[0], axis=1)", [](const Variable& x) { return F::logsumexp(x, 1); }, cube);
  one(
      "logsumexp", "F.logsumexp(x[0], axis=(0, -1))",
      [](const Variable& x) {
        return F::logsumexp(x, {0, -1});
      },
      cube);
  one("batch_l2_norm_squared", "F.batch_l2_norm_squared(x[0])", F::batch_l2_norm_squared, cube);
  one("batch_l2_norm_squared", "F.batch_l2_norm_squared(x[0])", F::batch_l2_norm_squared, m);
  t.push_back(row("batch_matmul", "F.matmul(*x)", [](const Variables& x) { return F::batch_matmul(x[0], x[1]); },
                  {cube, normal({2, 4, 2})}));
  t.push_back(row("batch_matmul", "F.matmul(F.expand_dims(x[0], 2), F.expand_dims(x[1], 2), transa=True)",
                  [](const Variables& x) { return F::batch_matmul(x[0], x[1], {.transa = true}); },
                  {m, normal({3, 4})}));

  t.push_back(row("tensordot", "F.tensordot(*x)", [](const Variables& x) { return F::tensordot(x[0], x[1]); },
                  {cube, normal({3, 4, 5})}));
  t.push_back(row("tensordot", "F.tensordot(x[0], x[1], axes=([2, 0], [0, 1]))",
                  [](const Variables& x) {
                    return F::tensordot(x[0], x[1], Dims{2, 0}, Dims{0, 1});
                  },
                  {cube, normal({4, 2, 3})}));
  t.push_back(row("tensordot", "F.tensordot(x[0], x[1], axes=0)",
                  [](const Variables& x) { return F::tensordot(x[0], x[1], 0); }, {line, normal({3})}));

  const Array square = normal({3, 3}) + eye(3, 3, 0, float64) * 2,
              batch = normal({2, 3, 3}) + eye(3, 3, 0, float64) * 2;
  one("det", "F.det(x[0])", F::det, square);
  one("det", "F.det(x[0])", F::det, array({{0., 2.}, {3., 1.}}));
  one("det", "F.det(x[0])", F::det, array({{-2.}}));
  for (const Array& a : {square, array({{0., 2.}, {3., 1.}}), array({{-4.}})})
    t.push_back(row("inv", "F.inv(x[0])", [](const Variables& x) { return F::inv(x[0]); }, {a}).no_repeats());
  one("batch_det", "F.batch_det(x[0])", F::batch_det, batch);
  one("batch_det", "F.batch_det(x[0])", F::batch_det, normal({3, 1, 1}));
  one("batch_inv", "F.batch_inv(x[0])", F::batch_inv, batch);
  one("batch_inv", "F.batch_inv(x[0])", F::batch_inv, array({{{4.}}, {{-0.5}}}));
  for (const Shape& s : {Shape{8}, Shape{2, 3, 6}, Shape{3, 7}, Shape{2, 1}, Shape{45}}) {
    const Arrays parts = {normal(s), normal(s)};
    t.push_back(row(
        "fft", "F.fft(tuple(x))", [](const Variables& x) { return F::fft(x); }, parts));
    t.push_back(row(
        "ifft", "F.ifft(tuple(x))", [](const Variables& x) { return F::ifft(x); }, parts));
  }
  const auto einsum = [&](const std::string& subscripts, const Arrays& in) {
    t.push_back(row(
        "einsum", "F.einsum('" + subscripts + "', *x)",
        [subscripts](const Variables& x) { return F::einsum(subscripts, x); }, in));
  };
  einsum("ij,ik,jkl->il", {normal({3, 4}), normal({3, 2}), normal({4, 2, 3})});
  einsum("...j,...k,jkl", {normal({3, 4}), normal({3, 2}), normal({4, 2, 3})});
  einsum("ij,jk", {normal({3, 4}), normal({4, 2})});
  einsum("bij,bjk->bki", {normal({2, 3, 4}), normal({2, 4, 2})});
  einsum("ii->i", {normal({3, 3})});
  einsum("ii", {normal({3, 3})});
  einsum("iij,j->ij", {normal({3, 3, 2}), normal({2})});
  einsum("ijk->j", {normal({2, 3, 4})});
  einsum("i,j->ji", {normal({3}), normal({2})});
  einsum("ij,ij->ij", {normal({3, 2}), normal({3, 2})});
  t.push_back(row("einsum", "",  // the release does not broadcast lengths of one
                  [](const Variables& x) { return F::einsum("...ij,...jk->...ik", x); },
                  {normal({2, 1, 3, 2}), normal({4, 2, 3})})
                  .reference([](const Arrays& x) { return Arrays{matmul(x[0], x[1])}; }));
  einsum("i...->...", {normal({3, 2})});
  einsum(",ij->ij", {normal({}), normal({3, 2})});
  einsum("ba", {normal({3, 2})});
  t.push_back(row("einsum", "F.einsum(x[0], [Ellipsis, 1], x[1], [Ellipsis, 2], x[2], [1, 2, 3])",
                  [](const Variables& x) {
                    return F::einsum(x, {{ellipsis, 1}, {ellipsis, 2}, {1, 2, 3}});
                  },
                  {normal({3, 4}), normal({3, 2}), normal({4, 2, 3})}));
  t.push_back(row("einsum", "F.einsum(x[0], [0, 1], x[1], [0, 2], x[2], [1, 2, 3], [0, 3])",
                  [](const Variables& x) {
                    return F::einsum(x, {{0, 1}, {0, 2}, {1, 2, 3}}, F::EinsumAxes{0, 3});
                  },
                  {normal({3, 4}), normal({3, 2}), normal({4, 2, 3})}));

  // Sparse matrices are made from a dense pattern; their values are in x[0].
  const auto sparse = [&](const std::string& python, bool left, const F::MatmulOptions& o, const Array& values,
                          const Array& row_index, const Array& col_index, const Shape& shape, const Array& dense) {
    t.push_back(row("sparse_matmul", python,
                    [=](const Variables& v) {
                      utils::CooMatrix m(v[0].array(), row_index, col_index, shape);
                      m.data = v[0];
                      return left ? F::sparse_matmul(m, v[1], o) : F::sparse_matmul(v[1], m, o);
                    },
                    {values, dense})
                    .reference([=](const Arrays& v) {
                      const Array m = utils::CooMatrix(v[0], row_index, col_index, shape).to_dense();
                      const Array &a = left ? m : v[1], &b = left ? v[1] : m;
                      return Arrays{matmul(o.transa ? swapaxes(a, -1, -2) : a, o.transb ? swapaxes(b, -1, -2) : b)};
                    }));
  };
  const Array r = array({0, 1, 1, 2}), c = array({1, 0, 2, 1});
  sparse("", true, {}, normal({4}), r, c, {3, 3}, normal({3, 2}));
  sparse("", true, {.transa = true, .transb = true}, normal({4}), r, c, {3, 4}, normal({2, 3}));
  sparse("", false, {}, normal({4}), r, c, {3, 4}, normal({2, 3}));
  sparse("", false, {.transa = true, .transb = true}, normal({4}), r, c, {3, 4}, normal({4, 2}));
  sparse("", true, {}, normal({2, 3}), array({{0, 1, 2}, {2, 0, -1}}), array({{1, 1, 0}, {0, 1, -1}}), {3, 2},
         normal({2, 2, 3}));
  const auto fixed = [&] { return utils::CooMatrix(array({1., 2., 3., 4.}), r, c, {3, 3}); };
  t.push_back(row("sparse_matmul", "",
                  [m = fixed()](const Variables& v) {
                    utils::CooMatrix a = m;
                    a.data = Variable(m.data.array().astype(v[0].dtype()).to_device(v[0].device()), false);
                    return F::sparse_matmul(a, v[0]);
                  },
                  {normal({3, 2})})
                  .reference([m = fixed()](const Arrays& x) { return Arrays{matmul(m.to_dense(), x[0])}; }));
}

}  // namespace table
