// SPDX-License-Identifier: MIT
// Every function of the table with a write to one of its inputs or outputs between forward and backward.
#include <chainer/chainer.h>

#include "chainer/array/backend.h"
#include "chainer/routines/npy.h"
#include "rows/table.h"
#include "test.h"

using namespace chainer;

namespace {

struct Outcome {
  bool noticed = false;
  std::size_t outputs = 0;
  Arrays gradients;
};
struct Write {
  bool to_output;
  std::size_t index;
};

// The gradients of one call, after a write if given.
Outcome run(const testing::OpCase& c, std::optional<Write> write, Dtype dtype) {
  random::seed(3);
  Variables xs;
  for (const Array& a : c.inputs)
    xs.push_back(is_floating(a.dtype()) ? Variable(a.astype(dtype).copy()) : Variable(a.copy()));
  for (Variable& x : xs)
    if (is_floating(x.dtype())) x.cleargrad();
  Variable loss;
  Outcome out;
  const Variables ys = c.function(xs);
  out.outputs = ys.size();
  for (const Variable& y : ys) {
    if (!y || !y.creator()) continue;
    const Variable part = F::sum(F::cast(y, float64));
    loss = loss ? loss + part : part;
  }
  if (!loss) return out;
  if (write && (!write->to_output || ys[write->index])) {
    Array a = write->to_output ? ys[write->index].array() : xs[write->index].array();
    try {
      if (is_floating(a.dtype()))
        a *= 0.5;
      else if (a.ndim() > 0)
        copy_elements(flip(a, 0).copy(), a);  // other valid labels
    } catch (const ValueError&) {             // an output that repeats elements cannot be written to
      out.noticed = true;
      return out;
    }
  }
  try {
    loss.backward();
  } catch (const RuntimeError& e) {
    if (std::string_view(e.what()).find("was written to in place") == std::string_view::npos) throw;
    out.noticed = true;
    return out;
  }
  for (const Variable& x : xs) out.gradients.push_back(x.grad());
  return out;
}

bool same(const Array& a, const Array& b) {
  if (!a || !b) return !a && !b;
  return a.shape() == b.shape() && to_npy(a) == to_npy(b);
}

}  // namespace

TEST(a_write_to_an_input_or_output_is_noticed_or_does_not_matter) {
  int noticed = 0, harmless = 0;
  for (const testing::OpCase& c : table::rows()) {
    if (!c.differentiable) continue;
    for (const Dtype dtype : {float32, float64}) {
      try {
        const Outcome expected = run(c, {}, dtype);
        ++test::expectations;
        if (expected.noticed) test::fail(c.name.c_str(), 0, "a write is seen where there was none");
        for (const bool to_output : {false, true})
          for (std::size_t i = 0; i < (to_output ? expected.outputs : c.inputs.size()); ++i) {
            const Outcome o = run(c, Write{to_output, i}, dtype);
            ++test::expectations;
            noticed += o.noticed, harmless += !o.noticed;
            for (std::size_t k = 0; !o.noticed && k < o.gradients.size(); ++k)
              if (!same(o.gradients[k], expected.gradients[k]))
                test::fail(c.name.c_str(), 0,
                           text(c.python, ": a write to ", to_output ? "output " : "input ", i,
                                " changes the gradient of input ", k));
          }
      } catch (const MissingPartError&) {
      } catch (const std::exception& e) { test::fail(c.name.c_str(), 0, e.what()); }
    }
  }
  std::printf("  %d noticed, %d harmless\n", noticed, harmless);
  EXPECT(noticed > 300);
  EXPECT(harmless > 300);
}
