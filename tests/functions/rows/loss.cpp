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
  t.push_back(row("softmax_cross_entropy", "",  // the reference has no such reduction
                  [](const Variables& x) { return F::softmax_cross_entropy(x[0], x[1], {.reduce = Reduction::sum}); },
                  {m, labels}));
  t.push_back(row("softmax_cross_entropy", "F.softmax_cross_entropy(x[0], x[1], enable_double_backprop=True)",
                  [](const Variables& x) { return F::softmax_cross_entropy(x[0], x[1]); },
                  {normal({2, 3, 2, 2}), array({{{0, 2}, {1, 1}}, {{2, 0}, {-1, 1}}})}));

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
}

}  // namespace table
