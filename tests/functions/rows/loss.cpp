// SPDX-License-Identifier: MIT
#include "table.h"

namespace table {

void loss(std::vector<OpCase>& t) {
  const Array m = normal({3, 4});
  t.push_back(row("mean_squared_error", "F.mean_squared_error(*x)",
                  [](const Variables& x) { return F::mean_squared_error(x[0], x[1]); }, {m, normal({3, 4})})
                  .reference([](const Arrays& x) { return Arrays{mean(square(x[0] - x[1]))}; }));

  const Array bits = array({{1, 0, -1, 1}, {0, 0, 1, 1}, {1, -1, 0, 1}});
  const auto sigmoid_row = [&](const std::string& python, const F::SigmoidCrossEntropyOptions& o) {
    t.push_back(row("sigmoid_cross_entropy", "F.sigmoid_cross_entropy(x[0], x[1]" + python + ")",
                    [=](const Variables& x) { return F::sigmoid_cross_entropy(x[0], x[1], o); }, {m, bits}));
  };
  sigmoid_row("", {});
  sigmoid_row(", normalize=False", {.normalize = false});
  sigmoid_row(", reduce='no'", {.reduce = Reduction::no});

  const Array labels = array({3, -1, 0});
  t.push_back(row("softmax_cross_entropy", "F.softmax_cross_entropy(x[0], x[1], enable_double_backprop=True)",
                  [](const Variables& x) { return F::softmax_cross_entropy(x[0], x[1]); }, {m, labels})
                  .reference([](const Arrays& x) {
                    const Array p = log(exp(x[0]) / sum(exp(x[0]), 1, true));
                    return Arrays{(p[{0, 3}] + p[{2, 0}]) * -0.5};
                  }));
  const auto softmax_row = [&](const std::string& python, const F::SoftmaxCrossEntropyOptions& o) {
    t.push_back(row("softmax_cross_entropy",
                    "F.softmax_cross_entropy(x[0], x[1], enable_double_backprop=True, " + python + ")",
                    [=](const Variables& x) {
                      F::SoftmaxCrossEntropyOptions typed = o;
                      if (typed.class_weight) typed.class_weight = o.class_weight.astype(x[0].dtype());
                      return F::softmax_cross_entropy(x[0], x[1], typed);
                    },
                    {m, labels}));
  };
  softmax_row("normalize=False, cache_score=False", {.normalize = false, .cache_score = false});
  softmax_row("reduce='no'", {.reduce = Reduction::no});
  softmax_row("ignore_label=3", {.ignore_label = 3});
  t.back().inputs[1] = array({3, 1, 0});
  softmax_row("class_weight=np.array([1., 2., 3., 4.])", {.class_weight = array({1., 2., 3., 4.})});
  const auto smoothing_row = [&](F::SoftmaxCrossEntropyOptions o, const Array& x_, const Array& t_) {
    t.push_back(row("softmax_cross_entropy", not_in_release,
                    [=](const Variables& x) {
                      F::SoftmaxCrossEntropyOptions typed = o;
                      if (typed.class_weight) typed.class_weight = o.class_weight.astype(x[0].dtype());
                      return F::softmax_cross_entropy(x[0], x[1], typed);
                    },
                    {x_, t_})
                    .reference([=](const Arrays& x) {
                      // Classes last, as (rows, C); the targets as rows of probabilities.
                      const int64_t classes = x[0].shape(1);
                      const Array rows = moveaxis(x[0], 1, -1).reshape({-1, classes}), label = x[1].ravel();
                      const Array counts = (label != o.ignore_label).astype(x[0].dtype()).reshape({-1, 1});
                      Array target = equal(label.reshape({-1, 1}), arange(classes)).astype(x[0].dtype());
                      target = (target * (1 - o.label_smoothing) + o.label_smoothing / double(classes)) * counts;
                      if (o.class_weight) target = target * o.class_weight.astype(x[0].dtype());
                      const Array log_y = rows - log(sum(exp(rows), 1, true));
                      const Array losses = -sum(log_y * target, 1);
                      if (o.reduce == Reduction::no) return Arrays{losses.reshape(x[1].shape())};
                      return Arrays{sum(losses) / (o.reduce == Reduction::sum ? 1.0
                                                   : o.normalize              ? sum(counts).item<double>()
                                                                              : double(x[1].shape(0)))};
                    }));
  };
  smoothing_row({.label_smoothing = 0.1}, m, labels);
  smoothing_row({.normalize = false, .class_weight = array({1., 2., 3., 4.}), .label_smoothing = 0.3}, m, labels);
  smoothing_row({.reduce = Reduction::no, .label_smoothing = 1}, m, labels);
  smoothing_row({.class_weight = array({.5, 2., 1.}), .reduce = Reduction::no, .label_smoothing = 0.2},
                normal({2, 3, 2, 2}), array({{{0, 2}, {1, 1}}, {{2, 0}, {-1, 1}}}));
  t.push_back(row("softmax_cross_entropy", "",  // the reference has no such reduction
                  [](const Variables& x) { return F::softmax_cross_entropy(x[0], x[1], {.reduce = Reduction::sum}); },
                  {m, labels}));
  t.push_back(row("softmax_cross_entropy", "F.softmax_cross_entropy(x[0], x[1], enable_double_backprop=True)",
                  [](const Variables& x) { return F::softmax_cross_entropy(x[0], x[1]); },
                  {normal({2, 3, 2, 2}), array({{{0, 2}, {1, 1}}, {{2, 0}, {-1, 1}}})}));

  const auto projected_row = [&](const F::SoftmaxCrossEntropyOptions& o, const Array& x_, const Array& t_, bool bias) {
    Arrays in{x_, normal({4, 5}), t_};
    if (bias) in.push_back(normal({4}));
    const auto typed = [=](Dtype d) {
      F::SoftmaxCrossEntropyOptions copy = o;
      if (copy.class_weight) copy.class_weight = o.class_weight.astype(d);
      return copy;
    };
    t.push_back(row(
                    "linear_cross_entropy", not_in_release,
                    [=](const Variables& x) {
                      return F::linear_cross_entropy(x[0], x[1], x[2], bias ? x[3] : Variable(), typed(x[0].dtype()));
                    },
                    in)
                    .reference([=](const Arrays& x) {
                      Array y = matmul(x[0].reshape({-1, 5}), x[1].T());
                      if (bias) y = y + x[3];
                      const Array label = x[2].ravel(), counts = (label != o.ignore_label).astype(y.dtype());
                      Array target = equal(label.reshape({-1, 1}), arange(4)).astype(y.dtype());
                      target = (target * (1 - o.label_smoothing) + o.label_smoothing / 4) * counts.reshape({-1, 1});
                      if (o.class_weight) target = target * o.class_weight.astype(y.dtype());
                      const Array losses = -sum((y - log(sum(exp(y), 1, true))) * target, 1);
                      if (o.reduce == Reduction::no) return Arrays{losses.reshape(x[2].shape())};
                      return Arrays{sum(losses) / (o.reduce == Reduction::sum ? 1.0
                                                   : o.normalize              ? sum(counts).item<double>()
                                                                              : double(x[2].shape(0)))};
                    }));
  };
  projected_row({}, normal({3, 5}), labels, true);
  projected_row({.reduce = Reduction::no}, normal({3, 5}), labels, false);
  projected_row({.class_weight = array({1., 2., 3., 4.}), .label_smoothing = 0.2}, normal({3, 5}), labels, true);
  projected_row({.normalize = false}, normal({2, 3, 5}), array({{3, -1, 0}, {1, 1, 2}}), true);
  projected_row({.ignore_label = 2, .reduce = Reduction::sum}, normal({2, 2, 1, 5}), array({{{3}, {2}}, {{0}, {1}}}),
                false);

  const Array samples = array({{0, 4, 2}, {0, 1, 1}, {0, 0, 3}});
  const auto sampling_row = [&](const std::string& python, const F::NegativeSamplingOptions& o, const Array& t_) {
    t.push_back(row("negative_sampling",
                    "F.negative_sampling(x[0], x[2], x[1], "
                    "lambda shape: np.array([[0, 4, 2], [0, 1, 1], [0, 0, 3]], 'i'), 2" +
                        python + ")",
                    [=](const Variables& x) {
                      return F::negative_sampling(
                          x[0], x[2], x[1], [=](const Shape&) { return samples; }, 2, o);
                    },
                    {m, normal({5, 4}), t_}));
  };
  sampling_row("", {}, array({3, 1, 2}));
  sampling_row("", {}, array({3, -1, 2}));
  sampling_row(", reduce='no'", {.reduce = Reduction::no}, array({3, -1, 2}));

  const auto two = [&](const std::string& python, auto f, const Array& x, const Array& y) {
    return row(python.substr(2, python.find('(') - 2), python, [f](const Variables& v) { return f(v[0], v[1]); },
               {x, y});
  };
  t.push_back(two("F.absolute_error(*x)", F::absolute_error, m,
                  normal({3, 4})));  // elementwise, except for the corner at equal elements
  t.push_back(two("F.mean_absolute_error(*x)", F::mean_absolute_error, m, normal({3, 4})));
  t.push_back(two("F.squared_error(*x)", F::squared_error, m, normal({3, 4})).elementwise());
  const auto reductions = [&](const std::string& name, auto f, const Arrays& in) {
    for (const auto& [python, reduce] : {std::pair("", Reduction::sum), std::pair(", reduce='no'", Reduction::no)})
      t.push_back(row(
          name, "F." + name + "(*x" + python + ")", [f, reduce = reduce](const Variables& v) { return f(v, reduce); },
          in));
  };
  reductions("bernoulli_nll", [](const Variables& v, Reduction r) { return F::bernoulli_nll(v[0], v[1], r); },
             {sigmoid(m), normal({3, 4})});
  reductions("gaussian_kl_divergence",
             [](const Variables& v, Reduction r) { return F::gaussian_kl_divergence(v[0], v[1], r); },
             {m, normal({3, 4})});
  reductions("gaussian_nll", [](const Variables& v, Reduction r) { return F::gaussian_nll(v[0], v[1], v[2], r); },
             {m, normal({3, 4}), normal({3, 4})});
  t.push_back(two(
      "F.hinge(*x)", [](const Variable& x, const Variable& y) { return F::hinge(x, y); }, m, array({3, 0, 1})));
  t.push_back(two(
      "F.hinge(*x, norm='L2')",
      [](const Variable& x, const Variable& y) { return F::hinge(x, y, {.norm = F::HingeNorm::L2}); }, m,
      array({3, 0, 1})));
  t.push_back(two(
      "F.hinge(*x, reduce='no')",
      [](const Variable& x, const Variable& y) { return F::hinge(x, y, {.reduce = Reduction::no}); }, m,
      array({3, 0, 1})));
  t.push_back(two(
      "F.huber_loss(*x, delta=1)", [](const Variable& x, const Variable& y) { return F::huber_loss(x, y, 1); }, m * 2,
      normal({3, 4})));
  t.push_back(two(
      "F.huber_loss(*x, delta=0.5, reduce='no')",
      [](const Variable& x, const Variable& y) { return F::huber_loss(x, y, 0.5, {.reduce = Reduction::no}); }, m * 2,
      normal({3, 4})));
  const Array y = array({1, 0, 1, 0});
  for (const auto& [python, o] :
       {std::pair("", F::ContrastiveOptions{}), std::pair(", margin=3", F::ContrastiveOptions{.margin = 3}),
        std::pair(", reduce='no'", F::ContrastiveOptions{.reduce = Reduction::no})})
    t.push_back(row("contrastive", text("F.contrastive(*x", python, ")"),
                    [o = o](const Variables& v) { return F::contrastive(v[0], v[1], v[2], o); },
                    {normal({4, 3}) * 0.4, normal({4, 3}) * 0.4, y}));
  t.push_back(two(
      "F.cross_covariance(*x)", [](const Variable& a, const Variable& b) { return F::cross_covariance(a, b); }, m,
      normal({3, 2})));
  t.push_back(two(
      "F.cross_covariance(*x, reduce='no')",
      [](const Variable& a, const Variable& b) {
        return F::cross_covariance(a, b, {.reduce = F::CovarianceReduction::no});
      },
      m, normal({3, 2})));
  t.push_back(row("decov", "F.decov(x[0])", [](const Variables& x) { return F::decov(x[0]); }, {m}));
  t.push_back(row("decov", "F.decov(x[0], reduce='no')",
                  [](const Variables& x) { return F::decov(x[0], {.reduce = F::CovarianceReduction::no}); }, {m}));
  for (const auto& [python, o] :
       {std::pair("", F::TripletOptions{}), std::pair(", margin=2", F::TripletOptions{.margin = 2}),
        std::pair(", reduce='no'", F::TripletOptions{.reduce = Reduction::no})})
    t.push_back(row("triplet", text("F.triplet(*x", python, ")"),
                    [o = o](const Variables& v) { return F::triplet(v[0], v[1], v[2], o); },
                    {normal({4, 3}), normal({4, 3}), normal({4, 3})}));

  const Array V = normal({5, 3}), rows_x = normal({4, 3}), words = array({2, 0, 4, 2});
  const Array drawn = array({{1, 3}, {4, 4}, {0, 3}, {2, 1}});
  for (const auto& [python, r] : {std::pair("", Reduction::mean), std::pair(", reduce='no'", Reduction::no)})
    t.push_back(row(
        "black_out", text("F.black_out(x[0], x[1].array.astype('i'), x[2], x[3].array.astype('i')", python, ")"),
        [r = r](const Variables& x) { return F::black_out(x[0], x[1], x[2], x[3], r); }, {rows_x, words, V, drawn}));
  t.push_back(row("black_out", "", [](const Variables& x) { return F::black_out(x[0], x[1], x[2], x[3]); },
                  {rows_x, array({2, -1, 4, 2}), V, drawn}));

  const Array steps = normal({5, 3, 4}), path = array({{1, 2}, {3, 3}, {2, 0}});
  const auto ctc = [&](const std::string& python, const Array& x, const Array& y, const F::CtcOptions& o) {
    t.push_back(row("connectionist_temporal_classification", python,
                    [o](const Variables& v) { return F::connectionist_temporal_classification(v[0], v[1], 0, o); },
                    {x, y}));
  };
  const std::string call =
      "F.connectionist_temporal_classification([v for v in F.separate(x[0])], x[1].array.astype('i'), 0";
  ctc(call + ")", steps, array({{1, 2}, {3, 3}, {2, 1}}), {});
  ctc(call + ", reduce='no')", steps, array({{1, 2}, {3, 3}, {2, 1}}), {.reduce = Reduction::no});
  ctc(call + ", input_length=np.array([5, 4, 2], 'i'), label_length=np.array([2, 2, 1], 'i'), reduce='no')", steps,
      path, {.input_length = array({5, 4, 2}), .label_length = array({2, 2, 1}), .reduce = Reduction::no});
  ctc(call + ", label_length=np.array([0], 'i'))", normal({3, 1, 2}), array({{1}}), {.label_length = array({0})});
  ctc("", normal({1, 2, 3}), array({{2}, {1}}), {});

  const Array K = normal({3, 3});
  const auto crf = [&](const std::string& python, const Arrays& in, Reduction r) {
    t.push_back(row(
        "crf1d", python,
        [r](const Variables& v) {
          const std::size_t n = (v.size() - 1) / 2;
          Variables xs, ys;
          for (std::size_t i = 0; i < n; ++i) xs.push_back(v[1 + i]), ys.push_back(v[1 + n + i]);
          return F::crf1d(v[0], xs, ys, r);
        },
        in));
  };
  crf("F.crf1d(x[0], x[1:3], x[3:5])", {K, normal({2, 3}), normal({2, 3}), array({0, 2}), array({1, 1})},
      Reduction::mean);
  crf("F.crf1d(x[0], x[1:4], x[4:7], reduce='no')",
      {K, normal({3, 3}), normal({2, 3}), normal({1, 3}), array({0, 2, 1}), array({1, 1}), array({2})}, Reduction::no);
  crf("F.crf1d(x[0], x[1:2], x[2:3])", {K, normal({2, 3}), array({0, 2})}, Reduction::mean);
  const auto viterbi = [&](const std::string& python, const Arrays& in) {
    t.push_back(row(
        "argmax_crf1d", python,
        [](const Variables& v) { return F::argmax_crf1d(v[0], Variables(v.begin() + 1, v.end())).s; }, in));
  };
  viterbi("F.argmax_crf1d(x[0], x[1:])[0]", {K, normal({2, 3}), normal({2, 3}), normal({2, 3})});
  viterbi("F.argmax_crf1d(x[0], x[1:])[0]", {K, normal({3, 3}), normal({2, 3}), normal({1, 3})});
  viterbi("F.argmax_crf1d(x[0], x[1:])[0]", {K, normal({2, 3})});
  t.push_back(row("argmax_crf1d", "F.concat([chainer.Variable(p) for p in F.argmax_crf1d(x[0], x[1:])[1]], axis=0)",
                  [](const Variables& v) {
                    Variables ps;
                    for (const Array& p : F::argmax_crf1d(v[0], Variables(v.begin() + 1, v.end())).ps)
                      ps.push_back(p.astype(int32));
                    return F::concat(ps, 0);
                  },
                  {K * 3, normal({4, 3}), normal({3, 3}), normal({3, 3}), normal({1, 3})})
                  .no_gradient());

  const auto clusters = [&](const std::string& python, const Array& x, const Array& y,
                            const F::ClusteringLossOptions& o) {
    t.push_back(row("discriminative_margin_based_clustering_loss", python,
                    [o](const Variables& v) {
                      return F::discriminative_margin_based_clustering_loss(v[0], v[1], 0.3, 1.5, v[0].shape()[1], o);
                    },
                    {x, y}));
  };
  const std::string discriminative = "F.discriminative_margin_based_clustering_loss(x[0], x[1].array, 0.3, 1.5, ";
  clusters(discriminative + "2)", normal({2, 2, 2, 3}), array({{{1, 1, 2}, {2, 1, 1}}, {{2, 1, 2}, {1, 1, 2}}}), {});
  clusters(discriminative + "2, alpha=2, beta=0.5, gamma=0.1)", normal({1, 2, 2, 2}), array({{{1, 2}, {1, 2}}}),
           {.alpha = 2, .beta = 0.5, .gamma = 0.1});
  clusters("", normal({2, 3, 2, 3}), array({{{0, 1, 2}, {2, 1, 1}}, {{2, 3, 2}, {1, 1, 0}}}), {.norm = 2});
}

}  // namespace table
