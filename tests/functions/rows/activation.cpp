// SPDX-License-Identifier: MIT
#include <cmath>

#include "table.h"

namespace table {

void activation(std::vector<OpCase>& t) {
  const Array m = normal({3, 4}), cube = normal({2, 3, 4});
  t.push_back(row("leaky_relu", "F.leaky_relu(x[0], 0.05)",
                  [](const Variables& x) { return F::leaky_relu(x[0], {.slope = 0.05}); }, {away({2, 1, 3, 5})})
                  .elementwise());
  t.push_back(
      row("elu", "F.elu(x[0], alpha=0.3)", [](const Variables& x) { return F::elu(x[0], {.alpha = 0.3}); }, {away({5})})
          .elementwise());
  t.push_back(row("softplus", "F.softplus(x[0], beta=2.5)",
                  [](const Variables& x) { return F::softplus(x[0], {.beta = 2.5}); }, {normal({7})})
                  .elementwise());
  for (int axis : {0, 1, -1}) {
    const std::string a = std::to_string(axis);
    t.push_back(row("softmax", "F.softmax(x[0], axis=" + a + ")",
                    [=](const Variables& x) { return F::softmax(x[0], axis); }, {cube})
                    .reference([=](const Arrays& x) {
                      const Array e = exp(x[0]);
                      return Arrays{e / sum(e, axis, true)};
                    }));
    t.push_back(row("log_softmax", "F.log_softmax(x[0], axis=" + a + ")",
                    [=](const Variables& x) { return F::log_softmax(x[0], axis); }, {cube})
                    .reference([=](const Arrays& x) { return Arrays{x[0] - log(sum(exp(x[0]), axis, true))}; }));
  }

  const auto one = [&](const std::string& python, auto f, const Array& x) {
    return row(python.substr(2, python.find('(') - 2), python, [f](const Variables& v) { return f(v[0]); }, {x});
  };
  t.push_back(
      one(
          "F.clipped_relu(x[0], 1.5)", [](const Variable& x) { return F::clipped_relu(x, 1.5); }, away({3, 4}) * 2)
          .elementwise());
  t.push_back(one(
      "F.crelu(x[0])", [](const Variable& x) { return F::crelu(x); }, away({3, 4})));
  t.push_back(one(
      "F.crelu(x[0], axis=-1)", [](const Variable& x) { return F::crelu(x, -1); }, away({2, 3, 4})));
  t.push_back(one(
      "F.maxout(x[0], 2)", [](const Variable& x) { return F::maxout(x, 2); }, m));
  t.push_back(one(
      "F.maxout(x[0], 3, axis=1)", [](const Variable& x) { return F::maxout(x, 3, 1); }, cube));
  t.push_back(one(
      "F.selu(x[0], alpha=1.2, scale=0.5)", [](const Variable& x) { return F::selu(x, {.alpha = 1.2, .scale = 0.5}); },
      away({3, 4})));
  // In a braced list every compiler evaluates the calls in order.
  const auto two = [&](const std::string& name, auto f, const Arrays& in) {
    t.push_back(row(
        name, "F." + name + "(x[0], x[1])", [f](const Variables& v) { return f(v[0], v[1]); }, in));
  };
  two("prelu", F::prelu, {away({3, 4}), normal({4})});
  two("prelu", F::prelu, {away({2, 3, 4}), normal({3})});
  two("prelu", F::prelu, {away({2, 3, 4}), normal({3, 4})});
  two("swish", F::swish, {m, normal({4})});
  two("swish", F::swish, {cube, normal({3})});
  two("swish", F::swish, {cube, normal({})});
  const Array slopes = positive({3, 4}) / 8.0;
  t.push_back(row("rrelu", "F.rrelu(x[0], r=x[1].array)",
                  [](const Variables& x) { return F::rrelu(x[0], 1.0 / 8, 1.0 / 3, {.r = x[1].array()}); },
                  {away({3, 4}), slopes})
                  .no_gradient());
  t.push_back(row("rrelu", "", [slopes](const Variables& x) { return F::rrelu(x[0], 1.0 / 8, 1.0 / 3, {.r = slopes}); },
                  {away({3, 4})}));
  two("lstm", F::lstm, {normal({3, 2}), normal({3, 8})});
  two("lstm", F::lstm, {normal({3, 2}), normal({2, 8})});
  two("lstm", F::lstm, {normal({2, 3, 2}), normal({2, 12, 2})});
  t.push_back(row("slstm", "F.slstm(*x)", [](const Variables& x) { return F::slstm(x[0], x[1], x[2], x[3]); },
                  {normal({3, 2}), normal({3, 2}), normal({3, 8}), normal({3, 8})}));
  t.push_back(row("tree_lstm", "F.tree_lstm(*x)", [](const Variables& x) { return F::tree_lstm(x); },
                  {normal({3, 2}), normal({3, 2}), normal({3, 10})}));
  t.push_back(row("tree_lstm", "F.tree_lstm(*x)", [](const Variables& x) { return F::tree_lstm(x); },
                  {normal({3, 2}), normal({3, 8})}));

  t.push_back(row("gelu", not_in_release, [](const Variables& x) { return F::gelu(x[0], F::Approximation::tanh); },
                  {normal({3, 5}) * 2.0})
                  .elementwise()
                  .reference([](const Arrays& x) {
                    return Arrays{x[0] * 0.5 *
                                  (tanh((x[0] + x[0] * x[0] * x[0] * 0.044715) * std::sqrt(2 / M_PI)) + 1)};
                  }));
  // Gated units: names, and the gates in routines on arrays.
  const auto gated = [&](const std::string& name, auto f, const Array& x, int axis, Array (*gate)(const Array&)) {
    t.push_back(row(name, not_in_release, [=](const Variables& v) { return f(v[0], axis); }, {x})
                    .reference([=](const Arrays& v) {
                      const Arrays half = array_split(v[0], 2, axis);
                      return Arrays{half[0] * gate(half[1])};
                    }));
  };
  constexpr auto by_sigmoid = [](const Array& b) { return 1.0 / (exp(-b) + 1.0); };
  constexpr auto by_relu = [](const Array& b) { return maximum(b, scalar_array(0.0, b)); };
  constexpr auto by_silu = [](const Array& b) { return b / (exp(-b) + 1.0); };
  constexpr auto by_gelu = [](const Array& b) { return b * 0.5 * (erf(b * std::sqrt(0.5)) + 1.0); };
  gated("glu", F::glu, normal({3, 4}), -1, by_sigmoid);
  gated("glu", F::glu, normal({2, 6, 1}), 1, by_sigmoid);
  gated("glu", F::glu, normal({2}), 0, by_sigmoid);
  gated("reglu", F::reglu, away({3, 4}), -1, by_relu);
  gated("reglu", F::reglu, away({4, 1, 3}), 0, by_relu);
  gated("reglu", F::reglu, away({2, 2, 3}), 1, by_relu);
  gated("geglu", F::geglu, normal({3, 4}), -1, by_gelu);
  gated("geglu", F::geglu, normal({4, 1, 3}), 0, by_gelu);
  gated("geglu", F::geglu, normal({2, 2, 3}), 1, by_gelu);
  gated("swiglu", F::swiglu, normal({3, 4}), -1, by_silu);
  gated("swiglu", F::swiglu, normal({4, 1, 3}), 0, by_silu);
  gated("swiglu", F::swiglu, normal({2, 2, 3}), 1, by_silu);
}

}  // namespace table
