#include <cmath>

#include "table.h"

namespace table {

void activation(std::vector<OpCase>& t) {
  const Array m = normal({3, 4}), cube = normal({2, 3, 4});
  t.push_back(unary("relu", F::relu, away({3, 4}), [](double x) { return std::max(x, 0.0); }));
  t.push_back(unary("leaky_relu", F::leaky_relu, away({3, 4}), [](double x) { return x >= 0 ? x : 0.2 * x; }));
  t.push_back(row("leaky_relu", "F.leaky_relu(x[0], 0.05)",
                  [](const Variables& x) { return F::leaky_relu(x[0], {.slope = 0.05}); }, {away({2, 1, 3, 5})})
                  .elementwise());
  t.push_back(unary("elu", F::elu, away({3, 4}), [](double x) { return x >= 0 ? x : std::exp(x) - 1; }));
  t.push_back(
      row("elu", "F.elu(x[0], alpha=0.3)", [](const Variables& x) { return F::elu(x[0], {.alpha = 0.3}); }, {away({5})})
          .elementwise());
  t.push_back(unary("sigmoid", F::sigmoid, normal({3, 4}), [](double x) { return 1 / (1 + std::exp(-x)); }));
  t.push_back(unary("tanh", F::tanh, normal({3, 4}), std::tanh));
  t.push_back(unary("softplus", F::softplus, normal({3, 4}), [](double x) { return std::log1p(std::exp(x)); }));
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
}

}  // namespace table
