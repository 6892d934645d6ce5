// SPDX-License-Identifier: MIT
#include <algorithm>

#include "table.h"

namespace table {

namespace {

// Bilinear interpolation pixel by pixel, with aligned corners.
Array interpolated(const Array& x, int64_t h, int64_t w) {
  const Shape& s = x.shape();
  Array y({s[0], s[1], h, w}, float64);
  const auto place = [](int64_t i, int64_t out, int64_t in) {
    return out == 1 ? 0.0 : static_cast<double>(i) * static_cast<double>(in - 1) / static_cast<double>(out - 1);
  };
  for (int64_t i = 0; i < h; ++i) {
    for (int64_t j = 0; j < w; ++j) {
      const double v = place(i, h, s[2]), u = place(j, w, s[3]);
      const auto top = static_cast<int64_t>(v), left = static_cast<int64_t>(u);
      const int64_t bottom = std::min(top + 1, s[2] - 1), right = std::min(left + 1, s[3] - 1);
      const double dv = v - static_cast<double>(top), du = u - static_cast<double>(left);
      const auto at = [&](int64_t a, int64_t b) { return x[{ellipsis, a, b}]; };
      y.set({ellipsis, i, j}, (at(top, left) * (1 - du) + at(top, right) * du) * (1 - dv) +
                                  (at(bottom, left) * (1 - du) + at(bottom, right) * du) * dv);
    }
  }
  return y;
}

}  // namespace

void array_manipulation(std::vector<OpCase>& t) {
  const Array m = normal({3, 4}), line = normal({4}), column = normal({3, 1}), cube = normal({2, 3, 4});
  const auto one = [&](const std::string& name, const std::string& python, auto f, const Array& x) {
    t.push_back(row(name, python, [f](const Variables& v) { return f(v[0]); }, {x}));
  };
  one(
      "reshape", "F.reshape(x[0], (4, -1))",
      [](const Variable& x) {
        return F::reshape(x, {4, -1});
      },
      cube);
  one("flatten", "F.flatten(x[0])", F::flatten, cube);
  one(
      "expand_dims", "F.expand_dims(x[0], -2)", [](const Variable& x) { return F::expand_dims(x, -2); }, m);
  one(
      "squeeze", "F.squeeze(x[0])", [](const Variable& x) { return F::squeeze(x); }, normal({1, 3, 1}));
  one(
      "squeeze", "F.squeeze(x[0], (0,))", [](const Variable& x) { return F::squeeze(x, 0); }, normal({1, 3, 1}));
  t.push_back(row("transpose", "F.transpose(x[0], (1, 2, 0))",
                  [](const Variables& x) {
                    return F::transpose(x[0], {1, 2, 0});
                  },
                  {cube})
                  .reference([](const Arrays& x) {
                    return Arrays{x[0].transpose({1, 2, 0})};
                  }));
  one(
      "transpose", "x[0].T", [](const Variable& x) { return x.T(); }, cube);
  one(
      "broadcast_to", "F.broadcast_to(x[0], (2, 3, 4))",
      [](const Variable& x) {
        return F::broadcast_to(x, {2, 3, 4});
      },
      column);
  one(
      "sum_to", "F.sum_to(x[0], (3, 1))",
      [](const Variable& x) {
        return F::sum_to(x, {3, 1});
      },
      cube);
  t.push_back(row("broadcast", "F.broadcast(*x)", [](const Variables& x) { return F::broadcast(x); }, {column, line}));
  t.push_back(
      row("concat", "F.concat(x, 1)", [](const Variables& x) { return F::concat(x, 1); }, {m, normal({3, 2}), column}));
  t.push_back(
      row("concat", "F.concat(x, -3)", [](const Variables& x) { return F::concat(x, -3); }, {cube, normal({1, 3, 4})}));
  t.push_back(row("stack", "F.stack(x, -1)", [](const Variables& x) { return F::stack(x, -1); }, {m, m + 1}));
  t.push_back(
      row("split_axis", "F.split_axis(x[0], 2, 1)", [](const Variables& x) { return F::split_axis(x[0], 2, 1); }, {m}));
  t.push_back(row("split_axis", "F.split_axis(x[0], [1, 1, 3], -1)",
                  [](const Variables& x) {
                    return F::split_axis(x[0], std::vector<int64_t>{1, 1, 3}, -1);
                  },
                  {m}));
  one(
      "get_item", "x[0][0:2, 1, None, ...]",
      [](const Variable& x) {
        return x[{Slice(0, 2), 1, newaxis, ellipsis}];
      },
      cube);
  one(
      "get_item", "x[0][::-2]", [](const Variable& x) { return x[{Slice(std::nullopt, std::nullopt, -2)}]; }, m);
  one(
      "get_item", "x[0][[0, 2, 0]]",
      [](const Variable& x) {
        return F::get_item(x, {array({0, 2, 0})});
      },
      m);
  one(
      "get_item", "x[0][x[0].array > 0]", [](const Variable& x) { return F::get_item(x, {x.array() > 0}); }, m);
  one(
      "get_item", "x[0][[0, 1], :, [1, 3]]",
      [](const Variable& x) {
        return F::get_item(x, {array({0, 1}), Slice(), array({1, 3})});
      },
      cube);
  t.push_back(row("where", "F.where(np.array([[1, 0, 1, 1]] * 3, '?'), x[0], F.broadcast_to(x[1], (3, 4)))",
                  [](const Variables& x) {
                    return F::where(array({{1, 0, 1, 1}}).to_device(x[0].device()), x[0], x[1]);
                  },
                  {m, line}));
  one(
      "copy", "F.copy(x[0], -1)", [](const Variable& x) { return F::copy(x, Device()); }, m);
  one(
      "cast", "F.cast(F.cast(x[0], 'd'), x[0].dtype)",
      [](const Variable& x) { return F::cast(F::cast(x, float64), x.dtype()); }, m);

  one(
      "flip", "F.flip(x[0], -1)", [](const Variable& x) { return F::flip(x, -1); }, cube);
  one("fliplr", "F.fliplr(x[0])", F::fliplr, cube);
  one("flipud", "F.flipud(x[0])", F::flipud, line);
  one(
      "moveaxis", "F.moveaxis(x[0], 0, -1)", [](const Variable& x) { return F::moveaxis(x, 0, -1); }, cube);
  one(
      "moveaxis", "F.moveaxis(x[0], (0, 2), (-1, 0))",
      [](const Variable& x) {
        return F::moveaxis(x, Dims{0, 2}, Dims{-1, 0});
      },
      cube);
  one(
      "rollaxis", "F.rollaxis(x[0], 2)", [](const Variable& x) { return F::rollaxis(x, 2); }, cube);
  one(
      "rollaxis", "F.rollaxis(x[0], 0, 3)", [](const Variable& x) { return F::rollaxis(x, 0, 3); }, cube);
  one(
      "rollaxis", "F.rollaxis(x[0], -1, -2)", [](const Variable& x) { return F::rollaxis(x, -1, -2); }, cube);
  one(
      "swapaxes", "F.swapaxes(x[0], 0, -1)", [](const Variable& x) { return F::swapaxes(x, 0, -1); }, cube);
  t.push_back(row("hstack", "F.hstack(x)", [](const Variables& x) { return F::hstack(x); }, {m, column}));
  t.push_back(row("hstack", "F.hstack(x)", [](const Variables& x) { return F::hstack(x); }, {line, normal({2})}));
  t.push_back(row("hstack", "F.hstack(x)", [](const Variables& x) { return F::hstack(x); }, {normal({}), normal({})}));
  t.push_back(row("vstack", "F.vstack(x)", [](const Variables& x) { return F::vstack(x); }, {m, normal({1, 4})}));
  t.push_back(row("vstack", "F.vstack(x)", [](const Variables& x) { return F::vstack(x); }, {line, normal({4})}));
  t.push_back(row("dstack", "F.dstack(x)", [](const Variables& x) { return F::dstack(x); }, {m, normal({3, 4})}));
  t.push_back(row("dstack", "F.dstack(x)", [](const Variables& x) { return F::dstack(x); }, {line, normal({4})}));
  one(
      "repeat", "F.repeat(x[0], 2)", [](const Variable& x) { return F::repeat(x, {2}); }, m);
  one(
      "repeat", "F.repeat(x[0], (1, 0, 3), 0)",
      [](const Variable& x) {
        return F::repeat(x, {1, 0, 3}, 0);
      },
      m);
  one(
      "repeat", "F.repeat(x[0], 3, -1)", [](const Variable& x) { return F::repeat(x, {3}, -1); }, cube);
  one(
      "tile", "F.tile(x[0], 2)", [](const Variable& x) { return F::tile(x, {2}); }, m);
  one(
      "tile", "F.tile(x[0], (2, 1, 3))",
      [](const Variable& x) {
        return F::tile(x, {2, 1, 3});
      },
      m);
  one(
      "tile", "F.tile(x[0], (2, 3))",
      [](const Variable& x) {
        return F::tile(x, {2, 3});
      },
      cube);
  one(
      "permutate", "F.permutate(x[0], np.array([2, 0, 1], 'i'))",
      [](const Variable& x) {
        return F::permutate(x, array({2, 0, 1}));
      },
      m);
  one(
      "permutate", "F.permutate(x[0], np.array([2, 0, 3, 1], 'i'), axis=1, inv=True)",
      [](const Variable& x) {
        return F::permutate(x, array({2, 0, 3, 1}), 1, {.inv = true});
      },
      m);
  t.push_back(row("select_item", "F.select_item(x[0], x[1])",
                  [](const Variables& x) { return F::select_item(x[0], x[1]); }, {m, array({3, 0, 1})}));
  one(
      "separate", "F.separate(x[0], axis=1)", [](const Variable& x) { return F::separate(x, 1); }, cube);
  one(
      "separate", "F.separate(x[0])", [](const Variable& x) { return F::separate(x); }, line);
  t.push_back(row("scatter_add", "F.scatter_add(x[0], (slice(0, 2), 1), x[1])",
                  [](const Variables& x) {
                    return F::scatter_add(x[0], {Slice(0, 2), 1}, x[1]);
                  },
                  {m, normal({2})}));
  t.push_back(row("scatter_add", "F.scatter_add(x[0], [0, 2, 0], x[1])",
                  [](const Variables& x) {
                    return F::scatter_add(x[0], {array({0, 2, 0})}, x[1]);
                  },
                  {m, normal({3, 4})}));
  one(
      "diagonal", "F.diagonal(x[0])", [](const Variable& x) { return F::diagonal(x); }, m);
  one(
      "diagonal", "F.diagonal(x[0], offset=-1)", [](const Variable& x) { return F::diagonal(x, -1); }, m);
  one(
      "diagonal", "F.diagonal(x[0], 1, 2, 0)", [](const Variable& x) { return F::diagonal(x, 1, 2, 0); }, cube);
  one(
      "depth2space", "F.depth2space(x[0], 2)", [](const Variable& x) { return F::depth2space(x, 2); },
      normal({2, 8, 3, 2}));
  one(
      "space2depth", "F.space2depth(x[0], 2)", [](const Variable& x) { return F::space2depth(x, 2); },
      normal({2, 3, 4, 6}));
  one(
      "pad", "F.pad(x[0], ((1, 2), (0, 3)), 'constant', constant_values=0)",
      [](const Variable& x) {
        return F::pad(x, {{1, 2}, {0, 3}}, "constant");
      },
      m);
  one(
      "pad", "F.pad(x[0], 1, 'constant', constant_values=2.5)",
      [](const Variable& x) {
        return F::pad(x, {{1, 1}}, "constant", {.constant_values = 2.5});
      },
      cube);
  for (const char* mode : {"edge", "wrap", "symmetric", "reflect"})  // the release has no gradients for these modes
    one(
        "pad", "",
        [mode](const Variable& x) {
          return F::pad(x, {{2, 1}, {1, 2}}, mode);
        },
        m);
  t.push_back(row("pad_sequence", "F.pad_sequence(x)", [](const Variables& x) { return F::pad_sequence(x); },
                  {m, normal({1, 4}), normal({2, 4})}));
  t.push_back(row("pad_sequence", "F.pad_sequence(x, length=5, padding=-1.5)",
                  [](const Variables& x) { return F::pad_sequence(x, {.length = 5, .padding = -1.5}); },
                  {line, normal({2})}));
  t.push_back(row("transpose_sequence", "F.transpose_sequence(x)",
                  [](const Variables& x) { return F::transpose_sequence(x); }, {m, normal({2, 4}), normal({1, 4})}));

  const Array image = normal({2, 3, 5, 4});
  const auto patches = [&](const std::string& python, IntPair ksize, const F::Im2colOptions& o) {
    t.push_back(row("im2col", "F.im2col(x[0], " + python + ")",
                    [=](const Variables& x) { return F::im2col(x[0], ksize, o); }, {image}));
  };
  patches("3", 3, {});
  patches("(2, 3), stride=2, pad=1", {2, 3}, {.stride = 2, .pad = 1});
  patches("2, stride=(3, 2), pad=(0, 1), cover_all=True", 2, {.stride = {3, 2}, .pad = {0, 1}, .cover_all = true});
  patches("2, dilate=(2, 3)", 2, {.dilate = {2, 3}});
  patches("1, stride=4", 1, {.stride = 4});
  for (const auto& [h, w] : {std::pair(7, 3), std::pair(2, 9), std::pair(1, 1), std::pair(5, 4)})
    t.push_back(row("resize_images", "",  // the release accepts float32 only
                    [h = h, w = w](const Variables& x) {
                      return F::resize_images(x[0], {h, w});
                    },
                    {image})
                    .reference([h = h, w = w](const Arrays& x) { return Arrays{interpolated(x[0], h, w)}; }));
  const Array theta = normal({2, 2, 3}) * 0.5;
  for (const auto& [h, w] : {std::pair(3, 4), std::pair(1, 2), std::pair(1, 1)})
    t.push_back(row("spatial_transformer_grid", text("F.spatial_transformer_grid(x[0], (", h, ", ", w, "))"),
                    [h = h, w = w](const Variables& x) {
                      return F::spatial_transformer_grid(x[0], {h, w});
                    },
                    {theta}));
  for (double spread : {0.5, 1.5})  // inside, and partly outside
    t.push_back(row("spatial_transformer_sampler", "F.spatial_transformer_sampler(*x)",
                    [](const Variables& x) { return F::spatial_transformer_sampler(x[0], x[1]); },
                    {image, tanh(normal({2, 2, 3, 2})) * spread}));
  t.push_back(row("spatial_transformer_sampler", "F.spatial_transformer_sampler(*x)",
                  [](const Variables& x) { return F::spatial_transformer_sampler(x[0], x[1]); },
                  {normal({1, 1, 1, 3}), tanh(normal({1, 2, 1, 2}))}));

  // Neither function is in the release. A separate generator keeps the inputs of other rows unchanged.
  random::RandomState r(9);
  for (const auto& [a, indices, b] :
       std::vector<std::tuple<Array, Indices, Array>>{{r.randn({3, 4}), {array({0, 2, 0})}, r.randn({3, 4})},
                                                      {r.randn({3, 4}), {ellipsis, array({1, 0, 1, 3})}, r.randn({4})},
                                                      {r.randn({4, 2}), {Slice(0, 2), 1}, r.randn({2})}}) {
    t.push_back(row("scatter_max", "",
                    [indices = indices](const Variables& x) { return F::scatter_max(x[0], indices, x[1]); }, {a, b}));
    t.push_back(row("scatter_mean", "",
                    [indices = indices](const Variables& x) { return F::scatter_mean(x[0], indices, x[1]); }, {a, b}));
  }

  const auto rotary = [&](const Array& x, const F::RotaryEmbeddingOptions& o) {
    t.push_back(
        row("rotary_embedding", not_in_release, [=](const Variables& v) { return F::rotary_embedding(v[0], o); }, {x})
            .reference([=](const Arrays& v) {
              const int64_t last = v[0].shape(-1), n = o.size ? o.size : last, length = v[0].shape(-2);
              const Array at = o.positions ? o.positions : arange(length);
              const Array angle = at.astype(float64).reshape({length, 1}) *
                                  exp(arange(n / 2).astype(float64) * (-2.0 / double(n) * std::log(o.base)));
              const Array c = cos(angle).astype(v[0].dtype()), s = sin(angle).astype(v[0].dtype());
              const Slice first = o.interleaved ? Slice(0, n, 2) : Slice(0, n / 2);
              const Slice second = o.interleaved ? Slice(1, n, 2) : Slice(n / 2, n);
              const Array a = v[0][{ellipsis, first}], b = v[0][{ellipsis, second}];
              Array y = v[0].copy();
              y.set({ellipsis, first}, a * c - b * s);
              y.set({ellipsis, second}, b * c + a * s);
              return Arrays{y};
            }));
  };
  rotary(normal({3, 4}), {});
  rotary(normal({2, 1, 3, 6}), {.base = 100, .interleaved = true});
  rotary(normal({2, 3, 5}), {.base = 10, .size = 4, .positions = array({7, 0, -2})});
  rotary(normal({3, 5}), {.interleaved = true, .size = 2});
}

}  // namespace table
