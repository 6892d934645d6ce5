#include "table.h"

namespace table {
namespace {
random::RandomState& generator() {
  static random::RandomState r(11);
  return r;
}
}  // namespace

Array normal(const Shape& s) { return generator().randn(s); }
Array away(const Shape& s) {
  const Array a = normal(s);
  return a + sign(a) * 0.2;
}
Array positive(const Shape& s) { return generator().uniform(0.3, 2, s); }

Row& Row::formula(double (*f)(double)) {
  return reference([f](const Arrays& x) {
    std::vector<double> v = x[0].to_vector<double>();
    for (double& e : v) e = f(e);
    return Arrays{array(v, x[0].shape())};
  });
}

const std::vector<OpCase>& rows() {
  static const std::vector<OpCase> all = [] {
    std::vector<OpCase> t;
    // Each chapter starts the numbers anew: new rows at its end leave the others' inputs as they are.
    for (auto* chapter : {activation, arithmetic, array_manipulation, connection, loss, math, math_elementwise,
                          normalization, other, distributions, unusual, recurrent, pooling, elementwise, convolution}) {
      generator().seed(11);
      chapter(t);
    }
    return t;
  }();
  return all;
}

}  // namespace table
