// SPDX-License-Identifier: MIT
// Control flow: operators with bodies.
#include <algorithm>

#include "chainer/functions/array.h"
#include "chainer/onnx/call.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/random.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

// Bounds the repetitions of one call of a model, since a file may claim any number. Loops within loops share the count.
constexpr int64_t kMostRepetitions = 2'000'000;
class Repetitions {
 public:
  Repetitions() {
    if (!outermost_) outermost_ = this;
  }
  ~Repetitions() {
    if (outermost_ == this) outermost_ = nullptr;
  }
  Repetitions(const Repetitions&) = delete;
  Repetitions& operator=(const Repetitions&) = delete;
  void next(const Call& c) {
    if (++outermost_->count_ > kMostRepetitions)
      c.fail("more than ", kMostRepetitions, " repetitions of bodies in one call");
  }

 private:
  static inline constinit thread_local Repetitions* outermost_ = nullptr;
  int64_t count_ = 0;
};

bool truth(const Call& c, const Variable& v) {
  if (!v || v.size() != 1) c.fail("a condition must be one boolean");
  return v.item<bool>();
}

SlotValues if_(const ControlCall& c) { return c.run_body(truth(c, c[0]) ? "then_branch" : "else_branch", {}); }

// Returns the results of a body after `from`, whose shapes are those of results without repetitions if the file
// declares none; nothing if it declares all, or if the body cannot run.
Variables tried(const Graph& body, std::size_t from, const std::function<SlotValues()>& run) {
  const auto first = body.outputs.begin() + static_cast<std::ptrdiff_t>(from);
  if (std::all_of(first, body.outputs.end(), [](const ValueInfo& v) { return v.has_shape; })) return {};
  const UsingConfig test_mode(&Config::train, false);
  const NoBackpropMode no_graph;
  const random::RepeatedDraws draws(random::state());  // does not move the generator
  try {
    Variables out;
    for (const SlotValue& v : run()) out.push_back(v.tensor);
    return Variables(out.begin() + static_cast<std::ptrdiff_t>(from), out.end());
  } catch (const Error&) { return {}; }
}

// Joins the results of repetitions along a new axis. Without any, lengths are those that the file declares, or 0, or
// those of `trial`.
Variable stacked(const Call& c, const Variables& parts, const ValueInfo& declared, int64_t axis,
                 const Variable& trial) {
  if (!parts.empty()) return F::stack(parts, c.axis(axis, parts[0].ndim() + 1));
  Shape shape;
  for (const Dimension& d : declared.shape) shape.push_back(std::max<int64_t>(d.length, 0));
  if (!declared.has_shape && trial) shape = trial.shape();
  const int at = c.axis(axis, shape.ndim() + 1);
  Shape whole;
  for (int i = 0; i <= shape.ndim(); ++i) whole.push_back(i == at ? 0 : shape[i < at ? i : i - 1]);
  const Dtype dtype = declared.element_type > 0 ? dtype_of_element(declared.element_type, c.where()) : float32;
  return Variable(zeros(whole, dtype), false);
}

SlotValues loop(const ControlCall& c) {
  const Graph& body = c.graph("body");
  const std::size_t given = c.node().inputs.size(), carried = given > 2 ? given - 2 : 0;
  if (body.outputs.size() < carried + 1)
    c.fail("the body has ", body.outputs.size(), " outputs, expected ", carried + 1);
  const std::size_t scanned = body.outputs.size() - carried - 1;
  const bool limited = c.has(0);
  const int64_t limit = limited ? c[0].item<int64_t>() : 0;
  bool go_on = !c.has(1) || truth(c, c[1]);
  SlotValues state(c.slots().begin() + static_cast<std::ptrdiff_t>(given - carried),
                   c.slots().begin() + static_cast<std::ptrdiff_t>(given));
  std::vector<Variables> rows(scanned);
  Repetitions repetitions;
  for (int64_t i = 0; go_on && (!limited || i < limit); ++i) {
    repetitions.next(c);
    SlotValues in = {{Variable(array(i), false), nullptr}, {Variable(array(true), false), nullptr}};
    in.insert(in.end(), state.begin(), state.end());
    SlotValues out = c.run_body("body", in);
    go_on = truth(c, out[0].tensor);
    for (std::size_t k = 0; k < carried; ++k) state[k] = std::move(out[k + 1]);
    for (std::size_t k = 0; k < scanned; ++k) {
      if (!out[carried + 1 + k].tensor) c.fail("output ", carried + 1 + k, " of the body must be a tensor");
      rows[k].push_back(std::move(out[carried + 1 + k].tensor));
    }
  }
  Variables trial;
  if (scanned && rows[0].empty())
    trial = tried(body, carried + 1, [&] {
      SlotValues in = {{Variable(array(int64_t(0)), false), nullptr}, {Variable(array(true), false), nullptr}};
      in.insert(in.end(), state.begin(), state.end());
      return c.run_body("body", in);
    });
  trial.resize(scanned);
  for (std::size_t k = 0; k < scanned; ++k)
    state.push_back({stacked(c, rows[k], body.outputs[carried + 1 + k], 0, trial[k]), nullptr});
  return state;
}

// Before operator set 9, all inputs have a first axis of examples, which are scanned one by one.
SlotValues scan_examples(const ControlCall& c) {
  const Graph& body = c.graph("body");
  const auto scans = static_cast<std::size_t>(std::max<int64_t>(c.integer("num_scan_inputs"), 0));
  const std::size_t given = c.node().inputs.size() - 1;
  if (c.node().inputs.empty() || scans < 1 || scans > given || body.outputs.size() < given - scans)
    c.fail("num_scan_inputs is ", scans, " of ", given, " inputs, and the body has ", body.outputs.size(), " outputs");
  const std::size_t carried = given - scans;
  const std::vector<int64_t> backwards = c.integers("directions", std::vector<int64_t>(scans, 0));
  if (backwards.size() != scans) c.fail("'directions' has ", backwards.size(), " numbers, expected ", scans);
  const int64_t examples = c[1].shape(0), length = c[1 + carried].shape(1);
  std::vector<int64_t> lengths(static_cast<std::size_t>(examples), length);
  if (c.has(0)) lengths = c.values(0);
  if (static_cast<int64_t>(lengths.size()) != examples) c.fail(lengths.size(), " lengths of ", examples, " examples");
  std::vector<Variables> results(body.outputs.size());
  Repetitions repetitions;
  for (int64_t b = 0; b < examples; ++b) {
    SlotValues state;
    for (std::size_t k = 0; k < carried; ++k) state.push_back({F::get_item(c[1 + k], {b}), nullptr});
    std::vector<Variables> rows(body.outputs.size() - carried);
    const int64_t n = lengths[static_cast<std::size_t>(b)];
    if (n < 1 || n > length) c.fail("the length ", n, " is not in 1 ... ", length);
    for (int64_t i = 0; i < n; ++i) {
      repetitions.next(c);
      SlotValues in = state;
      for (std::size_t k = 0; k < scans; ++k)
        in.push_back({F::get_item(c[1 + carried + k], {b, backwards[k] ? n - 1 - i : i}), nullptr});
      SlotValues out = c.run_body("body", in);
      for (std::size_t k = 0; k < carried; ++k) state[k] = std::move(out[k]);
      for (std::size_t k = 0; k < rows.size(); ++k) rows[k].push_back(out[carried + k].tensor);
    }
    for (std::size_t k = 0; k < carried; ++k) results[k].push_back(state[k].tensor);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      Variable y = F::stack(rows[k], 0);
      std::vector<std::pair<int64_t, int64_t>> widths(static_cast<std::size_t>(y.ndim()));
      widths[0].second = length - n;
      results[carried + k].push_back(n < length ? F::pad(y, widths, "constant") : y);
    }
  }
  SlotValues out;
  for (const Variables& r : results) out.push_back({F::stack(r, 0), nullptr});
  return out;
}

SlotValues scan(const ControlCall& c) {
  if (c.opset() < 9) return scan_examples(c);
  const Graph& body = c.graph("body");
  const auto scans = static_cast<std::size_t>(std::max<int64_t>(c.integer("num_scan_inputs"), 0));
  const std::size_t given = c.node().inputs.size();
  if (scans < 1 || scans > given || body.outputs.size() < given - scans)
    c.fail("num_scan_inputs is ", scans, " of ", given, " inputs, and the body has ", body.outputs.size(), " outputs");
  const std::size_t carried = given - scans, made = body.outputs.size() - carried;
  const auto list = [&](const char* name, std::size_t n) {
    std::vector<int64_t> v = c.integers(name, std::vector<int64_t>(n, 0));
    if (v.size() != n) c.fail("'", name, "' has ", v.size(), " numbers, expected ", n);
    return v;
  };
  const std::vector<int64_t> axes = list("scan_input_axes", scans), backwards = list("scan_input_directions", scans);
  const std::vector<int64_t> out_axes = list("scan_output_axes", made), turned = list("scan_output_directions", made);
  SlotValues state(c.slots().begin(), c.slots().begin() + static_cast<std::ptrdiff_t>(carried));
  std::vector<int> along;
  int64_t length = 0;
  for (std::size_t k = 0; k < scans; ++k) {
    const Variable& x = c[carried + k];
    along.push_back(c.axis(axes[k], x.ndim()));
    if (k && x.shape()[along[k]] != length)
      c.fail("scanned inputs have ", length, " and ", x.shape()[along[k]], " elements");
    length = x.shape()[along[k]];
  }
  std::vector<Variables> rows(made);
  Repetitions repetitions;
  for (int64_t i = 0; i < length; ++i) {
    repetitions.next(c);
    SlotValues in = state;
    for (std::size_t k = 0; k < scans; ++k) {
      Indices one(static_cast<std::size_t>(along[k]), Slice());
      one.push_back(backwards[k] ? length - 1 - i : i);
      in.push_back({F::get_item(c[carried + k], one), nullptr});
    }
    SlotValues out = c.run_body("body", in);
    for (std::size_t k = 0; k < carried; ++k) state[k] = std::move(out[k]);
    for (std::size_t k = 0; k < made; ++k) {
      if (!out[carried + k].tensor) c.fail("output ", carried + k, " of the body must be a tensor");
      rows[k].push_back(std::move(out[carried + k].tensor));
    }
  }
  Variables trial;
  if (made && length == 0)
    trial = tried(body, carried, [&] {
      SlotValues in = state;
      for (std::size_t k = 0; k < scans; ++k) {
        Shape shape;
        for (int d = 0; d < c[carried + k].ndim(); ++d)
          if (d != along[k]) shape.push_back(c[carried + k].shape()[d]);
        in.push_back({Variable(zeros(shape, c[carried + k].dtype()), false), nullptr});
      }
      return c.run_body("body", in);
    });
  trial.resize(made);
  for (std::size_t k = 0; k < made; ++k) {
    if (turned[k]) std::reverse(rows[k].begin(), rows[k].end());
    state.push_back({stacked(c, rows[k], body.outputs[carried + k], out_axes[k], trial[k]), nullptr});
  }
  return state;
}

// Applies the body to the elements of sequences. Tensors are the same for all elements.
SlotValues sequence_map(const ControlCall& c) {
  const std::size_t n = c.sequence(0).size(), outputs = c.graph("body").outputs.size();
  std::vector<Variables> results(outputs);
  Repetitions repetitions;
  for (std::size_t i = 0; i < n; ++i) {
    repetitions.next(c);
    SlotValues in;
    for (std::size_t k = 0; k < c.node().inputs.size(); ++k) {
      if (!c.has_sequence(k)) {
        in.push_back({c[k], nullptr});
        continue;
      }
      if (c.sequence(k).size() != n) c.fail("sequences of ", n, " and ", c.sequence(k).size(), " elements");
      in.push_back({c.sequence(k)[i], nullptr});
    }
    const SlotValues out = c.run_body("body", in);
    for (std::size_t k = 0; k < outputs; ++k) results[k].push_back(out[k].tensor);
  }
  SlotValues out;
  for (Variables& r : results) out.push_back({{}, std::make_shared<const Variables>(std::move(r))});
  return out;
}

constexpr Operator kOperators[] = {
    {"If", 1, nullptr, 0, 0, if_},
    {"Loop", 1, nullptr, 0, 0, loop},
    {"Scan", 8, nullptr, 0, 0, scan},
    {"SequenceMap", 17, nullptr, 0, 0, sequence_map},
};

}  // namespace

std::span<const Operator> control_operators() { return kOperators; }

}  // namespace chainer::onnx
