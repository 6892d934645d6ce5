// SPDX-License-Identifier: MIT
// The names of the manual for devices: the current device, to_gpu(), copies between devices, memory, profiles; and NaN
// checks of optimizers on a device.
#include <chainer/chainer.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <thread>

#include "chainer/array/host.h"
#include "chainer/core/system/run_time_library.h"
#include "chainer/interop/dlpack.h"
#include "emulated_number.h"
#include "environment_variable.h"
#include "test.h"

using namespace chainer;

TEST(numbers_stand_for_the_devices_that_CHAINER_GPU_names) {
  {
    const EnvironmentVariable gpu("CHAINER_GPU", "@cuda-emulated");
    EXPECT(get_device(1) == get_device("@cuda-emulated:1"));
    EXPECT_EQ(gpu_devices().size(), 2u);
    EXPECT(get_device(-1).is_host());
    const Array a = ones({2, 3}).to_device(get_device(1));
    const Array b = from_dlpack(to_dlpack(a));
    EXPECT(b.device() == a.device() && b.raw() == a.raw());
    EXPECT(to_host(b * 2.0).to_vector<float>() == std::vector<float>(6, 2.f));
  }
  const EnvironmentVariable gpu("CHAINER_GPU", "@reference");
  EXPECT(get_device(0) == get_device("@reference"));
  EXPECT_THROW(DeviceError, "no device '@reference:1'", get_device(1));
}

TEST(a_thread_uses_a_device) {
  const Device first = emulated_number(0), second = emulated_number(1);
  EXPECT(!current_device());
  {
    const DeviceScope scope(first);
    {
      const DeviceScope inner(second);
      EXPECT(*current_device() == second);
      L::Linear link(3, 2);
      link.to_gpu();
      EXPECT(link.W.array().device() == second);
      link.to_cpu();
      EXPECT(link.W.array().device().is_host());
      EXPECT(Variable(ones({2})).to_gpu().array().device() == second);
      std::thread([] { EXPECT(!current_device()); }).join();
    }
    EXPECT(*current_device() == first);
    second.use();
    Parameter p(ones({2}));
    p.to_gpu();
    EXPECT(p.array().device() == second);
    p.to_cpu();
    EXPECT(p.array().device().is_host());
  }
  EXPECT(!current_device());
  if (!gpu_devices().empty()) return;
  EXPECT_THROW(DeviceError, "no device '@cuda:0'", gpu_device());
  EXPECT_THROW(DeviceError, "no device '@cuda:3'", L::Linear(3, 2).to_gpu(3));
}

// The gradient of a copy is copied back to the device of x.
TEST(copies_have_gradients_on_other_devices) {
  const Variable x(ones({2, 3}).to_device(emulated_number(0)));
  const Variable y = F::copy(x, emulated_number(1)), z = F::copy(y * 2.0, -1);
  EXPECT(y.array().device() == emulated_number(1) && z.array().device().is_host());
  F::sum(z).backward();
  EXPECT(x.grad().device() == emulated_number(0));
  EXPECT(to_host(x.grad()).to_vector<float>() == std::vector<float>(6, 2.f));
}

TEST(memory_of_a_device_is_counted_and_limited) {
  const Device d = emulated_number(1);
  d.empty_cache();
  d.reset_memory_peak();
  const memory::Statistics before = d.memory_statistics();
  {
    const Array a = ones({1 << 20}).to_device(d);
    EXPECT_EQ(d.memory_statistics().in_use, before.in_use + (int64_t(4) << 20));
    EXPECT(d.memory_statistics().peak >= before.in_use + (int64_t(4) << 20));
    d.set_memory_limit(int64_t(24) << 20);
    EXPECT_THROW(MemoryError, "on @cuda-emulated:1; 4194304 bytes are in use there and ",
                 zeros({16 << 20}).to_device(d));
    d.set_memory_limit(0);
    EXPECT_EQ(to_host(sum(a)).item<float>(), 1048576.f);
  }
  EXPECT(d.memory_statistics().cached > before.cached);
  d.empty_cache();
  EXPECT_EQ(d.memory_statistics().in_use, before.in_use);
  const int64_t limit = memory::cache_limit();
  Device().set_memory_limit(1 << 20);
  EXPECT_EQ(memory::cache_limit(), 1 << 20);
  Device().set_memory_limit(0);
  EXPECT(memory::cache_limit() > limit);
  memory::set_cache_limit(limit);
}

TEST(hooks_look_at_the_memory_of_the_device) {
  const Variable x(ones({100, 100}).to_device(emulated_number(0)));
  function_hooks::MemoryProfileHook hook;
  {
    const FunctionHookScope scope(hook);
    (void)F::exp(x);
  }
  EXPECT(hook.total_used_bytes() >= 40000);
}

TEST(ranges_for_profilers) {
  const EnvironmentVariable named("CHAINER_NVTX_LIBRARY", FAKE_LIBCUDA);
  function_hooks::CUDAProfileHook hook;
  {
    const FunctionHookScope scope(hook);
    Variable x(ones({2}));
    F::sum(F::exp(x)).backward();
  }
  void* library = run_time_library::open(FAKE_LIBCUDA);
  const auto ranges = reinterpret_cast<const char* (*)()>(run_time_library::find(library, "fake_ranges"));
  const std::string all = ranges();
  EXPECT(all.starts_with("(CUDAProfileHook)(exp.forward)(Sum.forward)(Sum.backward("));
  EXPECT(std::count(all.begin(), all.end(), '(') == std::count(all.begin(), all.end(), ')'));
}

// With `stop`, the loss and the gradients are checked on a device also, before any parameter changes.
TEST(nan_on_a_device_stops_an_update) {
  const Device d = emulated_number(0);
  L::Linear model(3, 2);
  model.to_device(d);
  auto optimizer = optimizers::SGD().setup(model);
  optimizer.on_nan = optimizer::OnNan::stop;
  const Variable x(ones({4, 3}).to_device(d)), bad(full({4, 3}, std::numeric_limits<float>::quiet_NaN()).to_device(d));
  const std::vector<float> before = to_host(model.W.array()).to_vector<float>();
  EXPECT_THROW(RuntimeError, "the loss is NaN in update 1", optimizer.update([&] { return F::sum(model(bad)); }));
  model.cleargrads();
  F::sum(model(bad)).backward();
  EXPECT_THROW(RuntimeError, "the gradient of /W is NaN in update 1", optimizer.update());
  EXPECT(to_host(model.W.array()).to_vector<float>() == before);
  optimizer.update([&] { return F::sum(model(x)); });
  EXPECT_EQ(optimizer.t, 1);
}

TEST(noise_for_gradients_on_a_device) {
  const Device d = emulated_number(0);
  L::Linear model(3, 2);
  model.to_device(d);
  auto optimizer = optimizers::SGD().setup(model);
  optimizer.add_hook(optimizer_hooks::GradientNoise(0.1));
  optimizer.update([&] { return F::sum(model(Variable(ones({4, 3}).to_device(d)))); });
  EXPECT(model.W.array().device() == d);
}
