// SPDX-License-Identifier: MIT
// Prints random expressions on arrays as lines of Python with the results of this library, for check_arrays.py:
// array_cases COUNT SEED
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "python_cases.h"

using namespace chainer;
using namespace python_cases;

namespace {

struct Place {
  Indices value;
  std::string python;
};

class Cases : Draws {
 public:
  using Draws::Draws;
  void print() {
    switch (draw(8)) {
      case 0:
      case 1: return selection();
      case 2: return assignment();
      case 3: return reduction();
      case 4: return along_an_axis();
      case 5: return arithmetic();
      case 6: return manipulation();
      default: return product();
    }
  }

 private:
  void print_case(const std::string& python, const std::function<Array()>& f) {
    std::string result;
    try {
      const Array y = f();
      result = text("'", y.dtype(), "', ", tuple(y.shape()), ", ", list(y));
    } catch (const std::exception&) { result = "'error', (), []"; }
    std::printf("check(lambda: %s, %s)\n", python.c_str(), result.c_str());
  }

  Dtype dtype() {
    constexpr Dtype kTypes[] = {float32, float64, float16, int32, int64, int8, uint8, bool_};
    return kTypes[draw(8)];
  }
  Shape shape(int axes = 4, int least = 0) {
    Shape s;
    for (int left = least + draw(axes + 1 - least); left > 0; --left) s.push_back(once_in(12) ? 0 : 1 + draw(4));
    return s;
  }
  // Returns a shape that broadcasts with `s`.
  Shape narrower(Shape s) {
    for (int d = 0; d < s.ndim(); ++d)
      if (once_in(4)) s[d] = 1;
    if (s.ndim() > 1 && once_in(4)) s.erase(0);
    return s;
  }
  Term array_of(const Shape& s, Dtype d, bool special = false) {
    std::vector<double> values;
    for (int64_t i = s.product(); i > 0; --i) {
      if (d == bool_)
        values.push_back(draw(2));
      else if (d == uint8)
        values.push_back(draw(9));
      else if (!is_floating(d))
        values.push_back(draw(17) - 8);
      else
        values.push_back(special && once_in(8) ? (once_in(3) ? INFINITY : NAN) : (draw(33) - 16) * 0.25);
    }
    std::string python = "array([";
    for (double v : values) python += number(v) + ",";
    Array a = array(values).astype(d).reshape(s);
    if (s.ndim() > 1 && once_in(3)) a = a.T().copy().T();  // a different memory order
    return {a, python + text("], '", d, "', ", tuple(s), ")")};
  }
  int64_t axis_of(const Shape& s) { return draw(s.ndim() + once_in(20)) - (once_in(2) ? s.ndim() : 0); }

  Place place(const Shape& s) {
    Place out{{}, "("};
    const auto add = [&](Index i, const std::string& python) {
      out.value.push_back(std::move(i));
      out.python += python + ",";
    };
    const bool advanced = !once_in(3);
    Shape together;
    for (int left = draw(3); left > 0; --left) together.push_back(1 + draw(3));
    int axis = 0;
    bool dots = false;
    for (int left = draw(s.ndim() + 2); left > 0; --left) {
      const int what = draw(advanced ? 9 : 6);
      const int64_t n = axis < s.ndim() ? s[axis] : 1;
      const auto position = [&] { return once_in(40) ? n : n ? draw(static_cast<int>(n)) - (once_in(2) ? n : 0) : 0; };
      if (what == 0) {
        add(newaxis, "None");
      } else if (what == 1 && !dots) {
        add(ellipsis, "...");
        dots = true;
      } else if (axis >= s.ndim()) {
        continue;
      } else if (what <= 2) {
        const int64_t i = position();
        add(i, text(i));
        ++axis;
      } else if (what <= 5) {
        const auto bound = [&]() -> std::optional<int64_t> {
          if (once_in(3)) return {};
          return draw(11) - 5;
        };
        const Slice slice(bound(), bound(), std::array{1, 1, -1, 2, -2}[static_cast<std::size_t>(draw(5))]);
        add(slice, text("slice(", optional(slice.start), ",", optional(slice.stop), ",", slice.step, ")"));
        ++axis;
      } else if (what <= 7) {
        const Shape picked = narrower(together);
        std::vector<int64_t> at;
        for (int64_t i = picked.product(); i > 0; --i) at.push_back(position());
        add(array(at).reshape(picked), text("array(", tuple(at), ", 'int64', ", tuple(picked), ")"));
        ++axis;
      } else {
        const int axes = std::min(draw(3), s.ndim() - axis);
        const Term mask = array_of(Shape(s.begin() + axis, s.begin() + axis + axes), bool_);
        add(mask.value, mask.python);
        axis += axes;
      }
    }
    out.python += ")";
    return out;
  }

  void selection() {
    const Shape s = shape();
    const Term a = array_of(s, dtype());
    const Place at = place(s);
    print_case(a.python + "[" + at.python + "]", [&] { return get_item(a.value, at.value); });
  }
  void assignment() {
    const Shape s = shape();
    const Dtype d = dtype();
    const Term a = array_of(s, d);
    const Place at = place(s);
    Shape chosen;
    try {
      chosen = get_item(a.value, at.value).shape();
    } catch (const Error&) { return; }  // selection() compares these
    if (chosen.product() == 0) return;  // NumPy checks positions even then
    const Term v = array_of(narrower(chosen), d);
    const bool adds = d != bool_ && once_in(3);
    print_case(text(adds ? "added(" : "changed(", a.python, ",", at.python, ",", v.python, ")"), [&] {
      Array out = a.value.copy();
      adds ? add_at(out, at.value, v.value) : set_item(out, at.value, v.value);
      return out;
    });
  }

  void reduction() {
    const Shape s = shape();
    const Term a = array_of(s, dtype(), once_in(3));
    Axes axes;
    std::string python = "None";
    if (s.ndim() && !once_in(3)) {
      Dims list;
      for (int left = 1 + draw(s.ndim()); left > 0; --left) list.push_back(axis_of(s));
      axes = Axes(list);
      python = tuple(list);
    }
    const bool keepdims = once_in(2);
    using Function = Array (*)(const Array&, const Axes&, bool);
    static constexpr std::pair<const char*, Function> kFunctions[] = {
        {"sum", [](const Array& x, const Axes& d, bool k) { return chainer::sum(x, d, k); }},
        {"prod", [](const Array& x, const Axes& d, bool k) { return chainer::prod(x, d, k); }},
        {"max", [](const Array& x, const Axes& d, bool k) { return chainer::max(x, d, k); }},
        {"min", [](const Array& x, const Axes& d, bool k) { return chainer::min(x, d, k); }},
        {"mean", [](const Array& x, const Axes& d, bool k) { return chainer::mean(x, d, k); }},
        {"var", [](const Array& x, const Axes& d, bool k) { return chainer::var(x, d, k); }},
        {"std", [](const Array& x, const Axes& d, bool k) { return chainer::std(x, d, k); }},
        {"all", [](const Array& x, const Axes& d, bool k) -> Array { return chainer::all(x, d, k); }},
        {"any", [](const Array& x, const Axes& d, bool k) -> Array { return chainer::any(x, d, k); }},
        {"count_nonzero", [](const Array& x, const Axes& d, bool k) { return count_nonzero(x, d, k); }},
    };
    const auto& [name, f] = kFunctions[draw(10)];
    const Function function = f;  // Clang 14 captures no structured bindings
    print_case(text("np.", name, "(", a.python, ", axis=", python, ", keepdims=", truth(keepdims), ")"),
               [&] { return function(a.value, axes, keepdims); });
  }
  void along_an_axis() {
    const Shape s = shape(4, 1);
    const int what = draw(6);
    const Dtype d = dtype();  // products in float16 go through float32 here
    const Term a = array_of(s, what == 3 && d == float16 ? float32 : d, once_in(3));
    std::optional<int64_t> axis = axis_of(s);
    if (what != 4 && once_in(4)) axis = {};
    const char* names[] = {"argmax", "argmin", "cumsum", "cumprod", "sort", "repeat"};
    print_case(text("np.", names[what], "(", a.python, what == 5 ? ", 3" : "", ", axis=", optional(axis), ")"),
               [&]() -> Array {
                 switch (what) {
                   case 0: return argmax(a.value, axis);
                   case 1: return argmin(a.value, axis);
                   case 2: return chainer::cumsum(a.value, axis);
                   case 3: return chainer::cumprod(a.value, axis);
                   case 4: return chainer::sort(a.value, *axis);
                   default: return chainer::repeat(a.value, 3, axis);
                 }
               });
  }

  // At least one axis: the dtype of results with 0-d operands differs between releases of NumPy.
  void arithmetic() {
    const Shape s = shape(3, 1);
    const Term a = array_of(s, dtype()), b = array_of(narrower(s), dtype());
    const int what = draw(12);
    if ((what == 8 || what == 9) && a.value.dtype() == bool_) return;  // may be int8 in NumPy
    const char* forms[] = {"{} + {}",
                           "{} - {}",
                           "{} * {}",
                           "{} / {}",
                           "{} < {}",
                           "{} <= {}",
                           "{} == {}",
                           "{} != {}",
                           "{} ** {}",
                           "{} // {}",
                           "np.maximum({}, {})",
                           "np.minimum({}, {})"};
    const auto run = [&](const auto& x, const auto& y) -> Array {
      switch (what) {
        case 0: return x + y;
        case 1: return x - y;
        case 2: return x * y;
        case 3: return x / y;
        case 4: return less(x, y);
        case 5: return less_equal(x, y);
        case 6: return equal(x, y);
        case 7: return not_equal(x, y);
        case 8: return power(x, y);
        case 9: return floor_divide(x, y);
        case 10: return maximum(x, y);
        default: return minimum(x, y);
      }
    };
    const auto python = [&](const std::string& x, const std::string& y) {
      std::string out = forms[what];
      out.replace(out.find("{}"), 2, x);
      return out.replace(out.find("{}"), 2, y);
    };
    const int operand = draw(4);
    const int integer = draw(9) - (a.value.dtype() == uint8 && !(what >= 4 && what <= 7) ? 0 : 4);
    const Scalar number = operand == 0 ? Scalar(integer) : Scalar(integer * 0.5);
    const std::string literal = operand == 0 ? text("(", integer, ")") : text("(", integer, " * 0.5)");
    if (operand >= 2)
      print_case(python(a.python, b.python), [&] { return run(a.value, b.value); });
    else if (once_in(2))
      print_case(python(a.python, literal), [&] { return run(a.value, number); });
    else
      print_case(python(literal, a.python), [&] { return run(number, a.value); });
  }

  void manipulation() {
    const Shape s = shape(4, 1);
    const Term a = array_of(s, dtype());
    const int64_t x = axis_of(s), y = axis_of(s);
    const auto call = [&](const char* name, const std::string& more, const std::function<Array()>& f) {
      print_case(text("np.", name, "(", a.python, more.empty() ? "" : ", ", more, ")"), f);
    };
    switch (draw(9)) {
      case 0: return call("expand_dims", text(x), [&] { return expand_dims(a.value, x); });
      case 1: return call("swapaxes", text(x, ",", y), [&] { return swapaxes(a.value, x, y); });
      case 2: return call("moveaxis", text(x, ",", y), [&] { return moveaxis(a.value, x, y); });
      case 3: return call("flip", text(x), [&] { return flip(a.value, x); });
      case 4: return call("squeeze", text(x), [&] { return squeeze(a.value, x); });
      case 5: {
        const Shape to = shape();
        return call("broadcast_to", tuple(to), [&] { return broadcast_to(a.value, to); });
      }
      case 6: {
        Dims times;
        for (int left = 1 + draw(4); left > 0; --left) times.push_back(draw(3));
        return call("tile", tuple(times), [&] { return tile(a.value, times); });
      }
      case 7: {
        Shape to = once_in(2) ? Shape{-1} : Shape{s[0], -1};
        if (once_in(4)) to = shape();
        return call("reshape", tuple(to), [&] { return a.value.reshape(to); });
      }
      default: {
        Shape other = s;
        other[draw(s.ndim())] = draw(4);
        const Term b = array_of(other, dtype());
        const bool stacks = once_in(2);
        print_case(text("np.", stacks ? "stack" : "concatenate", "([", a.python, ",", b.python, "], ", x, ")"), [&] {
          return stacks ? stack({a.value, b.value}, x) : concatenate({a.value, b.value}, x);
        });
      }
    }
  }

  void product() {
    const int64_t n = 1 + draw(3), k = 1 + draw(3), m = 1 + draw(3);
    const Shape batch = shape(2);
    Shape left = narrower(batch), right = narrower(batch);
    left.push_back(n), left.push_back(k);
    right.push_back(once_in(15) ? k + 1 : k), right.push_back(m);
    if (once_in(5)) left = {k};
    if (once_in(5)) right = {k};
    const bool dots = once_in(3);
    const Term a = array_of(left, dtype()), b = array_of(right, dtype());
    print_case(text("np.", dots ? "dot(" : "matmul(", a.python, ",", b.python, ")"),
               [&] { return dots ? dot(a.value, b.value) : matmul(a.value, b.value); });
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: array_cases COUNT SEED\n"), 2;
  Cases cases(static_cast<uint32_t>(std::atol(argv[2])));
  for (long left = std::atol(argv[1]); left > 0; --left) cases.print();
}
