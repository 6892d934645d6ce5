// SPDX-License-Identifier: MIT
// The check of op_case.h with memory owned by other code.
#include <cstring>
#include <memory>
#include <vector>

#include "chainer/array/external.h"
#include "chainer/autograd/function_node.h"
#include "chainer/functions/math.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/testing/op_case_parts.h"

namespace chainer::testing {
namespace {

// Arrays in memory that this object owns, with copies of their initial contents.
class Outside {
 public:
  explicit Outside(ExternalOptions options) : options_(std::move(options)) {}
  Array lend(const Array& a) {
    if (!a) return a;
    const Array from = a.contiguous();
    const auto bytes = static_cast<std::size_t>(from.nbytes());
    const auto width = static_cast<std::size_t>(item_size(a.dtype()));
    // Starts one element into the block, so that the array is not aligned.
    auto block = std::make_unique<char[]>(bytes + width);
    std::memcpy(block.get() + width, from.raw(), bytes);
    lent_.push_back({std::move(block), bytes + width, from.copy()});
    return external_array(
        lent_.back().block.get() + width, a.shape(), a.dtype(), [] {}, options_);
  }
  Arrays lend(const Arrays& in) {
    Arrays out;
    for (const Array& a : in) out.push_back(lend(a));
    return out;
  }
  void expect_untouched(const char* what) const {
    for (const Lent& l : lent_) {
      const auto bytes = static_cast<std::size_t>(l.before.nbytes());
      expect(bytes == 0 || std::memcmp(l.block.get() + (l.bytes - bytes), l.before.raw(), bytes) == 0,
             text(what, ": an array of shape ", l.before.shape(), " was written to"));
    }
  }

 private:
  struct Lent {
    std::unique_ptr<char[]> block;
    std::size_t bytes;
    Array before;
  };
  ExternalOptions options_;
  std::vector<Lent> lent_;
};

struct Gradients {
  Arrays outputs, first, second;  // second: with a graph, added to `first`
};
// Runs forward and backward, with `set` as the inputs' gradients beforehand.
Gradients run(const OpCase& c, const Arrays& in, const Arrays& gy, const Arrays& set) {
  Gradients out;
  Variables xs = roots(in);
  Variables ys = F::identity(c.function(xs));
  out.outputs = arrays_of(ys);
  if (!c.differentiable) return out;
  for (std::size_t i = 0; i < xs.size(); ++i)
    if (xs[i].requires_grad()) xs[i].set_grad(set[i]);
  for (bool graph : {false, true}) {
    for (std::size_t i = 0; i < ys.size(); ++i) ys[i].set_grad(gy[i]);
    ys[0].backward({.enable_double_backprop = graph});
    for (const Variable& x : xs) (graph ? out.second : out.first).push_back(x.grad());
  }
  return out;
}

void expect_close(const Arrays& a, const Arrays& b) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    expect(static_cast<bool>(a[i]) == static_cast<bool>(b[i]), text("only one of arrays ", i, " is empty"));
    if (b[i]) assert_allclose(a[i], b[i], {.atol = 1e-12, .rtol = 1e-12});
  }
}

}  // namespace

void check_outside_memory(const OpCase& c) {
  random::RandomState r(23);
  const Arrays once = arrays_of(c.function(roots(c.inputs))), again = arrays_of(c.function(roots(c.inputs)));
  bool draws = false;
  for (std::size_t i = 0; i < once.size(); ++i) draws |= !same_bits(once[i], again[i]);
  const Arrays gy = random_like(once, r), set = random_like(c.inputs, r);
  const Gradients plain = run(c, copies(c.inputs), copies(gy), copies(set));
  for (bool shared : {false, true}) {
    named(shared ? "memory that others may write to" : "memory that must not be written to", [&] {
      const ExternalOptions options{.writable = shared, .shared = shared};
      Outside inputs(options), outputs(options), leaves(options);
      const Gradients lent = run(c, inputs.lend(c.inputs), outputs.lend(gy), leaves.lend(set));
      inputs.expect_untouched("the inputs");
      outputs.expect_untouched("the outputs' gradients");
      leaves.expect_untouched("gradients that were set");
      if (draws) return;
      for (std::size_t i = 0; i < once.size(); ++i)
        expect(same_bits(lent.outputs[i], plain.outputs[i]), text("output ", i, " differs"));
      expect_close(lent.first, plain.first);
      expect_close(lent.second, plain.second);
    });
  }
}

}  // namespace chainer::testing
