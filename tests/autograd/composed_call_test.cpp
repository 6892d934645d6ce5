// SPDX-License-Identifier: MIT
#include "chainer/autograd/composed_call.h"

#include "chainer/autograd/function_node.h"
#include "chainer/functions/functions.h"
#include "chainer/routines/creation.h"
#include "test.h"

using namespace chainer;

namespace {

struct Named : ComposedCall {};

Ref<ComposedCall> attach(const Variable& x, const Variable& y, bool* attached) {
  Ref<ComposedCall> call(new Named, Ref<ComposedCall>::Adopt{});
  const Variable *in = &x, *out = &y;
  *attached = call->attach({&in, 1}, {&out, 1});
  return call;
}

}  // namespace

TEST(composed_call_is_shown_as_one_function) {
  const Variable x(ones({2, 3}));
  const Variable before = F::relu(x);
  const Variable y = F::normalize(before);
  bool attached = false;
  const Ref<ComposedCall> call = attach(before, y, &attached);
  EXPECT(attached);
  EXPECT(y.creator()->composed_call() == call.get());
  EXPECT(y.creator()->inputs()[0]->creator() == nullptr || y.creator()->inputs()[0]->creator()->is_inside() ||
         y.creator()->inputs()[0].get() == before.node().get());
  EXPECT(!before.creator()->is_inside());
  EXPECT_EQ(shown_rank(*call), 1);
  EXPECT_EQ(shown_rank(*y.node()), 2);
  EXPECT(y.rank() > 2);
  EXPECT_EQ(shown_rank(*F::relu(y).creator()), 2);
  EXPECT(call->outputs()[0] == y.node().get());
  F::sum(y * y).backward();
  EXPECT(static_cast<bool>(x.grad()));
}

TEST(composed_call_outlives_its_graph) {
  const Variable x(ones({2, 3}));
  bool attached = false;
  Ref<ComposedCall> call;
  {
    const Variable y = F::normalize(x);
    call = attach(x, y, &attached);
  }
  EXPECT(attached);
  EXPECT(call->makers()[0] == nullptr);
  EXPECT(call->outputs()[0] == nullptr);
  EXPECT_EQ(call->inputs().size(), 1u);
}

TEST(composed_call_of_an_input_is_none) {
  const Variable x(ones({2, 3}));
  const Variable y = F::relu(x);
  bool attached = true;
  attach(y, y, &attached);
  EXPECT(!attached);
  attach(x, Variable(ones({2}), false), &attached);
  EXPECT(!attached);
  EXPECT(y.creator()->composed_call() == nullptr);
}

TEST(composed_call_ends_when_its_function_is_detached) {
  const Variable x(ones({2, 3}));
  Variable y = F::normalize(x);
  bool attached = false;
  const Ref<ComposedCall> call = attach(x, y, &attached);
  y.unchain_backward();
  EXPECT(call->inputs().empty());
  EXPECT(call->outputs()[0] == nullptr);
  Variable z = F::normalize(x);
  const Ref<ComposedCall> other = attach(x, z, &attached);
  other->unchain();
  EXPECT(!z.creator());
}
