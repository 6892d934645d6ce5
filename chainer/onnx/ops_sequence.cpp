// SPDX-License-Identifier: MIT
// Sequences of tensors, and optional values.
#include <algorithm>

#include "chainer/functions/array.h"
#include "chainer/onnx/call.h"
#include "chainer/routines/creation.h"

namespace chainer::onnx {
namespace {

namespace F = functions;

SlotValues one(Variables v) { return {{{}, std::make_shared<const Variables>(std::move(v))}}; }
SlotValues one(Variable v) { return {{std::move(v), nullptr}}; }

// Returns a position in a sequence; input i counts from the end if it is negative.
std::ptrdiff_t place(const ControlCall& c, std::size_t i, std::size_t size, std::size_t otherwise, bool after) {
  if (!c.has(i)) return static_cast<std::ptrdiff_t>(otherwise);
  const int64_t n = static_cast<int64_t>(size), at = c[i].item<int64_t>();
  if (at < -n || at >= n + after) c.fail("position ", at, " in a sequence of ", n, " elements");
  return at < 0 ? at + n : at;
}

SlotValues construct(const ControlCall& c) { return one(c.inputs()); }
SlotValues empty(const ControlCall&) { return one(Variables()); }
SlotValues length(const ControlCall& c) {
  return one(Variable(array(static_cast<int64_t>(c.sequence(0).size())), false));
}
SlotValues element(const ControlCall& c) {
  const Variables& s = c.sequence(0);
  if (!c.has(1)) c.fail("a position is needed");
  return one(s[static_cast<std::size_t>(place(c, 1, s.size(), 0, false))]);
}
SlotValues insert(const ControlCall& c) {
  const Variables& s = c.sequence(0);
  const std::ptrdiff_t at = place(c, 2, s.size(), s.size(), true);
  Variables out(s.begin(), s.begin() + at);
  out.push_back(c[1]);
  for (auto i = s.begin() + at; i != s.end(); ++i) out.push_back(*i);
  return one(std::move(out));
}
SlotValues erase(const ControlCall& c) {
  const Variables& s = c.sequence(0);
  if (s.empty()) c.fail("the sequence is empty");
  const std::ptrdiff_t at = place(c, 1, s.size(), s.size() - 1, false);
  Variables out(s.begin(), s.begin() + at);
  for (auto i = s.begin() + at + 1; i != s.end(); ++i) out.push_back(*i);
  return one(std::move(out));
}

SlotValues split(const ControlCall& c) {
  const Variable& x = c[0];
  const int axis = c.axis(c.integer("axis", 0), x.ndim());
  const int64_t n = x.shape()[axis];
  std::vector<int64_t> lengths;
  if (c.has(1) && c[1].ndim() > 0) {
    lengths = c.values(1);
  } else {
    const int64_t part = c.has(1) ? c.values(1)[0] : 1;
    if (part < 1) c.fail("the length of parts must be positive, not ", part);
    for (int64_t from = 0; from < n; from += part) lengths.push_back(std::min(part, n - from));
  }
  Variables parts;
  int64_t from = 0;
  for (const int64_t l : lengths) {
    if (l < 0 || l > n - from) c.fail("lengths of parts exceed the ", n, " elements of axis ", axis);
    Indices cut(static_cast<std::size_t>(axis), Slice());
    cut.push_back(Slice(from, from + l));
    Variable y = F::get_item(x, cut);
    if (!c.has(1) && !c.integer("keepdims", 1)) y = F::squeeze(y, axis);
    parts.push_back(std::move(y));
    from += l;
  }
  if (from != n) c.fail("lengths of parts add up to ", from, " of the ", n, " elements of axis ", axis);
  return one(std::move(parts));
}

SlotValues concat(const ControlCall& c) {
  const Variables& s = c.sequence(0);
  if (s.empty()) c.fail("the sequence is empty");
  const bool fresh = c.integer("new_axis", 0);
  const int axis = c.axis(c.integer("axis"), s[0].ndim() + fresh);
  return one(fresh ? F::stack(s, axis) : F::concat(s, axis));
}

// Optional values are their contents, or nothing.
SlotValues optional(const ControlCall& c) {
  if (c.slots().empty() || c.node().inputs.empty()) return {{}};
  return {c.slots()[0]};
}
SlotValues has_element(const ControlCall& c) {
  return one(Variable(array(!c.node().inputs.empty() && (c.has(0) || c.has_sequence(0))), false));
}
SlotValues get_element(const ControlCall& c) {
  if (!c.has(0) && !c.has_sequence(0)) c.fail("the optional value is empty");
  return {c.slots()[0]};
}

constexpr Operator kOperators[] = {
    {"ConcatFromSequence", 11, nullptr, 0, 0, concat},
    {"Optional", 15, nullptr, 0, 0, optional},
    {"OptionalGetElement", 15, nullptr, 0, 0, get_element},
    {"OptionalHasElement", 15, nullptr, 0, 0, has_element},
    {"SequenceAt", 11, nullptr, 0, 0, element},
    {"SequenceConstruct", 11, nullptr, 0, 0, construct},
    {"SequenceEmpty", 11, nullptr, 0, 0, empty},
    {"SequenceErase", 11, nullptr, 0, 0, erase},
    {"SequenceInsert", 11, nullptr, 0, 0, insert},
    {"SequenceLength", 11, nullptr, 0, 0, length},
    {"SplitToSequence", 11, nullptr, 0, 0, split},
};

}  // namespace

std::span<const Operator> sequence_operators() { return kOperators; }

}  // namespace chainer::onnx
