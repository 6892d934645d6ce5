// SPDX-License-Identifier: MIT
#include "chainer/onnx/export_check.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "chainer/autograd/mixed_precision.h"
#include "chainer/array/host.h"
#include "chainer/array/index.h"
#include "chainer/onnx/program.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/random.h"
#include "chainer/routines/reduction.h"

namespace chainer::onnx {
namespace {

Array reversed(const Array& a) { return flip(a.ravel(), 0).reshape(a.shape()); }

Array other_numbers(const Array& a, random::RandomState& draws, bool other_signs) {
  const Array u = draws.rand(a.shape()).astype(a.dtype());
  if (a.size() && !any(a != 0).item<bool>()) return (other_signs ? u - 0.5 : u * 0.5).astype(a.dtype(), false);
  const Array r = other_signs ? chainer::where(u < 0.5, -reversed(a), a) : reversed(a);
  return (r * (1.0 - u * 0.125)).astype(a.dtype(), false);
}

enum class Integers { reversed, between, beyond };
Array other_integers(const Array& a, random::RandomState& draws, Integers how) {
  if (a.size() == 0 || how == Integers::reversed) return reversed(a).copy();
  if (a.dtype() == bool_) return draws.rand(a.shape()) < 0.5;
  const auto low = static_cast<double>(std::min<int64_t>(0, min(a).item<int64_t>())),
             high = static_cast<double>(max(a).item<int64_t>()) + (how == Integers::beyond);
  const Array u = draws.rand(a.shape()).astype(float64);
  return clip(floor(u * (high - low + 1)) + low, low, high).astype(a.dtype());
}

std::string source_name(const Trace& t, const Source& s) {
  return s.kind == Source::Kind::call    ? "a result of " + t.calls[s.index].label
         : s.kind == Source::Kind::input ? text("input ", s.index)
                                         : "a constant";
}

}  // namespace

int64_t common_batch(const Variables& inputs) {
  int64_t n = -1;
  for (const Variable& v : inputs) {
    if (v.ndim() == 0 || (n >= 0 && v.shape()[0] != n)) return -1;
    n = v.shape()[0];
  }
  return n;
}

std::vector<Variables> disturbed(const Variables& inputs) {
  const bool integers =
      std::any_of(inputs.begin(), inputs.end(), [](const Variable& v) { return !is_floating(v.dtype()); });
  const bool reals =
      std::any_of(inputs.begin(), inputs.end(), [](const Variable& v) { return is_floating(v.dtype()); });
  random::RandomState draws(1);
  const auto changed = [&](bool other_signs, std::optional<Integers> how) {
    Variables out;
    for (const Variable& v : inputs) {
      const Array a = to_host(v.array());
      const Array other = is_floating(a.dtype()) ? other_numbers(a, draws, other_signs)
                          : how                  ? other_integers(a, draws, *how)
                                                 : a;
      out.push_back(Variable(other.to_device(v.device()), false));
    }
    return out;
  };
  std::vector<Variables> out = {changed(false, Integers::reversed)};
  if (integers)
    for (const Integers how : {Integers::between, Integers::beyond}) out.push_back(changed(false, how));
  if (reals) out.push_back(changed(true, std::nullopt));
  return out;
}

Variables of_lengths(const Variables& inputs, const std::vector<AxisLength>& lengths) {
  Variables out;
  random::RandomState draws(2);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Array a = to_host(inputs[i].array());
    for (const AxisLength& l : lengths)
      if (l.input == i) a = take(a, arange(l.length) % a.shape()[l.axis], l.axis);
    if (is_floating(a.dtype())) a = other_numbers(flip(a.ravel(), 0).reshape(a.shape()), draws, false);
    out.push_back(Variable(a.to_device(inputs[i].device()), false));
  }
  return out;
}

std::vector<int64_t> other_batches(const Trace& t, int64_t batch, int64_t least, std::size_t count) {
  std::set<int64_t> taken = {batch};
  for (const Variable& v : t.inputs)
    for (int d = 1; d < v.ndim(); ++d) taken.insert(v.shape()[d]);
  for (const Recorded& r : t.calls)
    for (const Value& v : r.inputs)
      if (v.source.kind == Source::Kind::constant && v.present)
        for (const int64_t n : v.shape) taken.insert(n);
  std::vector<int64_t> out;
  for (int64_t n = least; out.size() < count; ++n)
    if (!taken.contains(n)) out.push_back(n);
  return out;
}

void compare(const Trace& a, const Trace& b) {
  const auto refuse = [](const std::string& function, std::string_view what) {
    throw ValueError(
        "onnx: export of ", function, ": ", what,
        " depends on the inputs' values outside of functions; the file would contain the value of this run only");
  };
  const auto differ = [&](const Value& v, const Value& w) {
    return v.source != w.source || v.present != w.present ||
           (v.source.kind == Source::Kind::constant && v.present && !same(v.array, w.array));
  };
  for (std::size_t i = 0; i < a.calls.size(); ++i) {
    const Recorded& r = a.calls[i];
    if (i >= b.calls.size() || b.calls[i].exact != r.exact || b.calls[i].inputs.size() != r.inputs.size())
      refuse(r.exact, "whether it is called");
    for (std::size_t k = 0; k < r.inputs.size(); ++k)
      if (differ(r.inputs[k], b.calls[i].inputs[k])) refuse(r.exact, k < r.index_from ? "a constant" : "an index");
  }
  if (b.outputs.size() != a.outputs.size()) refuse("the model", "the number of outputs");
  for (std::size_t i = 0; i < a.outputs.size(); ++i)
    if (differ(a.outputs[i], b.outputs[i]))
      refuse(text("output ", i), a.outputs[i].source.kind == Source::Kind::constant
                                     ? "its value, which is not computed by a function,"
                                     : "its source");
}

void align(const Trace& a, const Trace& b) {
  const auto fits = [&](const Value& v, const Value& w, const std::string& of) {
    if (v.source != w.source || v.present != w.present)
      throw FixedLengths{text(of, " takes ", source_name(a, v.source), " or ", source_name(b, w.source),
                              ", depending on a free length")};
  };
  for (std::size_t i = 0; i < std::max(a.calls.size(), b.calls.size()); ++i) {
    if (i >= a.calls.size() || i >= b.calls.size() || a.calls[i].label != b.calls[i].label ||
        a.calls[i].inputs.size() != b.calls[i].inputs.size() || a.calls[i].outputs.size() != b.calls[i].outputs.size())
      throw FixedLengths{
          text("the called functions (", (i < a.calls.size() ? a : b).calls[i].label, ") depend on a free length")};
    for (std::size_t k = 0; k < a.calls[i].inputs.size(); ++k)
      fits(a.calls[i].inputs[k], b.calls[i].inputs[k], a.calls[i].label);
  }
  if (a.outputs.size() != b.outputs.size()) throw FixedLengths{"the number of outputs depends on a free length"};
  for (std::size_t i = 0; i < a.outputs.size(); ++i) fits(a.outputs[i], b.outputs[i], text("output ", i));
}

std::optional<std::string> difference(const Variables& results, const Variables& expected, bool shapes_only,
                                      const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string name = i < names.size() ? "'" + names[i] + "'" : text("output ", i);
    if (i >= results.size()) return name + " is missing";
    const Array &x = results[i].array(), &y = expected[i].array();
    if (x.shape() != y.shape() || x.dtype() != y.dtype())
      return text(name, " is ", x.dtype(), " of shape ", x.shape(), ", expected ", y.dtype(), " of shape ", y.shape());
    if (shapes_only || y.size() == 0) continue;
    const std::vector<double> a = x.to_vector<double>(), b = y.to_vector<double>();
    double scale = 1e-30;
    for (const double v : b)
      if (std::isfinite(v)) scale = std::max(scale, std::abs(v));
    const bool real = is_floating(y.dtype());
    const double rounding = !real ? 0 : item_size(y.dtype()) == 8 ? 1e-9 : item_size(y.dtype()) == 4 ? 1e-3 : 5e-2;
    std::size_t wrong = 0, at = 0;
    for (std::size_t k = 0; k < b.size(); ++k) {
      const bool equal = a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k]));
      if (!equal && !(std::abs(a[k] - b[k]) <= rounding * scale) && !wrong++) at = k;
    }
    // Tolerates a few different integers, since rounding may change the position of a maximum.
    if (wrong > (real ? 0 : b.size() / 100))
      return text("element ", at, " of ", name, " is ", a[at], ", expected ", b[at]);
  }
  return std::nullopt;
}

struct Check::Parts {
  explicit Parts(const ModelFile& file) : program(file, "onnx: export", weights) {
    for (const auto& [leaf, value] : weights) leaves.push_back(Variable(value, false));
    for (const TensorInfo& t : program.outputs) names.push_back(t.name);
  }
  std::vector<std::pair<Leaf, Array>> weights;
  Program program;
  Variables leaves;
  std::vector<std::string> names;
};

Check::Check(const ModelFile& file) : parts_(std::make_unique<Parts>(file)) {}
Check::~Check() = default;

std::optional<std::string> Check::difference(const Variables& inputs, const Variables& expected,
                                             bool shapes_only) const {
  UsingConfig test_mode(&Config::train, false);
  const PlainPrecision plain;
  NoBackpropMode no_graph;
  try {
    Variables here;  // the file's weights are on the host
    for (const Variable& v : inputs) here.push_back(v.device().is_host() ? v : Variable(to_host(v.array()), false));
    const Variables got = parts_->program.run(parts_->program.plan, parts_->leaves, here);
    return onnx::difference(got, expected, shapes_only, parts_->names);
  } catch (const Error& e) {
    const std::string_view message = e.what();
    return text("the operators of the file fail: ", message.substr(0, message.find('\n')));
  }
}

}  // namespace chainer::onnx
