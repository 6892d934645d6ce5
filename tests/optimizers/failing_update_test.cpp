// SPDX-License-Identifier: MIT
// If update() runs out of memory or a hook throws, each parameter and its state are either unchanged or fully updated.
#include <chainer/chainer.h>

#include <cstring>

#include "all_optimizers.h"
#include "failing_memory.h"
#include "test.h"

using namespace chainer;

namespace {

// A model with its optimizer, always with the same values.
struct Trained {
  explicit Trained(const all_optimizers::Row& row) : optimizer(row.make()) {
    random::RandomState r(3);
    for (const char* name : {"a", "b", "c"}) model.add_param(name, Shape{40, 8}, r.uniform(-1, 1, {40, 8}));
    optimizer->setup_link(model);
    set_gradients();
    optimizer->update();
    set_gradients();
  }
  void set_gradients() {
    random::RandomState r(5);
    for (chainer::Parameter& p : model.params()) p.set_grad(r.uniform(-1, 1, p.shape()).astype(p.dtype()));
  }
  // Each parameter with its whole state.
  std::vector<Arrays> arrays() {
    std::vector<Arrays> out;
    for (const chainer::Parameter& p : model.params()) {
      Arrays one{p.array().copy()};
      for (const auto& [name, a] : dynamic_cast<UpdateRule&>(*p.update_rule()).state) one.push_back(a.copy());
      out.push_back(one);
    }
    return out;
  }
  Chain model;
  std::unique_ptr<GradientMethod> optimizer;
};

bool same(const Arrays& a, const Arrays& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::memcmp(a[i].raw(), b[i].raw(), static_cast<std::size_t>(a[i].nbytes())) != 0) return false;
  return a.size() == b.size();
}

}  // namespace

TEST(an_update_without_memory_leaves_whole_parameters) {
  if (!failing_memory::works) return;
  for (const all_optimizers::Row& row : all_optimizers::rows()) {
    Trained expected(row);
    const auto before = expected.arrays();
    expected.optimizer->update();
    const auto after = expected.arrays();
    int step = 0;
    for (bool done = false; !done && step < 500; ++step) {
      Trained t(row);
      try {
        const FailingMemory fails(step);
        t.optimizer->update();
        done = true;
      } catch (const std::bad_alloc&) {}
      const auto now = t.arrays();
      for (std::size_t i = 0; i < now.size(); ++i)
        if (!(done ? same(now[i], after[i]) : same(now[i], before[i]) || same(now[i], after[i])))
          test::fail(row.name, 0, text("parameter ", i, " is in between after a failure at allocation ", step));
      test::expectations += 3;
      t.set_gradients();
      t.optimizer->update();  // continues
    }
    EXPECT(step > 3 && step < 500);
  }
}
