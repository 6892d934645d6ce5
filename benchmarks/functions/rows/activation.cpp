// SPDX-License-Identifier: MIT
#include "../table.h"

namespace bench {

void activation(Table& t) {
  t.unary(
      "clipped_relu", "F.relu6", [](const Variable& x) { return F::clipped_relu(x, 6); }, -4, 10);
  t.add(
      "crelu", "torch.cat([F.relu(x[0]), F.relu(-x[0])], 1)", [](const Variables& x) { return F::crelu(x[0]); },
      [](const Size& s) { return Inputs{normal(s.matrix)}; });
  const auto gated = [&](const std::string& name, const std::string& gate, auto f) {
    t.add(
        name, "glu(x[0], " + gate + ")", [f](const Variables& x) { return f(x[0]); },
        [](const Size& s) { return Inputs{normal(s.matrix)}; });
  };
  gated("glu", "torch.sigmoid", F::glu);
  gated("reglu", "F.relu", F::reglu);
  gated("geglu", "F.gelu", F::geglu);
  gated("swiglu", "F.silu", F::swiglu);
  t.add(
      "leaky_relu", "F.leaky_relu(x[0], 0.2)", [](const Variables& x) { return F::leaky_relu(x[0]); },
      [](const Size& s) { return Inputs{normal(s.line())}; });
  t.add(
      "log_softmax", "F.log_softmax(x[0], 1)", [](const Variables& x) { return F::log_softmax(x[0]); },
      [](const Size& s) { return Inputs{normal(s.matrix)}; });
  t.add(
      "lstm", "lstm(x[0], x[1])", [](const Variables& x) { return F::lstm(x[0], x[1]); },
      [](const Size& s) {
        return Inputs{normal({s.rows(), s.columns() / 4}), normal({s.rows(), s.columns() / 4 * 4})};
      });
  t.add(
      "maxout", "x[0].view(len(x[0]), -1, 4).max(2).values", [](const Variables& x) { return F::maxout(x[0], 4); },
      [](const Size& s) { return Inputs{normal(s.matrix)}; });
  t.add(
      "prelu", "F.prelu(x[0], x[1])", [](const Variables& x) { return F::prelu(x[0], x[1]); },
      [](const Size& s) {
        return Inputs{normal(s.matrix), normal({s.columns()})};
      });
  t.add(
       "rrelu", "F.rrelu(x[0], training=True)", [](const Variables& x) { return F::rrelu(x[0]); },
       [](const Size& s) { return Inputs{normal(s.line())}; })
      .drawn();
  t.add(
      "slstm", "slstm(*x)", [](const Variables& x) { return F::slstm(x[0], x[1], x[2], x[3]); },
      [](const Size& s) {
        const Input c = normal({s.rows(), s.columns() / 4}), gates = normal({s.rows(), s.columns() / 4 * 4});
        return Inputs{c, c, gates, gates};
      });
  t.add(
      "softmax", "F.softmax(x[0], 1)", [](const Variables& x) { return F::softmax(x[0]); },
      [](const Size& s) { return Inputs{normal(s.matrix)}; });
  t.add(
      "swish", "x[0] * torch.sigmoid(x[1] * x[0])", [](const Variables& x) { return F::swish(x[0], x[1]); },
      [](const Size& s) {
        return Inputs{normal(s.matrix), normal({s.columns()})};
      });
  t.add(
      "tree_lstm", "tree_lstm(*x)", [](const Variables& x) { return F::tree_lstm(x); },
      [](const Size& s) {
        const int64_t d = s.columns() / 5;
        return Inputs{normal({s.rows(), d}), normal({s.rows(), d}), normal({s.rows(), 5 * d})};
      });
}

}  // namespace bench
