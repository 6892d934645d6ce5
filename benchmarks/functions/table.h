// SPDX-License-Identifier: MIT
// The table of bench_functions. A row is a function's name, the PyTorch expression, the function and its inputs at
// three sizes. `bench_functions --list` prints the expressions for peers/functions.py.
#pragma once
#include <chainer/chainer.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace bench {

using namespace chainer;

/// Describes an input, so that both programs create equivalent ones.
struct Input {
  enum class Kind { normal, uniform, integers, permutation } kind;
  Shape shape;
  double low = 0, high = 0;
  bool gradient = true;
  Array make() const;
};
using Inputs = std::vector<Input>;
inline Input normal(const Shape& s) { return {Input::Kind::normal, s}; }
inline Input uniform(double low, double high, const Shape& s) { return {Input::Kind::uniform, s, low, high}; }
/// int64 numbers from low to high - 1, without gradient.
inline Input integers(double low, double high, const Shape& s) { return {Input::Kind::integers, s, low, high, false}; }
/// A permutation of the integers below n.
inline Input permutation(int64_t n) { return {Input::Kind::permutation, {n}, 0, 0, false}; }
/// The same input without gradient.
inline Input fixed(Input i) { return i.gradient = false, i; }
/// The same input several times.
Inputs several(int64_t count, const Input& i);

/// The sizes: about 64 elements, a number that fits a core's cache, ten million.
struct Size {
  std::string name;
  int64_t n;
  Shape matrix, signals, images, volumes;
  Shape line() const { return {n}; }
  int64_t rows() const { return matrix[0]; }
  int64_t columns() const { return matrix[1]; }
  int64_t channels() const { return images[1]; }
};
const std::vector<Size>& sizes();
/// Returns a size of that list by its name, or one made for growth.py: `rows:N` (N rows of 64 columns), `columns:N` (64
/// rows of N columns) or `sides:N` (N x N). Signals, images and volumes grow by their batch, channels or sides.
Size size_of(const std::string& name);

struct Row {
  std::string name;
  std::string torch;  ///< an expression of x, the list of inputs, in the names of peers/functions_torch.py
  std::function<Variables(const Variables&)> function;
  std::function<Inputs(const Size&)> inputs;
  bool backward = true;     ///< else forward only
  bool random = false;      ///< results differ from run to run
  std::size_t largest = 2;  ///< the index of the last size at which it runs

  /// A function without gradient, run forward only.
  Row& data_only();
  Row& drawn() { return random = true, *this; }
  Row& up_to(std::size_t size) { return largest = size, *this; }
};

class Table {
 public:
  template <class Function>
  Row& add(std::string name, std::string torch, Function f, std::function<Inputs(const Size&)> inputs) {
    rows.push_back({std::move(name), std::move(torch),
                    [f](const Variables& x) {
                      if constexpr (std::is_same_v<std::invoke_result_t<Function, const Variables&>, Variables>)
                        return f(x);
                      else
                        return Variables{f(x)};
                    },
                    std::move(inputs)});
    return rows.back();
  }
  /// A function of one vector of numbers from low to high; `torch` is the name of a function.
  template <class Function>
  Row& unary(std::string name, const std::string& torch, Function f, double low = -2, double high = 2) {
    return add(
        std::move(name), torch + "(x[0])", [f](const Variables& x) { return Variables{f(x[0])}; },
        [=](const Size& s) { return Inputs{uniform(low, high, s.line())}; });
  }
  /// A function of two vectors of normal numbers.
  template <class Function>
  Row& binary(std::string name, const std::string& torch, Function f) {
    return add(
        std::move(name), torch + "(x[0], x[1])", [f](const Variables& x) { return Variables{f(x[0], x[1])}; },
        [](const Size& s) {
          return Inputs{normal(s.line()), normal(s.line())};
        });
  }
  /// A function of the manual without a row, and the reason.
  void absent(const std::string& name, const std::string& why) { reasons[name] = why; }

  std::vector<Row> rows;
  std::map<std::string, std::string> reasons;
};

// The rows of each chapter.
void activation(Table& t);
void array_manipulation(Table& t);
void connection(Table& t);
void convolution(Table& t);
void evaluation(Table& t);
void loss(Table& t);
void sequence_loss(Table& t);
void math(Table& t);
void linear_algebra(Table& t);
void math_elementwise(Table& t);
void noise(Table& t);
void normalization(Table& t);
void pooling(Table& t);
void recurrent(Table& t);
/// All rows.
const Table& table();

}  // namespace bench
