// SPDX-License-Identifier: MIT
// Memory of a device that belongs to other code.
#include <chainer/chainer.h>

#include <cstdlib>

#include "chainer/array/backend.h"
#include "chainer/array/captured_work.h"
#include "chainer/array/external.h"
#include "chainer/array/host.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/emulation/driver_emulated.h"
#include "chainer/core/system/poison.h"
#include "../environment_variable.h"
#include "test.h"

using namespace chainer;
using namespace chainer::cuda;
using emulation::EmulatedDriver;

namespace {

struct OtherOwner {
  std::unique_ptr<EmulatedDriver> made =
      std::make_unique<EmulatedDriver>(EmulatedDriver::Options{.devices = 1, .memory = std::size_t(64) << 20});
  EmulatedDriver& driver = *made;
  CudaBackend backend{std::move(made), "@other"};
  Device device{backend, 0};
  // Memory that the backend does not know, in the device's memory.
  float* memory = nullptr;
  bool released = false;
  OtherOwner() {
    device.synchronize();
    memory = static_cast<float*>(driver.allocate(0, 4096));
    unpoison(seen_by_the_host(), 4096);
  }
  Array array(std::function<void()> release) {
    const Array a = external_array(memory, {4}, float32, std::move(release), {.shared = true});
    a.body().device = device;
    return a;
  }
  float* seen_by_the_host() { return reinterpret_cast<float*>(reinterpret_cast<char*>(memory) + driver.distance()); }
};

}  // namespace

TEST(memory_of_others_is_fetched) {
  OtherOwner owner;
  Array a = owner.array([] {});
  a.fill(3);
  EXPECT(to_host(a).to_vector<float>() == std::vector<float>(4, 3.f));
  a.set({Slice()}, array({1.f, 2.f, 3.f, 4.f}));
  EXPECT_EQ(a[2].item<float>(), 3.f);
}

// The owner uses the memory again as soon as it is released.
TEST(memory_of_others_is_released_after_it_was_read) {
  OtherOwner owner;
  Array a = owner.array([&] {
    std::fill_n(owner.seen_by_the_host(), 4, 0.f);
    owner.released = true;
  });
  a.fill(2);
  const Array product = a * 5;
  (void)product.raw();
  a = Array();
  EXPECT(owner.released);
  EXPECT(to_host(product).to_vector<float>() == std::vector<float>(4, 10.f));
}

TEST(releasing_memory_of_others_keeps_errors) {
  OtherOwner owner;
  const Array table = ones({3, 2}).to_device(owner.device);
  Array a = owner.array([&] { owner.released = true; });
  const Array rows = take(table, array({int64_t(0), int64_t(7)}).to_device(owner.device), 0);
  (void)rows.raw();
  a = Array();
  EXPECT(owner.released);
  EXPECT_THROW(IndexError, "7", owner.device.synchronize());
}

TEST(memory_of_others_is_released_in_a_capture) {
  OtherOwner owner;
  Array a = owner.array([&] { owner.released = true; });
  Array y = zeros({4}).to_device(owner.device);
  (void)owner.backend.capture(0, [&] {
    y.fill(2);
    a = Array();
  });
  EXPECT(owner.released);
}

namespace {

// A stream of another library on the device that numbers stand for: an emulated one, which also shows what has not run,
// or, if a test does not need that, the one that is tested.
struct OtherLibrary {
  bool is_real;
  EnvironmentVariable numbered{"CHAINER_GPU", is_real ? "@cuda" : "@cuda-emulated"};
  Device device = get_device(0);
  CudaBackend& backend = dynamic_cast<CudaBackend&>(device.backend());
  Driver& driver = backend.driver();
  Stream stream = driver.make_stream(0);
  int64_t handle = static_cast<int64_t>(driver.handle(stream));
  explicit OtherLibrary(bool needs_emulation = true)
      : is_real(!needs_emulation && std::getenv("CHAINER_TEST_DEVICE")) {}
  ~OtherLibrary() { driver.end_stream(stream); }
  float read(const void* from) {
    float out = 0;
    driver.copy_to_host(stream, &out, from, sizeof out);
    return out;
  }
  void write(void* to, float value) { driver.copy_to_device(stream, to, &value, sizeof value); }
};

}  // namespace

// Only the order of the streams makes the results of one visible to the other; nothing waits on the host.
TEST(dlpack_orders_the_streams_of_two_libraries) {
  OtherLibrary other(false);
  const Array a = ones({3}).to_device(other.device);
  other.device.synchronize();
  const Array b = a * 3 + 1;
  const auto before = other.backend.counts(0);
  dlpack::ManagedTensorVersioned* t = to_dlpack(b, {.stream = other.handle});
  EXPECT_EQ(other.backend.counts(0).waits, before.waits);
  EXPECT(t->dl_tensor.device.device_type == dlpack::kCUDA);
  EXPECT_EQ(other.read(t->dl_tensor.data), 4.f);
  other.write(t->dl_tensor.data, 9);
  backends::cuda::Stream(other.device).wait_for(static_cast<std::uintptr_t>(other.handle));
  EXPECT_EQ(to_host(b).to_vector<float>()[0], 9.f);
  t->deleter(t);
}

TEST(a_consumer_may_need_no_order_or_none_of_ours) {
  OtherLibrary other;
  Array a = ones({3}).to_device(other.device);
  const auto shown = [&](std::optional<int64_t> stream) {
    other.device.synchronize();
    a.fill(stream ? static_cast<float>(*stream) : 7.f);
    dlpack::ManagedTensorVersioned* t = to_dlpack(a, {.stream = stream});
    const float seen = other.read(t->dl_tensor.data);
    t->deleter(t);
    return seen;
  };
  EXPECT_EQ(shown({}), 7.f);
  EXPECT_EQ(shown(-1), 7.f);  // the fill has not run
  EXPECT_EQ(shown(1), 1.f);
  EXPECT_EQ(shown(2), 2.f);
  for (const int64_t wrong : {int64_t(0), int64_t(-2)})
    EXPECT_THROW(ValueError, "the stream must be a handle of CUDA", (void)to_dlpack(a, {.stream = wrong}));
  EXPECT_THROW(DeviceError, "no stream with the handle 77", (void)to_dlpack(a, {.stream = 77}));
  EXPECT_THROW(ValueError, "absent for an array on the host, not 1", (void)to_dlpack(ones({2}), {.stream = 1}));
  const backends::cuda::Stream ours(other.device);
  EXPECT_THROW(ValueError, "Stream.wait_for: a stream has a handle", ours.wait_for(0));
  EXPECT_EQ(backends::cuda::Stream(Device()).ptr(), std::uintptr_t(1));
}

// A producer is given our handle, on whose stream its elements arrive.
TEST(memory_of_others_is_read_after_their_work) {
  OtherLibrary other(false);
  Array a = ones({1}).to_device(other.device);
  dlpack::ManagedTensorVersioned* t = to_dlpack(a, {.stream = other.handle});
  other.write(t->dl_tensor.data, 5);
  const backends::cuda::Stream ours(other.device);
  other.driver.let_other_wait(ours.ptr(), other.stream);
  const Array b = from_dlpack(t);
  EXPECT_EQ(to_host(b * 2).to_vector<float>()[0], 10.f);
}

TEST(captures_refuse_the_order_of_other_streams) {
  OtherLibrary other;
  const backends::cuda::Stream ours(other.device);
  const auto other_handle = static_cast<std::uintptr_t>(other.handle);
  const auto is_refused = [&](auto&& call) {
    try {
      (void)other.backend.capture(0, call);
    } catch (const NotCaptured&) { return true; }
    return false;
  };
  EXPECT(is_refused([&] { ours.wait_for(other_handle); }));
  EXPECT(is_refused([&] { ours.let_wait(other_handle); }));
}
