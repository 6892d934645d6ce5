// SPDX-License-Identifier: MIT
#include "table.h"

namespace table {

void normalization(std::vector<OpCase>& t) {
  const Array m = normal({3, 4}), cube = normal({2, 3, 4}), image = normal({2, 4, 3, 2});
  t.push_back(row("normalize", "F.normalize(x[0])", [](const Variables& x) { return F::normalize(x[0]); }, {m}));
  t.push_back(row("normalize", "F.normalize(x[0], eps=0.1, axis=(1, 2))",
                  [](const Variables& x) {
                    return F::normalize(x[0], {.eps = 0.1, .axis = {1, 2}});
                  },
                  {cube}));
  t.push_back(row("normalize", "F.normalize(x[0], axis=0)",
                  [](const Variables& x) { return F::normalize(x[0], {.axis = 0}); }, {cube}));
  t.push_back(row("layer_normalization", "F.layer_normalization(*x)",
                  [](const Variables& x) { return F::layer_normalization(x[0], x[1], x[2]); },
                  {m, normal({4}), normal({4})}));
  t.push_back(row("layer_normalization", "F.layer_normalization(*x, eps=0.3)",
                  [](const Variables& x) { return F::layer_normalization(x[0], x[1], x[2], {.eps = 0.3}); },
                  {normal({1, 5}), normal({5}), normal({5})}));
  // The release normalizes groups with float32 constants, so there is no float64 to compare with.
  t.push_back(row("group_normalization", "",
                  [](const Variables& x) { return F::group_normalization(x[0], 2, x[1], x[2]); },
                  {image, normal({4}), normal({4})})
                  .reference([](const Arrays& x) {
                    const Array g = x[0].reshape({4, 12}), c = g - mean(g, 1, true);
                    const Array n = (c / sqrt(mean(c * c, 1, true) + 1e-5)).reshape({2, 4, 3, 2});
                    return Arrays{n * x[1].reshape({1, 4, 1, 1}) + x[2].reshape({1, 4, 1, 1})};
                  }));

  const auto add = [&](const std::string& name, const std::string& python, auto f, const Arrays& in) {
    t.push_back(row(name, python, f, in).no_repeats());
  };
  using Vs = const Variables&;
  const std::string front = "F.transpose(x[0], (0, 3, 1, 2))", rest = ", *x[1:]";
  const auto to_front = [](const Variable& x) { return F::transpose(x, {0, 3, 1, 2}); };
  const Array last = normal({3, 2, 2, 5}), g3 = normal({3}), b3 = normal({3}), g4 = normal({4}), b4 = normal({4}),
              g5 = normal({5}), b5 = normal({5}), many = normal({300, 3}), wide = normal({9, 70});
  add("batch_normalization", "F.batch_normalization(*x)", [](Vs x) { return F::batch_normalization(x[0], x[1], x[2]); },
      {normal({5, 3}), g3, b3});
  add("batch_normalization", "F.batch_normalization(*x, eps=0.1)",
      [](Vs x) { return F::batch_normalization(x[0], x[1], x[2], {.eps = 0.1}); }, {image, g4, b4});
  add("batch_normalization", "F.batch_normalization(" + front + rest + ")",
      [to_front](Vs x) { return F::batch_normalization(to_front(x[0]), x[1], x[2]); }, {last, g5, b5});
  add("batch_normalization", "F.batch_normalization(*x, axis=(0, 1, 2), eps=0.01)",
      [](Vs x) {
        return F::batch_normalization(x[0], x[1], x[2], {.eps = 0.01, .axis = {0, 1, 2}});
      },
      {last, g5, b5});
  add("batch_normalization", "F.batch_normalization(*x, axis=(0, 2))",
      [](Vs x) {
        return F::batch_normalization(x[0], x[1], x[2], {.axis = {0, 2}});
      },
      {normal({3, 2, 4, 3}), normal({2, 3}), normal({2, 3})});
  add("batch_normalization", "F.batch_normalization(*x)", [](Vs x) { return F::batch_normalization(x[0], x[1], x[2]); },
      {normal({4, 2, 3}), normal({2, 3}), normal({2, 3})});
  add("batch_normalization", "F.batch_normalization(*x, axis=1)",
      [](Vs x) { return F::batch_normalization(x[0], x[1], x[2], {.axis = 1}); }, {normal({3, 6}), g3, b3});
  add("batch_normalization", "F.batch_normalization(*x)", [](Vs x) { return F::batch_normalization(x[0], x[1], x[2]); },
      {many, g3, b3});
  add("batch_normalization", "F.batch_normalization(*x)", [](Vs x) { return F::batch_normalization(x[0], x[1], x[2]); },
      {wide, normal({70}), normal({70})});
  const auto fixed = [&](const std::string& options, auto f, const Array& x, const Shape& keys) {
    add("fixed_batch_normalization", "F.fixed_batch_normalization(*x" + options + ")", f,
        {x, normal(keys), normal(keys), normal(keys), positive(keys)});
  };
  fixed("", [](Vs x) { return F::fixed_batch_normalization(x[0], x[1], x[2], x[3], x[4]); }, image, {4});
  fixed(", eps=0.1", [](Vs x) { return F::fixed_batch_normalization(x[0], x[1], x[2], x[3], x[4], {.eps = 0.1}); }, m,
        {4});
  fixed(", axis=(0, 2)",
        [](Vs x) {
          return F::fixed_batch_normalization(x[0], x[1], x[2], x[3], x[4], {.axis = {0, 2}});
        },
        last, {2, 5});
  for (const Array& x : {image, m, normal({1, 4, 2})})
    add("fixed_batch_renormalization", "F.fixed_batch_renormalization(*x)",
        [](Vs v) { return F::fixed_batch_renormalization(v[0], v[1], v[2], v[3], v[4]); },
        {x, g4, b4, normal({4}), positive({4})});
  // r and d are constants for the gradient: the batches are so far from the running statistics that both are at their
  // bounds, where finite differences do not change them either.
  const auto renormalize = [&](const Array& x, double rmax, double dmax, double eps) {
    add("batch_renormalization",
        text("F.batch_renormalization(*x, ", rmax, ", ", dmax, ", eps=", eps,
             ", running_mean=np.array([5., -5., 4., -6.]), running_var=np.array([0.01, 0.02, 25., 36.]))"),
        [rmax, dmax, eps](Vs v) {
          return F::batch_renormalization(
              v[0], v[1], v[2], rmax, dmax,
              {.eps = eps, .running_mean = array({5., -5., 4., -6.}), .running_var = array({0.01, 0.02, 25., 36.})});
        },
        {x, g4, b4});
  };
  renormalize(image, 1, 0, 2e-5);
  renormalize(image, 3, 0.5, 0.015625);
  renormalize(normal({6, 4}), 1.5, 0.25, 0.125);
  add("local_response_normalization", "F.local_response_normalization(x[0])",
      [](Vs x) { return F::local_response_normalization(x[0]); }, {image});
  add("local_response_normalization", "F.local_response_normalization(x[0], n=3, k=1, alpha=0.5, beta=0.6)",
      [](Vs x) { return F::local_response_normalization(x[0], {.n = 3, .k = 1, .alpha = 0.5, .beta = 0.6}); },
      {normal({2, 7})});
  add("local_response_normalization", "F.local_response_normalization(" + front + ", n=4, k=0.5, alpha=1, beta=1)",
      [to_front](Vs x) {
        return F::local_response_normalization(to_front(x[0]), {.n = 4, .k = 0.5, .alpha = 1, .beta = 1});
      },
      {last});

  const auto rms = [&](const Array& x, double eps) {
    const Array gamma = normal({x.shape(-1)});
    t.push_back(row("rms_normalization", not_in_release,
                    [=](const Variables& v) { return F::rms_normalization(v[0], v[1], {.eps = eps}); }, {x, gamma})
                    .reference([=](const Arrays& v) {
                      return Arrays{v[0] / sqrt(mean(square(v[0]), -1, true) + eps) * v[1]};
                    }));
  };
  rms(normal({3, 5}), 1e-6);
  rms(normal({2, 1, 2, 7}), 0.5);
  rms(normal({4}), 1e-3);

  // Groups of channels as matrices (groups, n, elements), and back.
  const auto grouped = [](const Array& x, int64_t groups) {
    return moveaxis(x, 1, 0).reshape({groups, x.shape()[1] / groups, x.size() / x.shape()[1]});
  };
  const auto ungrouped = [](const Array& y, const Array& x) {
    Shape s = moveaxis(x, 1, 0).shape();
    return moveaxis(y.reshape(s), 0, 1);
  };
  const auto decorrelated = [&](const Array& x, int64_t groups, double eps) {
    t.push_back(row("decorrelated_batch_normalization", not_in_release,
                    [=](const Variables& v) {
                      return F::decorrelated_batch_normalization(v[0], {.groups = groups, .eps = eps});
                    },
                    {x})
                    .no_repeats()
                    .reference([=](const Arrays& v) {
                      const Array rows = grouped(v[0], groups), c = rows - mean(rows, 2, true);
                      // The inverse of the root that Newton's iteration finds.
                      const int64_t n = c.shape()[1];
                      const Array a = matmul(c, swapaxes(c, 1, 2)) / static_cast<double>(c.shape()[2]) +
                                      eye(n, {}, 0, float64) * eps;
                      Array root = zeros_like(a) + eye(n, {}, 0, float64);
                      for (int i = 0; i < 60; ++i) root = (root + matmul(inv(root), a)) * 0.5;
                      return Arrays{ungrouped(matmul(inv(root), c), v[0])};
                    }));
  };
  decorrelated(normal({6, 4}), 2, 0.1);
  decorrelated(normal({3, 3, 4}), 1, 0.01);
  decorrelated(normal({2, 4, 2, 3}), 4, 0.5);
  const auto fixed_projection = [&](const Array& x, int64_t groups) {
    const int64_t n = x.shape()[1] / groups;
    t.push_back(row("fixed_decorrelated_batch_normalization", not_in_release,
                    [=](const Variables& v) {
                      return F::fixed_decorrelated_batch_normalization(v[0], v[1], v[2], {.groups = groups});
                    },
                    {x, normal({groups, n}), normal({groups, n, n})})
                    .no_repeats()
                    .reference([=](const Arrays& v) {
                      const Array c = grouped(v[0], groups) - expand_dims(v[1], 2);
                      return Arrays{ungrouped(matmul(v[2], c), v[0])};
                    }));
  };
  fixed_projection(normal({3, 4}), 2);
  fixed_projection(normal({2, 3, 2, 2}), 1);
  fixed_projection(normal({2, 6, 3}), 3);
}

}  // namespace table
