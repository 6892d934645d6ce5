// SPDX-License-Identifier: MIT
// Steps of several parameters in one launch, compared with one launch for each and with the host.
#include <chainer/chainer.h>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/operations/updates.h"
#include "chainer/array/version.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "all_optimizers.h"
#include "emulated_number.h"
#include "test.h"

using namespace chainer;

namespace {

constexpr int kStatesOf[] = {
#define X(NAME, STATES, ...) STATES,
    CHAINER_UPDATE_OPS(X)
#undef X
};

int64_t calls(int device) {
  return dynamic_cast<cuda::CudaBackend&>(emulated_number(device).backend()).counts(device).calls;
}

// Returns parameters of many sizes, dtypes and memory orders, for every rule in turn.
std::vector<UpdatePass> passes_on(const Device& d) {
  random::RandomState r(4);
  std::vector<UpdatePass> out;
  const Shape shapes[] = {{}, {1}, {7, 6}, {0, 3}, {3000}, {2, 3, 4}};
  for (int k = 0; k < 3 * static_cast<int>(Update::count); ++k) {
    const int op = k % static_cast<int>(Update::count);
    const Shape shape = shapes[k % 6];
    const Dtype dtype = k % 17 == 16 ? float64 : k % 5 == 4 ? float16 : float32;
    const auto draw = [&] {
      const Array a = r.randn(shape).astype(dtype).to_device(d);
      return k % 4 == 3 ? a.T() : a;
    };
    UpdatePass p{static_cast<Update>(op), draw(), draw(), {}, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}};
    if (k % 7 == 6) p.grad = p.grad.astype(dtype).T().copy().T();
    for (int s = 0; s < kStatesOf[op]; ++s) p.states.push_back(ones(p.param.shape(), dtype).to_device(d));
    out.push_back(std::move(p));
  }
  return out;
}

}  // namespace

TEST(a_list_of_updates_has_the_bits_of_single_ones) {
  const Device d = emulated_number(0);
  std::vector<UpdatePass> single = passes_on(d), list = passes_on(d);
  for (int step = 0; step < 2; ++step) {
    for (UpdatePass& p : single) d.backend().update(p.op, p.param, p.grad, p.states, p.hyper);
    d.backend().update_all(list);
  }
  for (std::size_t k = 0; k < list.size(); ++k) {
    EXPECT_CLOSE(to_host(list[k].param), to_host(single[k].param), {.atol = 0, .rtol = 0});
    for (std::size_t s = 0; s < list[k].states.size(); ++s)
      EXPECT_CLOSE(to_host(list[k].states[s]), to_host(single[k].states[s]), {.atol = 0, .rtol = 0});
  }
}

namespace {

// More parameters than fit one launch; one is frozen, one has a hook, two share an array, and one has a gradient in the
// memory of another array.
std::vector<Parameter> step_on(const Device& d, GradientMethod& optimizer) {
  ChainList model;
  random::RandomState r(5);
  for (int k = 0; k < 40; ++k)
    model.append(L::Parameter(r.randn({k % 6 + 1, 3}).astype(k % 9 == 8 ? float16 : float32)));
  model.to_device(d);
  optimizer.setup_link(model);
  optimizer.use_fp32_update();
  std::vector<Parameter> params = model.params();
  params[7].set_array(params[1].array());
  params[3].update_rule()->enabled = false;
  dynamic_cast<UpdateRule&>(*params[4].update_rule())
      .add_hook(optimizer::make_hook("half", [](UpdateRule&, Parameter& p) { p.set_grad(p.grad() * 0.5); }));
  for (int step = 0; step < 3; ++step) {
    for (Parameter& p : params) p.set_grad(r.randn(p.shape()).astype(p.dtype()).to_device(d));
    params[13].set_grad(params[19].array());  // of the same shape, updated later
    optimizer.update();
  }
  return params;
}

}  // namespace

TEST(optimizers_step_on_a_device_as_on_the_host) {
  for (const all_optimizers::Row& row : all_optimizers::rows()) {
    const auto here = row.make(), there = row.make();
    const std::vector<Parameter> want = step_on(Device(), *here), got = step_on(emulated_number(0), *there);
    for (std::size_t k = 0; k < want.size(); ++k) {
      const double tolerance = want[k].dtype() == float16 ? 2e-3 : 1e-5;
      EXPECT_CLOSE(to_host(got[k].array()), want[k].array(), {.atol = tolerance, .rtol = tolerance});
    }
  }
}

// 40 parameters of one dtype: two launches. Each counts as an update in the version of its memory.
TEST(a_step_of_many_parameters_is_few_launches) {
  const Device d = emulated_number(1);
  ChainList model;
  for (int k = 0; k < 40; ++k) model.append(L::Parameter(ones({k + 1})));
  model.to_device(d);
  auto optimizer = optimizers::SGD().setup(model);
  for (Parameter& p : model.params()) p.set_grad(zeros_like(p.array()));
  d.synchronize();
  const int64_t before = calls(1);
  const uint32_t version = memory_version(model.params()[0].array());
  optimizer.update();
  EXPECT_EQ(calls(1) - before, 2);
  EXPECT_EQ(memory_version(model.params()[0].array()), version + kUpdateStep);
}
