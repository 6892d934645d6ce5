// SPDX-License-Identifier: MIT
#include "table.h"

namespace table {

void connection(std::vector<OpCase>& t) {
  const Array m = normal({3, 4}), cube = normal({2, 3, 4});
  t.push_back(row("linear", "F.linear(*x)", [](const Variables& x) { return F::linear(x[0], x[1], x[2]); },
                  {m, normal({5, 4}), normal({5})})
                  .reference([](const Arrays& x) { return Arrays{matmul(x[0], x[1].T()) + x[2]}; }));
  t.push_back(
      row("linear", "F.linear(*x)", [](const Variables& x) { return F::linear(x[0], x[1]); }, {cube, normal({5, 12})}));
  t.push_back(row("linear", "F.linear(*x, n_batch_axes=2)",
                  [](const Variables& x) { return F::linear(x[0], x[1], x[2], {.n_batch_axes = 2}); },
                  {cube, normal({5, 4}), normal({5})}));
  t.push_back(row("linear", "F.linear(F.linear(*x), x[1])",
                  [](const Variables& x) { return F::linear(F::linear(x[0], x[1]), x[1]); }, {m, normal({4, 4})}));
  t.push_back(row("embed_id", "F.embed_id(np.array([[0, 2], [2, 1]], 'i'), x[0])",
                  [](const Variables& x) {
                    return F::embed_id(array({{0, 2}, {2, 1}}).to_device(x[0].device()), x[0]);
                  },
                  {m}));
  t.push_back(row("embed_id", "F.embed_id(np.array([-1, 2, 1], 'i'), x[0], ignore_label=-1)",
                  [](const Variables& x) {
                    return F::embed_id(array({-1, 2, 1}).to_device(x[0].device()), x[0], {.ignore_label = -1});
                  },
                  {m}));

  // The release accepts float32 only.
  t.push_back(row("bilinear", "", [](const Variables& x) { return F::bilinear(x[0], x[1], x[2]); },
                  {m, normal({3, 3}), normal({4, 3, 2})}));
  t.back().reference = [](const Arrays& x) {
    return Arrays{sum(x[0].reshape({3, 4, 1, 1}) * x[1].reshape({3, 1, 3, 1}) * x[2], {1, 2})};
  };
  t.push_back(row("bilinear", "", [](const Variables& x) { return F::bilinear(x[0], x[1], x[2], x[3], x[4], x[5]); },
                  {cube, normal({2, 3}), normal({12, 3, 2}), normal({12, 2}), normal({3, 2}), normal({2})}));

  // Attention with all scores at once; `keep` is 1 where a score counts, in their shape.
  const auto attention = [&](const Array& q, const Array& k, const Array& v,
                             const F::ScaledDotProductAttentionOptions& o, const Array& keep) {
    t.push_back(row("scaled_dot_product_attention", not_in_release,
                    [=](const Variables& x) { return F::scaled_dot_product_attention(x[0], x[1], x[2], o); }, {q, k, v})
                    .reference([=](const Arrays& x) {
                      const int64_t share = x[0].ndim() > 2 ? x[0].shape(-3) / x[1].shape(-3) : 1;
                      const auto heads = [&](const Array& a) { return share > 1 ? repeat(a, share, -3) : a; };
                      const double scale = o.scale.value_or(1 / std::sqrt(double(x[0].shape(-1))));
                      Array s = matmul(x[0], swapaxes(heads(x[1]), -1, -2)) * scale;
                      if (o.mask && o.mask.dtype() != bool_) s = s + o.mask.astype(s.dtype());
                      Array e = exp(s);
                      if (keep) e = e * keep.astype(s.dtype());
                      return Arrays{matmul(e / (sum(e, -1, true) + 1e-30), heads(x[2]))};
                    }));
  };
  attention(normal({3, 4}), normal({5, 4}), normal({5, 2}), {}, {});
  attention(normal({1, 2, 3, 4}), normal({1, 2, 3, 4}), normal({1, 2, 3, 4}), {.causal = true},
            array({{1, 0, 0}, {1, 1, 0}, {1, 1, 1}}));
  attention(normal({2, 4, 2, 3}), normal({2, 2, 4, 3}), normal({2, 2, 4, 1}), {.causal = true, .scale = 0.5},
            array({{1, 1, 1, 0}, {1, 1, 1, 1}}));
  attention(normal({2, 6, 1, 2}), normal({2, 2, 3, 2}), normal({2, 2, 3, 3}), {.mask = normal({2, 1, 1, 3})}, {});
  attention(normal({2, 3, 2}), normal({1, 3, 2}), normal({1, 3, 2}),
            {.mask = array({{1, 0, 1}, {0, 0, 0}, {0, 1, 1}}).astype(bool_)}, array({{1, 0, 1}, {0, 0, 0}, {0, 1, 1}}));
}

}  // namespace table
