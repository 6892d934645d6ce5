// Each function's rows: at least one usual case and the unusual shapes and options.
#include <chainer/chainer.h>

#include <cmath>

#include "op_table.h"

using namespace chainer;

namespace table {
namespace {

random::RandomState& generator() {
  static random::RandomState r(11);
  return r;
}
Array normal(const Shape& s) { return generator().randn(s); }
// Away from zero, where many functions have a corner.
Array away(const Shape& s) {
  const Array a = normal(s);
  return a + sign(a) * 0.2;
}
Array positive(const Shape& s) { return generator().uniform(0.3, 2, s); }

using Reference = std::function<Arrays(const Arrays&)>;
Reference each(double (*f)(double)) {
  return [f](const Arrays& x) {
    std::vector<double> v = x[0].to_vector<double>();
    for (double& e : v) e = f(e);
    return Arrays{array(v, x[0].shape())};
  };
}

}  // namespace

std::vector<Row> rows() {
  std::vector<Row> t;
  const auto one = [&](const std::string& name, auto f, const Array& x, Reference reference = {}) {
    t.push_back({name, [f](const Variables& v) -> Variables { return {f(v[0])}; }, {x}, std::move(reference)});
  };
  const auto two = [&](const std::string& name, auto f, const Array& x, const Array& y, Reference reference = {}) {
    t.push_back({name, [f](const Variables& v) -> Variables { return {f(v[0], v[1])}; }, {x, y}, std::move(reference)});
  };
  for (const Shape& s : {Shape{3, 4}, Shape{}, Shape{2, 0, 3}, Shape{2, 1, 3, 5}}) {
    one("relu", F::relu, away(s), each([](double x) { return std::max(x, 0.0); }));
    one("leaky_relu", F::leaky_relu, away(s), each([](double x) { return x >= 0 ? x : 0.2 * x; }));
    one("sigmoid", F::sigmoid, normal(s), each([](double x) { return 1 / (1 + std::exp(-x)); }));
    one("tanh", F::tanh, normal(s), each(std::tanh));
    one("softplus", F::softplus, normal(s), each([](double x) { return std::log1p(std::exp(x)); }));
    one("elu", F::elu, away(s), each([](double x) { return x >= 0 ? x : std::exp(x) - 1; }));
    one("exp", F::exp, normal(s), each(std::exp));
    one("log", F::log, positive(s), each(std::log));
    one("sqrt", F::sqrt, positive(s), each(std::sqrt));
    one("square", F::square, normal(s), each([](double x) { return x * x; }));
    one("absolute", F::absolute, away(s), each([](double x) { return std::abs(x); }));
    one(
        "clip", [](const Variable& x) { return F::clip(x, -0.7, 0.9); }, normal(s) * 2,
        each([](double x) { return std::min(std::max(x, -0.7), 0.9); }));
    one(
        "neg", [](const Variable& x) { return -x; }, normal(s), each([](double x) { return -x; }));
    one(
        "add_constant", [](const Variable& x) { return 2 + x - 0.5; }, normal(s),
        each([](double x) { return x + 1.5; }));
    one(
        "sub_from_constant", [](const Variable& x) { return 2 - x; }, normal(s), each([](double x) { return 2 - x; }));
    one(
        "mul_constant", [](const Variable& x) { return x * -3; }, normal(s), each([](double x) { return -3 * x; }));
    one(
        "div_constant", [](const Variable& x) { return x / 4; }, normal(s), each([](double x) { return x / 4; }));
    one(
        "div_from_constant", [](const Variable& x) { return 2.0 / x; }, positive(s),
        each([](double x) { return 2 / x; }));
    one(
        "pow_constant", [](const Variable& x) { return pow(x, 3); }, normal(s),
        each([](double x) { return x * x * x; }));
    one(
        "pow_half", [](const Variable& x) { return pow(x, 0.5); }, positive(s), each(std::sqrt));
    one(
        "pow_square", [](const Variable& x) { return pow(x, 2); }, normal(s), each([](double x) { return x * x; }));
    one(
        "pow_from_constant", [](const Variable& x) { return pow(2.0, x); }, normal(s), each(std::exp2));
    one("identity", F::identity, normal(s), each([](double x) { return x; }));
    one("sum", F::sum, normal(s), [](const Arrays& x) { return Arrays{chainer::sum(x[0])}; });
    two(
        "add", [](const Variable& x, const Variable& y) { return x + y; }, normal(s), normal(s));
    two(
        "sub", [](const Variable& x, const Variable& y) { return x - y; }, normal(s), normal(s));
    two(
        "mul", [](const Variable& x, const Variable& y) { return x * y; }, normal(s), normal(s));
    two(
        "div", [](const Variable& x, const Variable& y) { return x / y; }, normal(s), positive(s));
    two(
        "pow", [](const Variable& x, const Variable& y) { return pow(x, y); }, positive(s), positive(s));
    two("maximum", F::maximum, normal(s), normal(s));
    two("minimum", F::minimum, normal(s), normal(s));
  }
  const Array m = normal({3, 4}), row = normal({4}), column = normal({3, 1}), cube = normal({2, 3, 4});
  two(
      "add_broadcast", [](const Variable& x, const Variable& y) { return x + y; }, column, row);
  two(
      "mul_broadcast", [](const Variable& x, const Variable& y) { return x * y; }, cube, column);
  two(
      "div_broadcast", [](const Variable& x, const Variable& y) { return x / y; }, column, positive({4}));
  t.push_back({"add_many", [](const Variables& v) -> Variables { return {F::add(v)}; }, {m, m * 2, row}, {}});
  one(
      "constant_array",
      [=](const Variable& x) {
        return x * array({1, 2, 3, 4}) + array({0.5});
      },
      m);

  for (int axis : {0, 1, -1}) {
    one(
        "softmax", [=](const Variable& x) { return F::softmax(x, axis); }, cube,
        [=](const Arrays& x) {
          const Array e = chainer::exp(x[0]);
          return Arrays{e / chainer::sum(e, axis, true)};
        });
    one(
        "log_softmax", [=](const Variable& x) { return F::log_softmax(x, axis); }, cube,
        [=](const Arrays& x) { return Arrays{x[0] - chainer::log(chainer::sum(chainer::exp(x[0]), axis, true))}; });
    one(
        "sum_axis", [=](const Variable& x) { return F::sum(x, axis); }, cube,
        [=](const Arrays& x) { return Arrays{chainer::sum(x[0], axis)}; });
    one(
        "max_axis", [=](const Variable& x) { return F::max(x, axis, {.keepdims = true}); }, cube,
        [=](const Arrays& x) { return Arrays{chainer::max(x[0], axis, true)}; });
    one(
        "min_axis", [=](const Variable& x) { return F::min(x, axis); }, cube,
        [=](const Arrays& x) { return Arrays{chainer::min(x[0], axis)}; });
    one(
        "mean_axis", [=](const Variable& x) { return F::mean(x, axis); }, cube,
        [=](const Arrays& x) { return Arrays{chainer::mean(x[0], axis)}; });
  }
  one(
      "sum_axes_keepdims",
      [](const Variable& x) {
        return F::sum(x, {0, 2}, {.keepdims = true});
      },
      cube);
  one("max_all", F::max, cube);
  one(
      "min_axes",
      [](const Variable& x) {
        return F::min(x, {0, -1});
      },
      cube);
  one("mean_all", F::mean, cube);
  two(
      "average_weights", [](const Variable& x, const Variable& w) { return F::average(x, 1, {.weights = w}); }, m,
      positive({4}));
  one(
      "softplus_beta", [](const Variable& x) { return F::softplus(x, {.beta = 2.5}); }, m);
  one(
      "elu_alpha", [](const Variable& x) { return F::elu(x, {.alpha = 0.3}); }, away({3, 4}));

  one(
      "reshape",
      [](const Variable& x) {
        return F::reshape(x, {4, -1});
      },
      cube);
  one("flatten", F::flatten, cube);
  one(
      "expand_dims", [](const Variable& x) { return F::expand_dims(x, -2); }, m);
  one(
      "squeeze", [](const Variable& x) { return F::squeeze(x); }, normal({1, 3, 1}));
  one(
      "transpose",
      [](const Variable& x) {
        return F::transpose(x, {1, 2, 0});
      },
      cube,
      [](const Arrays& x) {
        return Arrays{x[0].transpose({1, 2, 0})};
      });
  one(
      "transpose_all", [](const Variable& x) { return x.T(); }, cube);
  one(
      "broadcast_to",
      [](const Variable& x) {
        return F::broadcast_to(x, {2, 3, 4});
      },
      normal({3, 1}));
  one(
      "sum_to",
      [](const Variable& x) {
        return F::sum_to(x, {3, 1});
      },
      cube);
  t.push_back({"broadcast", [](const Variables& v) { return F::broadcast(v); }, {column, row}, {}});
  t.push_back({"concat",
               [](const Variables& v) -> Variables { return {F::concat(v, 1)}; },
               {m, normal({3, 2}), normal({3, 1})},
               {}});
  t.push_back({"stack", [](const Variables& v) -> Variables { return {F::stack(v, -1)}; }, {m, m + 1}, {}});
  t.push_back({"split_axis", [](const Variables& v) { return F::split_axis(v[0], 2, 1); }, {m}, {}});
  t.push_back({"split_axis_at",
               [](const Variables& v) {
                 return F::split_axis(v[0], std::vector<int64_t>{1, 1, 3}, -1);
               },
               {m},
               {}});
  one(
      "get_item",
      [](const Variable& x) {
        return x[{Slice(0, 2), 1, newaxis, ellipsis}];
      },
      cube);
  one(
      "get_item_reverse", [](const Variable& x) { return x[{Slice(std::nullopt, std::nullopt, -2)}]; }, m);
  one(
      "get_item_repeated",
      [](const Variable& x) {
        return F::get_item(x, {array({0, 2, 0})});
      },
      m);
  one(
      "get_item_mask", [](const Variable& x) { return F::get_item(x, {x.array() > 0}); }, m);
  one(
      "get_item_mixed",
      [](const Variable& x) {
        return F::get_item(x, {array({0, 1}), Slice(), array({1, 3})});
      },
      cube);
  t.push_back({"where",
               [](const Variables& v) -> Variables {
                 return {F::where(array({{1, 0, 1, 1}}), v[0], v[1])};
               },
               {m, row},
               {}});
  one(
      "copy", [](const Variable& x) { return F::copy(x, Device()); }, m);
  one(
      "cast_up_and_down", [](const Variable& x) { return F::cast(F::cast(x, float64), x.dtype()); }, m);

  two("matmul", F::matmul, m, normal({4, 5}), [](const Arrays& x) { return Arrays{chainer::matmul(x[0], x[1])}; });
  two(
      "matmul_transposed",
      [](const Variable& a, const Variable& b) { return F::matmul(a, b, {.transa = true, .transb = true}); },
      normal({4, 3}), normal({5, 4}));
  two(
      "matmul_transa", [](const Variable& a, const Variable& b) { return F::matmul(a, b, {.transa = true}); },
      normal({4, 3}), normal({4, 5}));
  two("matmul_stack", F::matmul, normal({2, 1, 3, 4}), normal({5, 4, 2}));
  two("matmul_vectors", F::matmul, row, normal({4}));
  two("matmul_vector_matrix", F::matmul, row, normal({2, 4, 3}));
  two("matmul_matrix_vector", F::matmul, cube, row);
  t.push_back({"linear",
               [](const Variables& v) -> Variables { return {F::linear(v[0], v[1], v[2])}; },
               {m, normal({5, 4}), normal({5})},
               [](const Arrays& x) { return Arrays{chainer::matmul(x[0], x[1].T()) + x[2]}; }});
  two(
      "linear_nobias", [](const Variable& x, const Variable& W) { return F::linear(x, W); }, cube, normal({5, 12}));
  t.push_back({"linear_batch_axes",
               [](const Variables& v) -> Variables { return {F::linear(v[0], v[1], v[2], {.n_batch_axes = 2})}; },
               {cube, normal({5, 4}), normal({5})},
               {}});
  t.push_back({"linear_shared",
               [](const Variables& v) -> Variables { return {F::linear(F::linear(v[0], v[1]), v[1])}; },
               {m, normal({4, 4})},
               {}});
  t.push_back({"embed_id",
               [](const Variables& v) -> Variables {
                 return {F::embed_id(array({{0, 2}, {2, 1}}), v[0])};
               },
               {m},
               {}});
  t.push_back({"embed_id_ignore",
               [](const Variables& v) -> Variables {
                 return {F::embed_id(array({-1, 2, 1}), v[0], {.ignore_label = -1})};
               },
               {m},
               {}});
  two(
      "bias", [](const Variable& x, const Variable& y) { return F::bias(x, y); }, cube, normal({3}));
  two(
      "scale", [](const Variable& x, const Variable& y) { return F::scale(x, y, 0); }, cube, normal({2, 3}));

  two("mean_squared_error", F::mean_squared_error, m, normal({3, 4}),
      [](const Arrays& x) { return Arrays{chainer::mean(chainer::square(x[0] - x[1]))}; });
  const Array bits = array({{1, 0, -1, 1}, {0, 0, 1, 1}, {1, -1, 0, 1}});
  one(
      "sigmoid_cross_entropy", [=](const Variable& x) { return F::sigmoid_cross_entropy(x, bits); }, m);
  one(
      "sigmoid_cross_entropy_plain",
      [=](const Variable& x) { return F::sigmoid_cross_entropy(x, bits, {.normalize = false}); }, m);
  one(
      "sigmoid_cross_entropy_no",
      [=](const Variable& x) { return F::sigmoid_cross_entropy(x, bits, {.reduce = Reduction::no}); }, m);
  const Array labels = array({3, -1, 0});
  one(
      "softmax_cross_entropy", [=](const Variable& x) { return F::softmax_cross_entropy(x, labels); }, m,
      [](const Arrays& x) {
        const Array p = chainer::log(chainer::exp(x[0]) / chainer::sum(chainer::exp(x[0]), 1, true));
        return Arrays{(p[{0, 3}] + p[{2, 0}]) * -0.5};
      });
  one(
      "softmax_cross_entropy_plain",
      [=](const Variable& x) {
        return F::softmax_cross_entropy(x, labels, {.normalize = false, .cache_score = false});
      },
      m);
  one(
      "softmax_cross_entropy_no",
      [=](const Variable& x) { return F::softmax_cross_entropy(x, labels, {.reduce = Reduction::no}); }, m);
  one(
      "softmax_cross_entropy_sum",
      [=](const Variable& x) { return F::softmax_cross_entropy(x, labels, {.reduce = Reduction::sum}); }, m);
  one(
      "softmax_cross_entropy_weight",
      [=](const Variable& x) {
        return F::softmax_cross_entropy(x, labels, {.class_weight = array({1., 2., 3., 4.}).astype(x.dtype())});
      },
      m);
  one(
      "softmax_cross_entropy_image",
      [](const Variable& x) {
        return F::softmax_cross_entropy(x, array({{{0, 2}, {1, 1}}, {{2, 0}, {-1, 1}}}));
      },
      normal({2, 3, 2, 2}));
  one(
      "dropout_mask",
      [](const Variable& x) {
        return F::dropout(x, 0.5,
                          {.mask = array({{2., 0., 2., 0.}, {0., 2., 2., 0.}, {2., 2., 0., 0.}}).astype(x.dtype())});
      },
      m);
  return t;
}

}  // namespace table
