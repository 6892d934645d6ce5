// SPDX-License-Identifier: MIT
// Memory of a device that belongs to other code.
#include <chainer/chainer.h>

#include "chainer/array/backend.h"
#include "chainer/array/captured_work.h"
#include "chainer/array/external.h"
#include "chainer/array/host.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/emulation/driver_emulated.h"
#include "chainer/core/system/poison.h"
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
