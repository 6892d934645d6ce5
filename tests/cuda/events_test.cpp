// SPDX-License-Identifier: MIT
// Streams, events and times with the names of the manual, on the emulated device.
#include <chainer/chainer.h>

#include <thread>

#include "chainer/array/host.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/emulation/driver_emulated.h"
#include "emulated_number.h"
#include "test.h"

using namespace chainer;
using backends::cuda::StreamScope;
using Place = backends::cuda::Event;  // (the backend has another Event)

namespace {

std::size_t waiting(const Device& d) {
  return cuda::emulation::EmulatedDriver::waiting(dynamic_cast<cuda::CudaBackend&>(d.backend()).stream(d.index()));
}

}  // namespace

// Two streams, an event between them, and an array that both use.
TEST(two_streams_of_a_device_are_one_order) {
  const Device d = emulated_number(0);
  const backends::cuda::Stream first(d), second(d);
  Array a = ones({40}).to_device(d);
  Place written;
  {
    const StreamScope scope(first);
    EXPECT(*current_device() == d);
    a += 1;
    written = first.record(written);
  }
  EXPECT(!current_device());
  second.wait_event(written);
  Array b;
  {
    const StreamScope scope(second);
    b = a * 3;
  }
  {
    const StreamScope scope(first);
    a += 10;  // after the product, which was requested earlier
  }
  EXPECT_CLOSE(to_host(b), full({40}, 6.0), {.atol = 0});
  EXPECT_CLOSE(to_host(a), full({40}, 12.0), {.atol = 0});
}

TEST(an_event_is_a_place_in_the_work) {
  const Device d = emulated_number(1);
  const backends::cuda::Stream stream(d);
  std::thread([&] { stream.use(), EXPECT(*current_device() == d); }).join();
  const StreamScope scope(stream);
  const Array x = ones({300}).to_device(d);
  Place begin, end;
  begin.record();
  const Array y = x * 2;  // waits in deferred evaluation until the event is recorded
  end.record();
  const Array z = ones({500}).to_device(d);
  const std::size_t before = waiting(d);
  EXPECT(before > 0 || std::getenv("CHAINER_EMULATED_STREAMS"));
  end.synchronize();
  EXPECT(waiting(d) < before || before == 0);
  EXPECT(backends::cuda::get_elapsed_time(begin, end) > 0);
  EXPECT(backends::cuda::get_elapsed_time(end, begin) < 0);
  stream.synchronize();
  EXPECT_EQ(waiting(d), 0u);
  EXPECT_CLOSE(to_host(y), full({300}, 2.0), {.atol = 0});
}

TEST(events_of_two_devices_have_no_time_between_them) {
  Place here, there, never;
  here.record(emulated_number(0)), there.record(emulated_number(1));
  EXPECT_THROW(DeviceError, "on another device", get_elapsed_time(here, there));
  EXPECT_THROW(ValueError, "the second event was not recorded", get_elapsed_time(here, never));
  never.synchronize();
  backends::cuda::Stream(emulated_number(0)).wait_event(there);  // the thread waits
  EXPECT_EQ(waiting(emulated_number(1)), 0u);
  Place host, later;
  host.record(Device()), later.record(Device());
  EXPECT(get_elapsed_time(host, later) >= 0);
  EXPECT_THROW(DeviceError, "on another device", get_elapsed_time(here, later));
}

// The hook measures times of the device, without waiting for them before they are read.
TEST(the_timer_hook_measures_the_device) {
  const Device d = emulated_number(0);
  auto& backend = dynamic_cast<cuda::CudaBackend&>(d.backend());
  const Variable x(random::RandomState(1).randn({200, 200}).astype(float32).to_device(d));
  function_hooks::TimerHook hook;
  d.synchronize();
  const auto before = backend.counts(0);
  {
    const FunctionHookScope scope(hook);
    F::sum(F::tanh(x)).backward();
  }
  const auto after = backend.counts(0);
  EXPECT_EQ(after.waits + after.fetched, before.waits + before.fetched);
  EXPECT(hook.call_history().size() >= 4);
  // 40000 elements on fibers take longer than the call that launches them.
  if (!std::getenv("CHAINER_EMULATED_STREAMS")) EXPECT(hook.call_history()[0].seconds > 1e-5);
  EXPECT(hook.total_time() > 0);
}
