#include "table.h"

namespace table {

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
                    return F::where(array({{1, 0, 1, 1}}), x[0], x[1]);
                  },
                  {m, line}));
  one(
      "copy", "F.copy(x[0], -1)", [](const Variable& x) { return F::copy(x, Device()); }, m);
  one(
      "cast", "F.cast(F.cast(x[0], 'd'), x[0].dtype)",
      [](const Variable& x) { return F::cast(F::cast(x, float64), x.dtype()); }, m);
}

}  // namespace table
