// The table of functions. A row is a name, the reference's words for it, the function and its inputs: the harness
// (chainer::testing::check_op), the conformance generator and the test of completeness all read it.
#pragma once
#include <chainer/chainer.h>
#include <chainer/testing/testing.h>

#include <vector>

namespace table {

using namespace chainer;
using testing::OpCase;

/// A row under construction:
///   row("clip", "F.clip(x[0], -0.7, 0.9)", [](const Variables& x) { return F::clip(x[0], -0.7, 0.9); }, {normal({3})})
///       .elementwise()
class Row {
 public:
  explicit Row(OpCase c) : case_(std::move(c)) {}
  Row& elementwise() { return case_.elementwise = true, *this; }
  Row& reference(std::function<Arrays(const Arrays&)> f) { return case_.reference = std::move(f), *this; }
  /// Of elementwise functions of one argument: the formula on a number.
  Row& formula(double (*f)(double));
  Row& no_repeats() { return case_.repeats = false, *this; }
  Row& no_gradient() { return case_.differentiable = false, *this; }
  operator OpCase() const { return case_; }

 private:
  OpCase case_;
};
template <class F>
Row row(std::string name, std::string python, F function, Arrays inputs) {
  return Row({.name = std::move(name),
              .python = std::move(python),
              .function =
                  [function](const Variables& x) {
                    if constexpr (std::is_same_v<std::invoke_result_t<F, const Variables&>, Variables>)
                      return function(x);
                    else
                      return Variables{function(x)};
                  },
              .inputs = std::move(inputs)});
}
/// One argument, elementwise, with the formula on a number.
template <class F>
Row unary(const std::string& name, F function, Array input, double (*formula)(double)) {
  return row(name, "F." + name + "(x[0])", [function](const Variables& x) { return function(x[0]); }, {input})
      .elementwise()
      .formula(formula);
}

// Inputs, the same in every run: normal numbers, such away from zero (where many functions have a corner), positive
// ones.
Array normal(const Shape& s);
Array away(const Shape& s);
Array positive(const Shape& s);

// The rows of each chapter.
void activation(std::vector<OpCase>& t);
void arithmetic(std::vector<OpCase>& t);
void array_manipulation(std::vector<OpCase>& t);
void connection(std::vector<OpCase>& t);
void convolution(std::vector<OpCase>& t);
void distributions(std::vector<OpCase>& t);
void elementwise(std::vector<OpCase>& t);
void loss(std::vector<OpCase>& t);
void math(std::vector<OpCase>& t);
void math_elementwise(std::vector<OpCase>& t);
void normalization(std::vector<OpCase>& t);
void other(std::vector<OpCase>& t);
void pooling(std::vector<OpCase>& t);
void recurrent(std::vector<OpCase>& t);
void unusual(std::vector<OpCase>& t);
/// All rows.
const std::vector<OpCase>& rows();

}  // namespace table
