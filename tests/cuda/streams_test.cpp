// SPDX-License-Identifier: MIT
// Streams of the emulated device run as late as possible, so that a missing wait fails every time.
#include <cstring>

#include "chainer/backend/cuda/emulation/driver_emulated.h"
#include "chainer/backend/cuda/staging.h"
#include "test.h"
#include "wrong_kernels.h"

using namespace chainer;
using namespace chainer::cuda;
using emulation::EmulatedDriver;

namespace {

struct StreamsOfTwo {
  EmulatedDriver driver{{.devices = 1, .memory = std::size_t(64) << 20}};
  Stream first = driver.make_stream(0), second = driver.make_stream(0);
  float* a = static_cast<float*>(driver.allocate(0, std::size_t(2) << 20));
  float* b = a + 1024;
  float* pinned = static_cast<float*>(driver.allocate_pinned(0, 4096));

  StreamsOfTwo() {
    driver.begin_block(0, first, a, 8192, 8192);
    driver.synchronize(first);
  }
  ~StreamsOfTwo() {
    driver.end_stream(first), driver.end_stream(second);
    driver.release_pinned(pinned, 4096);
  }
  void put(Stream s, float* to, float value) { driver.copy_to_device(s, to, &value, sizeof value); }
  float get(const float* from, Stream s) {
    float v = 0;
    driver.copy_to_host(s, &v, from, sizeof v);
    return v;
  }
};

}  // namespace

TEST(copies_run_when_somebody_waits) {
  StreamsOfTwo t;
  t.put(t.first, t.a, 1);
  t.driver.copy_to_host(t.first, t.pinned, t.a, sizeof(float));
  EXPECT(t.pinned[0] == 0);
  t.driver.synchronize(t.first);
  EXPECT(t.pinned[0] == 1);
  t.put(t.first, t.a, 2);
  EXPECT(t.get(t.a, t.first) == 2);  // copies from pageable memory are done when the call returns
  t.pinned[0] = 7;
  float pageable = 7;
  t.driver.copy_to_device(t.first, t.a, t.pinned, sizeof(float));
  t.driver.copy_to_device(t.first, t.b, &pageable, sizeof(float));
  t.pinned[0] = pageable = 8;
  EXPECT(t.get(t.a, t.first) == 8 && t.get(t.b, t.first) == 7);  // pinned memory is read late
}

TEST(another_stream_sees_old_elements_without_an_event) {
  StreamsOfTwo t;
  t.put(t.first, t.a, 1);
  EXPECT(t.get(t.a, t.first) == 1);
  t.put(t.first, t.a, 2);
  EXPECT(t.get(t.a, t.second) == 1);
  const Event e = t.driver.make_event(0);
  t.driver.record(e, t.first);
  t.driver.wait(t.second, e);
  EXPECT(t.get(t.a, t.second) == 2);
  t.put(t.first, t.a, 3);
  t.driver.record(e, t.first);
  t.put(t.first, t.a, 4);
  t.driver.synchronize(e);
  EXPECT(t.get(t.a, t.second) == 3);
  t.driver.end_event(e);
}

TEST(eager_streams_run_at_the_call) {
  EmulatedDriver driver({.devices = 1, .memory = std::size_t(4) << 20, .eager = true});
  const Stream s = driver.make_stream(0);
  void* p = driver.allocate(0, 4096);
  driver.begin_block(0, s, p, 4096, 4096);
  auto* pinned = static_cast<float*>(driver.allocate_pinned(0, 4096));
  const float one = 1;
  driver.copy_to_device(s, p, &one, sizeof one);
  driver.copy_to_host(s, pinned, p, sizeof one);
  EXPECT(pinned[0] == 1 && EmulatedDriver::waiting(s) == 0);
  driver.end_stream(s);
}

// 40 MiB through a ring buffer of 16 MiB: parts are reused only after their copies have run.
TEST(staging_waits_for_its_parts) {
  EmulatedDriver driver({.devices = 1, .memory = std::size_t(64) << 20});
  const Stream s = driver.make_stream(0);
  {
    Staging staging(driver, 0);
    const std::size_t n = (std::size_t(40) << 20) + 12;
    std::vector<char> from(n), back(n);
    for (std::size_t i = 0; i < n; ++i) from[i] = static_cast<char>(i * 2654435761u >> 13);
    char* p = static_cast<char*>(driver.allocate(0, std::size_t(42) << 20));
    driver.begin_block(0, s, p, n, n);
    std::vector<char> changed = from;
    staging.copy_to_device(s, p, changed.data(), n / 2);
    for (std::size_t i = n / 2; i < n; i += 1000003)
      staging.copy_to_device(s, p + i, changed.data() + i, std::min<std::size_t>(1000003, n - i));
    EXPECT(EmulatedDriver::waiting(s) > 0);
    std::fill(changed.begin(), changed.end(), 0);
    driver.copy_to_host(s, back.data(), p, n);
    EXPECT(back == from);
  }
  driver.end_stream(s);
}
