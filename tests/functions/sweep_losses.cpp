// SPDX-License-Identifier: MIT
// Losses, recurrent cells and normalizations as functions of one number.
#include "sweep.h"

namespace sweep {
namespace {

// For parameters that a whole batch shares: calls the function for each number separately.
template <class Function>
Variable one_by_one(const Variable& x, Function f) {
  Variables out;
  for (int64_t i = 0; i < x.size(); ++i) out.push_back(F::reshape(f(x[Slice(i, i + 1)]), {1}));
  return F::concat(out, 0);
}

}  // namespace

void add_losses_and_layers(std::vector<Case>& c) {
  const auto add = [&](std::string name, auto f) { c.push_back({std::move(name), f}); };
  using V = const Variable&;
  const auto pair = [](V x, double value) { return columns({x, constant(value, x)}); };
  const auto labels = [](V x, int64_t label) { return full(x.shape(), label, int32); };

  const double gates[] = {0.75, -0.5, 0.25, 1.5, 0.5};
  for (int k = 0; k < 5; ++k)
    for (int output : {0, 1})
      add(text("lstm.", "ch"[output], " by ", "aifoc"[k]), [=](V x) {
        Variables in;
        for (int j = 0; j < 5; ++j) in.push_back(j == k ? x : constant(gates[j], x));
        const Variables first(in.begin(), in.begin() + 4);
        return column(F::lstm(columns({in[4]}), columns(first))[static_cast<std::size_t>(output)], 0);
      });
  const auto slstm = [](V x, int gate) {
    Variables in;
    for (int j = 0; j < 4; ++j) in.push_back(j == gate ? x : constant(0.75, x));
    const Variable half = columns({constant(0.5, x)}), same = constant(0.75, x);
    return column(F::slstm(half, half, columns(in), columns({same, same, same, same}))[1], 0);
  };
  add("slstm.h by a", [=](V x) { return slstm(x, 0); });
  add("slstm.h by f", [=](V x) { return slstm(x, 2); });
  add("tree_lstm.h by f", [](V x) {
    const Variable same = constant(0.75, x);
    return column(F::tree_lstm({columns({constant(0.5, x)}), columns({same, same, same, x})})[1], 0);
  });

  add("absolute_error(x, 0.75)", [](V x) { return F::absolute_error(x, constant(0.75, x)); });
  add("bernoulli_nll(0.75, x)", [](V x) { return F::bernoulli_nll(constant(0.75, x), x, Reduction::no); });
  add("bernoulli_nll(1, x)", [](V x) { return F::bernoulli_nll(constant(1, x), x, Reduction::no); });
  add("bernoulli_nll(x, 0.75)", [](V x) { return F::bernoulli_nll(x, constant(0.75, x), Reduction::no); });
  const auto black_out = [](V scores) {
    const int64_t n = scores.shape()[0];
    return F::black_out(scores, zeros({n}, int32), eye(2, {}, 0, scores.dtype()), ones({n, 1}, int32), Reduction::no);
  };
  add("black_out by the target", [=](V x) { return black_out(pair(x, 0)); });
  add("black_out by a sample", [=](V x) { return black_out(columns({constant(0, x), x})); });
  for (int alike : {1, 0})
    add(alike ? "contrastive alike" : "contrastive apart", [=](V x) {
      return F::contrastive(columns({x}), columns({constant(0.75, x)}), labels(x, alike), {.reduce = Reduction::no});
    });
  add("connectionist_temporal_classification", [=](V x) {
    const Variable step = pair(x, 0);
    return F::connectionist_temporal_classification({step, step}, ones({x.size(), 1}, int32), 0,
                                                    {.reduce = Reduction::no});
  });
  add("crf1d by cost", [](V x) {
    return one_by_one(x, [](V v) {
      const Variable zero = constant(0, v), step = columns({zero, zero});
      const Variable cost = F::concat({columns({v, zero}), step}, 0), label(zeros({1}, int32), false);
      return F::crf1d(cost, {step, step}, {label, label});
    });
  });
  add("crf1d by xs", [=](V x) {
    const Variable zero = constant(0, x), label(ones(x.shape(), int32), false);
    return F::crf1d(zeros({2, 2}, x.dtype()), {columns({x, zero}), columns({zero, zero})}, {label, label},
                    Reduction::no);
  });
  add("cross_covariance", [](V x) {
    return one_by_one(x, [](V v) {
      return F::cross_covariance(columns({F::concat({v, -v}, 0)}), array({{1.}, {-1.}}).astype(v.dtype()));
    });
  });
  add("decov", [](V x) {
    return one_by_one(x, [](V v) {
      return F::decov(columns({F::concat({v, -v}, 0), array({0.5, -0.5}).astype(v.dtype())}));
    });
  });
  const auto no = Reduction::no;
  add("gaussian_kl_divergence(x, 0.75)", [=](V x) { return F::gaussian_kl_divergence(x, constant(0.75, x), no); });
  add("gaussian_kl_divergence(0.75, x)", [=](V x) { return F::gaussian_kl_divergence(constant(0.75, x), x, no); });
  add("gaussian_nll(x, 0.75, 0.5)", [=](V x) { return F::gaussian_nll(x, constant(0.75, x), constant(0.5, x), no); });
  add("gaussian_nll(0.75, x, 0.5)", [=](V x) { return F::gaussian_nll(constant(0.75, x), x, constant(0.5, x), no); });
  add("gaussian_nll(0.75, 0.5, x)", [=](V x) { return F::gaussian_nll(constant(0.75, x), constant(0.5, x), x, no); });
  add("gaussian_nll(1e4, 0, x)", [=](V x) { return F::gaussian_nll(constant(1e4, x), constant(0, x), x, no); });
  for (const auto& [of, norm] : {std::pair("L1", F::HingeNorm::L1), std::pair("L2", F::HingeNorm::L2)})
    add(text("hinge ", of), [=, norm = norm](V x) {
      return F::sum(F::hinge(pair(x, 0.5), labels(x, 0), {.norm = norm, .reduce = Reduction::no}), 1);
    });
  add("huber_loss(x, 0.75, 1)", [](V x) { return F::huber_loss(columns({x}), columns({constant(0.75, x)}), 1); });
  add("mean_absolute_error(x, 0.75)",
      [](V x) { return one_by_one(x, [](V v) { return F::mean_absolute_error(v, constant(0.75, v)); }); });
  add("mean_squared_error(x, 0.75)",
      [](V x) { return one_by_one(x, [](V v) { return F::mean_squared_error(v, constant(0.75, v)); }); });
  add("negative_sampling", [=](V x) {
    const auto sampler = [](const Shape& s) { return ones(s, int32); };
    return F::negative_sampling(columns({x}), labels(x, 0), ones({2, 1}, x.dtype()), sampler, 1,
                                {.reduce = Reduction::no});
  });
  for (int64_t t : {0, 1}) {
    add(text("sigmoid_cross_entropy(x, ", t, ")"),
        [=](V x) { return F::sigmoid_cross_entropy(x, labels(x, t), {.reduce = Reduction::no}); });
    add(text("softmax_cross_entropy([x, 0], ", t, ")"),
        [=](V x) { return F::softmax_cross_entropy(pair(x, 0), labels(x, t), {.reduce = Reduction::no}); });
  }
  add("squared_error(x, 0.75)", [](V x) { return F::squared_error(x, constant(0.75, x)); });
  const auto triplet = [](V a, V p, V n) {
    return F::triplet(columns({a}), columns({p}), columns({n}), {.margin = 0.25, .reduce = Reduction::no});
  };
  add("triplet by anchor", [=](V x) { return triplet(x, constant(0.75, x), constant(0.5, x)); });
  add("triplet by positive", [=](V x) { return triplet(constant(0.75, x), x, constant(0.5, x)); });
  add("triplet by negative", [=](V x) { return triplet(constant(0.75, x), constant(0.5, x), x); });
  add("gaussian(x, 0.75)",
      [](V x) { return F::gaussian(x, constant(0.75, x), {.eps = full(x.shape(), 0.5, x.dtype())}); });
  add("gaussian(0.75, x)",
      [](V x) { return F::gaussian(constant(0.75, x), x, {.eps = full(x.shape(), 0.5, x.dtype())}); });

  add("normalize([x, 0.5])[0]", [=](V x) { return column(F::normalize(pair(x, 0.5)), 0); });
  add("normalize([x, 0.5])[1]", [=](V x) { return column(F::normalize(pair(x, 0.5)), 1); });
  add("layer_normalization([x, 0.5])[0]", [=](V x) {
    return column(F::layer_normalization(pair(x, 0.5), full({2}, 1.5, x.dtype()), full({2}, 0.25, x.dtype())), 0);
  });
  add("group_normalization([x, 0.5])[0]", [=](V x) {
    return column(F::group_normalization(pair(x, 0.5), 1, full({2}, 1.5, x.dtype()), full({2}, 0.25, x.dtype())), 0);
  });
  add("batch_normalization([x, 0.5])[0]", [](V x) {
    const Variable two = F::stack({x, constant(0.5, x)});
    return F::batch_normalization(two, constant(1.5, x), constant(0.25, x))[0];
  });
  const auto fixed = [](V x, V mean, V var) {
    return F::fixed_batch_normalization(F::expand_dims(x, 0), constant(1.5, x), constant(0.25, x), mean, var)[0];
  };
  add("fixed_batch_normalization by x", [=](V x) { return fixed(x, constant(0.5, x), constant(1.5, x)); });
  add("fixed_batch_normalization by mean", [=](V x) { return fixed(constant(0.75, x), x, constant(1.5, x)); });
  add("fixed_batch_normalization by var", [=](V x) { return fixed(constant(0.75, x), constant(0.5, x), x); });
  add("local_response_normalization(x)", [](V x) { return column(F::local_response_normalization(columns({x})), 0); });
}

}  // namespace sweep
