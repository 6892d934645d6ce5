// SPDX-License-Identifier: MIT
// Unusual shapes and options of functions whose usual cases are in other files: axes of length one and zero, other
// numbers of axes, negative axes, every option.
#include "table.h"

namespace table {

void unusual(std::vector<OpCase>& t) {
  // The name of the function is taken from the release's expression.
  const auto add = [&](const std::string& python, auto f, const Arrays& in) -> OpCase& {
    t.push_back(row(python.substr(2, python.find('(') - 2), python, f, in));
    return t.back();
  };
  const auto one = [&](const std::string& python, auto f, const Array& x) -> OpCase& {
    return add(python, [f](const Variables& v) { return f(v[0]); }, {x});
  };
  using V = const Variable&;
  using Vs = const Variables&;
  const Array m = normal({3, 4}), line = normal({4}), cube = normal({2, 3, 4}), thin = normal({1, 4}),
              none = normal({0, 3}), four = normal({2, 1, 3, 2});

  // Activation
  one(
      "F.crelu(x[0], axis=0)", [](V x) { return F::crelu(x, 0); }, away({5}));
  one(
      "F.maxout(x[0], 4)", [](V x) { return F::maxout(x, 4); }, thin);
  add("F.rrelu(x[0], 0, 0.9, r=x[1].array)", [](Vs x) { return F::rrelu(x[0], 0, 0.9, {.r = x[1].array()}); },
      {away({2, 1, 2}), positive({2, 1, 2})})
      .differentiable = false;
  for (const auto& [n, k] : {std::pair(1, 1), std::pair(2, 3)})
    add("F.slstm(*x)", [](Vs x) { return F::slstm(x[0], x[1], x[2], x[3]); },
        {normal({n, k}), normal({n, k}), normal({n, 4 * k}), normal({n, 4 * k})});
  add("F.tree_lstm(*x)", [](Vs x) { return F::tree_lstm(x); },
      {normal({2, 1}), normal({2, 1}), normal({2, 1}), normal({2, 6})});

  // Array manipulations
  one(
      "F.broadcast_to(x[0], (2, 3, 4))",
      [](V x) {
        return F::broadcast_to(x, {2, 3, 4});
      },
      normal({3, 1}));
  one(
      "F.broadcast_to(x[0], (3,))", [](V x) { return F::broadcast_to(x, {3}); }, normal({}));
  add("F.broadcast(*x)", [](Vs x) { return F::broadcast(x); }, {normal({3, 1}), normal({4})});
  add("F.broadcast(*x)", [](Vs x) { return F::broadcast(x); }, {normal({}), normal({2, 1}), normal({1, 3})});
  for (const Array& x : {normal({}), none})
    one(
        "F.cast(x[0], x[0].dtype)", [](V x) { return F::cast(x, x.dtype()); }, x);
  add("F.concat(x, axis=-1)", [](Vs x) { return F::concat(x, -1); },
      {normal({2, 1, 2}), normal({2, 1, 3}), normal({2, 1, 0})});
  for (const Array& x : {normal({}), none})
    one(
        "F.copy(x[0], -1)", [](V x) { return F::copy(x, x.device()); }, x);
  one(
      "F.depth2space(x[0], 2)", [](V x) { return F::depth2space(x, 2); }, normal({1, 8, 1, 2}));
  one(
      "F.depth2space(x[0], 1)", [](V x) { return F::depth2space(x, 1); }, normal({2, 3, 2, 1}));
  one(
      "F.space2depth(x[0], 2)", [](V x) { return F::space2depth(x, 2); }, normal({1, 1, 2, 4}));
  one(
      "F.space2depth(x[0], 3)", [](V x) { return F::space2depth(x, 3); }, normal({2, 2, 3, 3}));
  add("F.dstack(x)", [](Vs x) { return F::dstack(x); }, {normal({2, 1, 2}), normal({2, 1, 1})});
  one(
      "F.expand_dims(x[0], -1)", [](V x) { return F::expand_dims(x, -1); }, cube);
  one(
      "F.expand_dims(x[0], 0)", [](V x) { return F::expand_dims(x, 0); }, normal({}));
  for (const Array& x : {normal({}), none})
    one(
        "F.flatten(x[0])", [](V x) { return F::flatten(x); }, x);
  one(
      "F.flip(x[0], -1)", [](V x) { return F::flip(x, -1); }, cube);
  one(
      "F.flip(x[0], 0)", [](V x) { return F::flip(x, 0); }, none);
  for (const Array& x : {cube, thin}) {
    one(
        "F.fliplr(x[0])", [](V x) { return F::fliplr(x); }, x);
    one(
        "F.flipud(x[0])", [](V x) { return F::flipud(x); }, x);
  }
  one(
      "F.moveaxis(x[0], (0, -1), (-1, 0))",
      [](V x) {
        return F::moveaxis(x, Dims{0, -1}, Dims{-1, 0});
      },
      four);
  one(
      "F.pad(x[0], 2, 'constant', constant_values=3)",
      [](V x) { return F::pad(x, 2, "constant", {.constant_values = 3}); }, m);
  // The release has no gradients for these modes.
  for (const std::string mode : {"maximum", "minimum", "mean", "linear_ramp"}) {
    one(
        "F.pad(x[0], ((1, 2), (3, 0)), '" + mode + "')",
        [mode](V x) {
          return F::pad(x, {{1, 2}, {3, 0}}, mode);
        },
        m)
        .differentiable = false;
    t.push_back(row("pad", "", [mode](Vs x) { return F::pad(x[0], {{1, 2}, {3, 0}}, mode); }, {m}));
  }
  t.push_back(row("pad", "", [](Vs x) { return F::pad(x[0], 3, "linear_ramp", {.end_values = 2}); }, {line}));
  add("F.pad_sequence(x, length=4, padding=-1)", [](Vs x) { return F::pad_sequence(x, {.length = 4, .padding = -1}); },
      {normal({2, 2}), normal({3, 2}), normal({0, 2})});
  one(
      "F.permutate(x[0], np.array([2, 0, 1]), axis=-2, inv=True)",
      [](V x) {
        return F::permutate(x, array({2, 0, 1}), -2, {.inv = true});
      },
      cube)
      .python.clear();  // the release inverts along axis 0 for every axis
  one(
      "F.reshape(x[0], (4, 1, -1))",
      [](V x) {
        return F::reshape(x, {4, 1, -1});
      },
      m);
  one(
      "F.reshape(x[0], (2, 0))",
      [](V x) {
        return F::reshape(x, {2, 0});
      },
      none);
  add("F.scatter_add(x[0], (Ellipsis, 0), x[1])",
      [](Vs x) {
        return F::scatter_add(x[0], {ellipsis, 0}, x[1]);
      },
      {cube, normal({2, 3})});
  add("F.select_item(x[0], x[1].array)", [](Vs x) { return F::select_item(x[0], x[1]); }, {normal({1, 1}), array({0})});
  add("F.select_item(x[0], x[1].array)", [](Vs x) { return F::select_item(x[0], x[1]); },
      {normal({3, 2}), array({1, 1, 0})});
  one(
      "F.separate(x[0], axis=-1)", [](V x) { return F::separate(x, -1); }, normal({2, 1, 2}));
  one(
      "F.split_axis(x[0], [1, 1, 3], -1)",
      [](V x) {
        return F::split_axis(x, {1, 1, 3}, -1);
      },
      m);
  one(
      "F.squeeze(x[0], axis=(-1, 0))",
      [](V x) {
        return F::squeeze(x, {-1, 0});
      },
      normal({1, 3, 1}));
  add("F.stack(x, axis=-1)", [](Vs x) { return F::stack(x, -1); }, {m, normal({3, 4}), normal({3, 4})});
  add("F.stack(x)", [](Vs x) { return F::stack(x); }, {normal({}), normal({})});
  one(
      "F.sum_to(x[0], (1, 3, 1))",
      [](V x) {
        return F::sum_to(x, {1, 3, 1});
      },
      cube);
  one(
      "F.sum_to(x[0], ())", [](V x) { return F::sum_to(x, {}); }, line);
  one(
      "F.swapaxes(x[0], -1, 0)", [](V x) { return F::swapaxes(x, -1, 0); }, four);
  one(
      "F.swapaxes(x[0], 1, 1)", [](V x) { return F::swapaxes(x, 1, 1); }, none);
  one(
      "F.transpose(x[0], (-1, 0, 1))",
      [](V x) {
        return F::transpose(x, {-1, 0, 1});
      },
      cube);
  add("F.transpose_sequence(x)", [](Vs x) { return F::transpose_sequence(x); }, {normal({3, 2}), normal({3, 2})});
  add("F.transpose_sequence(x)", [](Vs x) { return F::transpose_sequence(x); },
      {normal({2}), normal({1}), normal({0})});
  add("F.vstack(x)", [](Vs x) { return F::vstack(x); }, {normal({1, 2, 1}), normal({2, 2, 1})});
  add("F.where(x[0].array, x[1], x[2])", [](Vs x) { return F::where(x[0], x[1], x[2]); },
      {array({true, false, true, true}), m, m * 2});
  add("F.where(x[0].array, x[1], x[2])", [](Vs x) { return F::where(x[0], x[1], x[2]); },
      {array({{true}, {false}}), normal({2, 2}), normal({2, 2})});

  // Connections
  add("F.bilinear(F.cast(x[0], 'f'), x[1], x[2])", [](Vs x) { return F::bilinear(x[0], x[1], x[2]); },
      {normal({1, 1}), normal({1, 2}), normal({1, 2, 1})})
      .python.clear();  // the release accepts float32 only
  add("F.embed_id(x[0].array, x[1])", [](Vs x) { return F::embed_id(x[0], x[1]); },
      {array({{{0, 2}}, {{1, 1}}}), normal({3, 1})});

  // Evaluation
  add("F.accuracy(x[0], x[1])", [](Vs x) { return F::accuracy(x[0], x[1]); },
      {normal({2, 3, 2}), array({{0, 2}, {1, 1}})})
      .differentiable = false;
  for (const auto& [y, b] : {std::pair(line, array({1, 0, 1, -1})), std::pair(normal({1, 1, 2}), array({{{0, 1}}}))})
    add("F.binary_accuracy(x[0], x[1])", [](Vs x) { return F::binary_accuracy(x[0], x[1]); }, {y, b}).differentiable =
        false;
  const Array y = array({{2., 1., 0.}, {0., 3., 1.}, {0., 1., 2.}, {4., 1., 0.}}), truth = array({0, 1, 2, 2});
  const auto scores = [&](const std::string& options, const Array& labels, const F::ClassificationSummaryOptions& o) {
    const auto put = [&](const std::string& name, auto f) {
      OpCase& c = add("F." + name + "(x[0], x[1]" + options + ")", f, {y, labels});
      c.differentiable = false, c.float64_result = true;
    };
    put("precision", [o](Vs x) { return F::precision(x[0], x[1], o); });
    put("recall", [o](Vs x) { return F::recall(x[0], x[1], o); });
    put("f1_score", [o](Vs x) { return F::f1_score(x[0], x[1], o); });
    put("classification_summary", [o](Vs x) {
      const auto s = F::classification_summary(x[0], x[1], o);
      return Variables{s.precision, s.recall, s.fbeta, s.support};
    });
  };
  scores("", truth, {});
  scores(", label_num=3, ignore_label=2", array({0, 1, 1, 2}), {.label_num = 3, .ignore_label = 2});
  add("F.r2_score(*x)", [](Vs x) { return F::r2_score(x[0], x[1]); }, {line, normal({4})}).differentiable = false;

  // Losses
  for (const Array& x : {thin, cube}) {
    const Arrays pair = {x, normal(x.shape())};
    add(
        "F.absolute_error(*x)", [](Vs x) { return F::absolute_error(x[0], x[1]); }, pair);
    add(
        "F.mean_absolute_error(*x)", [](Vs x) { return F::mean_absolute_error(x[0], x[1]); }, pair);
    add(
        "F.mean_squared_error(*x)", [](Vs x) { return F::mean_squared_error(x[0], x[1]); }, pair);
  }
  const Array small = normal({2, 1, 2});
  add("F.bernoulli_nll(*x)", [](Vs x) { return F::bernoulli_nll(x[0], x[1]); },
      {sigmoid(small), normal({2, 1, 2}) * 5});
  add("F.gaussian_kl_divergence(*x)", [](Vs x) { return F::gaussian_kl_divergence(x[0], x[1]); },
      {small, normal({2, 1, 2})});
  add("F.gaussian_nll(*x)", [](Vs x) { return F::gaussian_nll(x[0], x[1], x[2]); },
      {small, normal({2, 1, 2}), normal({2, 1, 2})});
  add("F.cross_covariance(*x)", [](Vs x) { return F::cross_covariance(x[0], x[1]); }, {normal({5, 1}), normal({5, 3})});
  one(
      "F.decov(x[0])", [](V x) { return F::decov(x); }, normal({2, 1}));
  add("F.huber_loss(*x, delta=2)", [](Vs x) { return F::huber_loss(x[0], x[1], 2); },
      {normal({2, 3, 2}) * 3, normal({2, 3, 2})});

  // Mathematical functions
  add("F.average(x[0], axis=(0, -1), keepdims=True)",
      [](Vs x) {
        return F::average(x[0], {0, -1}, {.keepdims = true});
      },
      {cube});
  one(
      "F.batch_det(x[0])", [](V x) { return F::batch_det(x); }, normal({1, 2, 2}) + eye(2, 2, 0, float64) * 2);
  one(
      "F.batch_inv(x[0])", [](V x) { return F::batch_inv(x); }, normal({3, 2, 2}) * 0.3 + eye(2, 2, 0, float64));
  one(
      "F.batch_l2_norm_squared(x[0])", [](V x) { return F::batch_l2_norm_squared(x); }, four);
  add("F.batch_matmul(x[0], x[1], transa=True, transb=True)",
      [](Vs x) { return F::batch_matmul(x[0], x[1], {.transa = true, .transb = true}); },
      {normal({2, 3, 2}), normal({2, 4, 3})})
      .python.clear();  // the release accepts float32 only
  for (const auto& [x, y2, axis] : {std::tuple(cube, normal({3, 4}), 1), std::tuple(cube, normal({2, 3}), 0)}) {
    const std::string a = text(", axis=", axis, ")");
    add("F.bias(x[0], x[1]" + a, [axis = axis](Vs x) { return F::bias(x[0], x[1], axis); }, {x, y2});
    add("F.scale(x[0], x[1]" + a, [axis = axis](Vs x) { return F::scale(x[0], x[1], axis); }, {x, y2});
  }
  for (const Array& x : {normal({}), cube})
    add("F.fmod(x[0], x[1])", [](Vs x) { return F::fmod(x[0], x[1]); }, {x * 3 + 0.1, positive(x.shape()) + 3});

  // Noise
  const auto seeded = [](auto f) {
    return [f](Vs x) {
      random::seed(0);
      return f(x);
    };
  };
  one(
      "F.dropout(x[0], 0.5, mask=np.array([2, 0, 0, 2], x[0].dtype))",
      [](V x) {
        return F::dropout(x, 0.5, {.mask = array({2., 0., 0., 2.}).astype(x.dtype())});
      },
      line);
  one(
      "F.dropout(x[0], 0)", [](V x) { return F::dropout(x, 0.0); }, m);
  add("F.gaussian(x[0], x[1], eps=x[2].array)", [](Vs x) { return F::gaussian(x[0], x[1], {.eps = x[2].array()}); },
      {normal({2, 1}), normal({2, 1}), normal({2, 1})})
      .differentiable = false;
  one(
      "F.forget(lambda v: F.exp(v), x[0])",
      [](V x) { return F::forget([](Vs v) { return Variables{F::exp(v[0])}; }, {x}); }, line);
  one(
      "F.forget(lambda v: (v * 2, F.sin(v)), x[0])",
      [](V x) {
        return F::forget([](Vs v) { return Variables{v[0] * 2, F::sin(v[0])}; }, {x});
      },
      cube);
  for (const auto& [axis, x] : {std::pair(0, m), std::pair(-1, cube)})
    t.push_back(row("gumbel_softmax", text("(np.random.seed(0), F.gumbel_softmax(x[0], 1.3, axis=", axis, "))[1]"),
                    seeded([axis = axis](Vs v) { return F::gumbel_softmax(v[0], 1.3, axis); }), {x}));
  for (const auto& [ratio, x] : {std::pair(0.0, line), std::pair(0.7, cube)})
    t.push_back(row("zoneout", text("(np.random.seed(0), F.zoneout(x[0], x[1], ", ratio, "))[1]"),
                    seeded([ratio = ratio](Vs v) { return F::zoneout(v[0], v[1], ratio); }), {x, normal(x.shape())}));
  const Array mask = array({{1, 0, 1, 1}});
  t.push_back(row("simplified_dropconnect", "",
                  [mask](Vs x) { return F::simplified_dropconnect(x[0], x[1], {}, {.ratio = 0.5, .mask = mask}); },
                  {normal({2, 2, 2}), normal({1, 4})}));

  // Normalization. (The release normalizes groups with float32 constants, so there is no float64 to compare with.)
  add("F.layer_normalization(*x)", [](Vs x) { return F::layer_normalization(x[0], x[1], x[2]); },
      {normal({4, 2}), normal({2}), normal({2})});
  for (const auto& [shape, groups] : {std::pair(Shape{2, 4}, 2), std::pair(Shape{1, 3, 4}, 1)})
    t.push_back(row("group_normalization", "",
                    [groups = groups](Vs x) { return F::group_normalization(x[0], groups, x[1], x[2], {.eps = 0.01}); },
                    {normal(shape), normal({shape[1]}), normal({shape[1]})}));
}

}  // namespace table
