// SPDX-License-Identifier: MIT
// Exports for any lengths of some axes: the choice of lengths, runs with them, and checks at others.
#include <algorithm>

#include "chainer/onnx/export_check.h"
#include "chainer/onnx/export_job.h"

namespace chainer::onnx {
namespace {

// A free length: its axes, and the length in the example.
struct Symbol {
  std::string name;
  std::vector<std::pair<std::size_t, int>> axes;  // input and axis
  int64_t length;
  bool is_batch = false;  // the first axis of all inputs
};

std::vector<AxisLength> chosen(const std::vector<Symbol>& symbols, const Lengths& lengths) {
  std::vector<AxisLength> out;
  for (std::size_t i = 0; i < symbols.size(); ++i)
    for (const auto& [input, axis] : symbols[i].axes) out.push_back({input, axis, lengths[i]});
  return out;
}

// "a batch of 3", "height 32, width 17"
std::string described(const std::vector<Symbol>& symbols, const Lengths& lengths) {
  std::string out;
  for (std::size_t i = 0; i < symbols.size(); ++i)
    out += text(i ? ", " : "", symbols[i].is_batch ? "a batch of" : symbols[i].name, " ", lengths[i]);
  return out;
}

std::vector<Symbol> named_lengths(const Job& job) {
  std::vector<Symbol> out;
  for (const DynamicAxis& d : job.o.dynamic_axes) {
    if (d.input >= job.inputs.size())
      throw ValueError("onnx: export: dynamic_axes: '", d.name, "' is an axis of input ", d.input, ", but there are ",
                       job.inputs.size(), " inputs");
    const Shape& shape = job.inputs[d.input].shape();
    const int axis = normalize_axis(d.axis, shape.ndim(), "onnx: export: dynamic_axes");
    if (shape[axis] == 0) throw ValueError("onnx: export: dynamic_axes: '", d.name, "' has the length 0");
    auto it = std::find_if(out.begin(), out.end(), [&](const Symbol& s) { return s.name == d.name; });
    if (it == out.end()) it = out.insert(out.end(), Symbol{d.name, {}, shape[axis]});
    if (it->length != shape[axis])
      throw ValueError("onnx: export: dynamic_axes: '", d.name, "' has the lengths ", it->length, " and ", shape[axis]);
    for (const Symbol& s : out)
      if (&s != &*it && std::count(s.axes.begin(), s.axes.end(), std::pair(d.input, axis)))
        throw ValueError("onnx: export: dynamic_axes: axis ", axis, " of input ", d.input, " has the names '", s.name,
                         "' and '", d.name, "'");
    it->axes.emplace_back(d.input, axis);
  }
  return out;
}

Symbol batch_length(const Job& job) {
  const int64_t batch = common_batch(job.inputs);
  if (batch < 0) throw FixedLengths{"the first axes of the inputs have different lengths, or an input has no axes"};
  if (batch == 0) throw FixedLengths{"the batch is empty"};
  Symbol out{"batch", {}, batch, true};
  for (std::size_t i = 0; i < job.inputs.size(); ++i) out.axes.emplace_back(i, 0);
  return out;
}

// The greatest power of two, up to 32, that divides a length: networks that halve it may accept multiples only.
int64_t step_of(int64_t length) { return std::min<int64_t>(length & -length, 32); }

// Ways to choose the lengths of the runs. Uneven ones show how lengths are rounded, but networks may accept multiples
// only, or no longer ones than the example's.
enum class Choice { uneven, multiples, shorter };

// The lengths of each run, symbol by symbol.
std::vector<Lengths> lengths_of_runs(const Trace& base, const std::vector<Symbol>& symbols, Choice choice,
                                     int64_t least) {
  const bool batch_only = symbols.size() == 1 && symbols[0].is_batch;
  const std::size_t runs = batch_only ? 3 : 5;
  constexpr int64_t kUneven[] = {1, 2, 4, 5, 7};
  std::vector<Lengths> out;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const Symbol& s = symbols[i];
    if (s.is_batch) {
      out.push_back(other_batches(base, s.length, least, runs));
      continue;
    }
    Lengths lengths;
    for (std::size_t k = 0; k < runs; ++k) {
      const std::size_t at = (k + 2 * i) % runs;  // no two symbols grow together
      const int64_t n = choice == Choice::multiples ? static_cast<int64_t>(at) * step_of(s.length) : kUneven[at];
      lengths.push_back(choice == Choice::shorter ? s.length - n : s.length + n);
      if (lengths.back() < 1) throw FixedLengths{text(s.name, " ", s.length, " is too short")};
    }
    out.push_back(std::move(lengths));
  }
  return out;
}

// The lengths that a file is checked with: a batch of one, and others as far as their arrays are small, since code may
// branch on the length.
std::vector<Lengths> lengths_to_try(const Trace& base, const std::vector<Symbol>& symbols) {
  constexpr int64_t kMostElements = int64_t(1) << 22;
  int64_t elements = 0;
  for (const Recorded& r : base.calls)
    for (const Value& v : r.outputs) elements += v.shape.product();
  Lengths as_given;
  for (const Symbol& s : symbols) as_given.push_back(s.length);
  std::vector<Lengths> out;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const int64_t n = symbols[i].length;
    const auto add = [&](int64_t other) {
      if (other < 1 || other == n) return;
      out.push_back(as_given);
      out.back()[i] = other;
    };
    add(1);
    if (symbols[i].is_batch) {
      for (const int64_t other : {3, 6, 12, 24, 40, 80, 150})
        if (other * (1 + elements / n) <= kMostElements) add(other);
    } else {
      for (const int64_t other : {n - step_of(n), n - 1, n + 3, n + step_of(n), 2 * n})
        if (other <= n + 32 || other * (1 + elements / n) <= kMostElements) add(other);
    }
  }
  return out;
}

// A file for any lengths of some axes, from runs with several lengths; checked with these, with others, and with the
// samples.
ModelFile of_free_lengths(const Job& job, const std::vector<Symbol>& symbols, const Trace& base,
                          const std::vector<Sample>& samples, bool random, Choice choice, int64_t least) {
  const std::vector<Lengths> of_symbols = lengths_of_runs(base, symbols, choice, least);
  std::vector<FreeLength> free;
  for (std::size_t i = 0; i < symbols.size(); ++i)
    free.push_back({symbols[i].name, symbols[i].axes[0].first, symbols[i].axes[0].second, of_symbols[i]});
  Runs runs;
  std::vector<Lengths> of_runs;
  for (std::size_t k = 0; k < of_symbols[0].size(); ++k) {
    Lengths lengths;
    for (const Lengths& l : of_symbols) lengths.push_back(l[k]);
    try {
      runs.push_back(trace(job.f, of_lengths(job.inputs, chosen(symbols, lengths))));
    } catch (const std::exception& e) {
      const std::string_view message = e.what();
      throw FixedLengths{text("with ", described(symbols, lengths),
                              " the computation fails: ", message.substr(0, message.find('\n')))};
    }
    align(*runs[0], *runs.back());
    of_runs.push_back(std::move(lengths));
  }
  ModelFile file = emitted(job, runs, std::move(free));
  const Check check(file);
  const auto expect = [&](const Variables& inputs, const Variables& results, const Lengths& lengths) {
    if (const auto wrong = check.difference(inputs, results, random))
      throw FixedLengths{text("with ", described(symbols, lengths), " ", *wrong)};
  };
  Lengths as_given;
  for (const Symbol& s : symbols) as_given.push_back(s.length);
  for (const Sample& s : samples) expect(s.inputs, s.results, as_given);
  for (std::size_t k = 0; k < runs.size(); ++k)
    expect(of_lengths(job.inputs, chosen(symbols, of_runs[k])), runs[k]->results, of_runs[k]);
  for (const Lengths& lengths : lengths_to_try(base, symbols)) {
    const Variables inputs = of_lengths(job.inputs, chosen(symbols, lengths));
    Variables results;
    try {
      results = results_of(job.f, inputs);
    } catch (const std::exception&) { continue; }  // the network does not accept these lengths
    expect(inputs, results, lengths);
  }
  return file;
}

// Tries the ways to choose lengths; throws FixedLengths with the first reason if all fail.
ModelFile of_free_lengths(const Job& job, const std::vector<Symbol>& symbols, const Trace& base,
                          const std::vector<Sample>& samples, bool random) {
  const bool batch_only = symbols.size() == 1 && symbols[0].is_batch;
  std::string why;
  // A batch length that equals another number of a reshape makes it ambiguous, which is rare for larger lengths.
  for (const int64_t least : {2, 7})
    for (const Choice choice : {Choice::uneven, Choice::multiples, Choice::shorter}) {
      if (batch_only && choice != Choice::uneven) continue;
      try {
        return of_free_lengths(job, symbols, base, samples, random, choice, least);
      } catch (const FixedLengths& e) {
        if (why.empty()) why = e.why;
      }
    }
  throw FixedLengths{why};
}

}  // namespace

std::optional<ModelFile> with_free_lengths(const Job& job, const Trace& base, const std::vector<Sample>& samples,
                                           bool random) {
  const std::vector<Symbol> named = named_lengths(job);
  if (job.imported) {
    if (named.empty()) return {};
    throw ValueError("onnx: export: dynamic_axes: an imported model keeps the declarations of its file");
  }
  // The options may name the batch themselves, also where it is another axis than the first.
  const bool batch_named = std::any_of(named.begin(), named.end(), [](const Symbol& s) {
    return s.name == "batch" ||
           std::any_of(s.axes.begin(), s.axes.end(), [](const auto& axis) { return axis.second == 0; });
  });
  std::string why;  // the batch cannot be free
  if (job.o.dynamic_batch && !batch_named && !job.inputs.empty()) {
    try {
      std::vector<Symbol> all = {batch_length(job)};
      all.insert(all.end(), named.begin(), named.end());
      return of_free_lengths(job, all, base, samples, random);
    } catch (const FixedLengths& e) { why = e.why; }
  }
  std::optional<ModelFile> file;
  if (!named.empty()) {
    try {
      file = of_free_lengths(job, named, base, samples, random);
    } catch (const FixedLengths& e) { throw ValueError("onnx: export: dynamic_axes: ", e.why); }
  }
  if (!why.empty())
    warn(text("onnx: export: the file supports only the batch length of this run: ", why,
              " (set .dynamic_batch = false if this is intended)"));
  return file;
}

}  // namespace chainer::onnx
