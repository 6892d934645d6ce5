#include <cmath>

#include "table.h"

namespace table {

void math(std::vector<OpCase>& t) {
  const Array m = normal({3, 4}), line = normal({4}), cube = normal({2, 3, 4});
  t.push_back(unary("absolute", F::absolute, away({3, 4}), [](double x) { return std::abs(x); }));
  t.push_back(unary("exp", F::exp, normal({3, 4}), std::exp));
  t.push_back(unary("log", F::log, positive({3, 4}), std::log));
  t.push_back(unary("sqrt", F::sqrt, positive({3, 4}), std::sqrt));
  t.push_back(unary("square", F::square, normal({3, 4}), [](double x) { return x * x; }));
  t.push_back(row("floor", "F.floor(x[0])", [](const Variables& x) { return F::floor(x[0]); }, {away({3, 4}) * 3})
                  .elementwise()
                  .formula(std::floor)
                  .no_gradient());
  t.push_back(row("clip", "F.clip(x[0], -0.7, 0.9)", [](const Variables& x) { return F::clip(x[0], -0.7, 0.9); },
                  {normal({3, 4}) * 2})
                  .elementwise()
                  .formula([](double x) { return std::min(std::max(x, -0.7), 0.9); }));
  t.push_back(unary(
      "identity", [](const Variable& x) { return F::identity(x); }, m, [](double x) { return x; }));
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
}

}  // namespace table
