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
  // The release normalizes groups with float32 ones: no float64 to compare with.
  t.push_back(row("group_normalization", "",
                  [](const Variables& x) { return F::group_normalization(x[0], 2, x[1], x[2]); },
                  {image, normal({4}), normal({4})})
                  .reference([](const Arrays& x) {
                    const Array g = x[0].reshape({4, 12}), c = g - mean(g, 1, true);
                    const Array n = (c / sqrt(mean(c * c, 1, true) + 1e-5)).reshape({2, 4, 3, 2});
                    return Arrays{n * x[1].reshape({1, 4, 1, 1}) + x[2].reshape({1, 4, 1, 1})};
                  }));
}

}  // namespace table
