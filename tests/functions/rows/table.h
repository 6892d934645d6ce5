// SPDX-License-Identifier: MIT
// The table of functions. A row has a name, the expression for the reference release, the function and its inputs. It
// is used by the harness (chainer::testing::check_op), the conformance generator and the test of completeness.
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
  /// For elementwise functions of one argument: the formula for a number.
  Row& formula(double (*f)(double));
  Row& no_repeats() { return case_.repeats = false, *this; }
  Row& no_gradient() { return case_.differentiable = false, *this; }
  operator OpCase() const { return case_; }

 private:
  OpCase case_;
};
/// Seeds the inputs of the next row from the row made last: a new row changes the inputs of at most the row after it.
void draw_after(const std::string& name, const std::string& python);
uint32_t hash(const std::string& text);
template <class F>
Row row(std::string name, std::string python, F function, Arrays inputs) {
  draw_after(name, python);
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
/// The expression of a function that release 5.4.0 lacks: the row is compared with its reference only.
inline constexpr const char* not_in_release = "";

// Inputs, the same in every run: normal numbers, normal numbers away from zero (where many functions have a corner),
// positive numbers (0.3 to 2), and numbers of which no two are closer than 0.03 (for maxima).
Array normal(const Shape& s);
Array away(const Shape& s);
Array positive(const Shape& s);
Array apart(const Shape& s);

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
void unary(std::vector<OpCase>& t);  // rows/unary.h: functions of one number
void unusual(std::vector<OpCase>& t);
/// All rows.
const std::vector<OpCase>& rows();
/// The keys of rows in conformance/functions.npz. Each is made from a row's name, expression and shapes of inputs, so
/// new rows do not change other keys.
std::vector<std::string> keys();

}  // namespace table
