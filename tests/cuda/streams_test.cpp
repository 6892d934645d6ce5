// SPDX-License-Identifier: MIT
// Streams of the emulated device run as late as possible, so that a missing wait fails every time.
#include <algorithm>
#include <cstring>
#include <vector>

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

namespace {

std::vector<char> mixed_bytes(std::size_t n) {
  std::vector<char> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<char>(i * 2654435761u >> 13);
  return out;
}

// A device with a stream of work, and copies to it.
struct CopiesTo {
  EmulatedDriver driver;
  Stream work = driver.make_stream(0);
  Staging staging;
  std::size_t room;
  char* memory;
  CopiesTo(std::size_t mebibytes, std::size_t bytes, std::size_t most)
      : driver({.devices = 1, .memory = mebibytes << 20}),
        staging(driver, 0, most),
        room(bytes),
        memory(static_cast<char*>(driver.allocate(0, bytes))) {
    driver.begin_block(0, work, memory, bytes, bytes);
  }
  ~CopiesTo() { driver.end_stream(work); }
  // The caller changes its memory as soon as the call returns.
  void send(std::size_t to, const char* from, std::size_t n) {
    std::vector<char> changing(from, from + n);
    staging.copy_to_device(work, memory + to, changing.data(), n);
    std::fill(changing.begin(), changing.end(), 0);
  }
  std::vector<char> fetched() {
    std::vector<char> out(room);
    driver.copy_to_host(work, out.data(), memory, room);
    return out;
  }
};
constexpr std::size_t kMebibyte = std::size_t(1) << 20;

}  // namespace

// 40 MiB through rings of 16 MiB and a landing zone of 4 parts: each is reused only after its copies have run.
TEST(parts_of_the_way_to_a_device_are_reused_after_their_copies) {
  const std::vector<char> from = mixed_bytes(40 * kMebibyte + 12);
  for (const std::size_t piece : {std::size_t(300007), std::size_t(1000003)}) {  // a small and a large one
    CopiesTo d(96, from.size(), 4);
    const std::size_t half = from.size() / 2;
    d.send(0, from.data(), half);
    for (std::size_t i = half; i < from.size(); i += piece)
      d.send(i, from.data() + i, std::min(piece, from.size() - i));
    EXPECT(EmulatedDriver::waiting(d.work) > 0);
    EXPECT(d.fetched() == from);
    EXPECT_EQ(d.staging.parts(), std::size_t(4));
  }
}

// None of the work of the device runs while 64 MiB are sent, and small copies stay in its stream.
TEST(copies_do_not_wait_for_the_work_of_the_device) {
  const std::vector<char> from = mixed_bytes(64 * kMebibyte);
  CopiesTo d(160, from.size(), Staging::kMostParts);
  const auto works = EmulatedDriver::waiting(d.work);
  d.send(0, from.data(), Staging::kSmall);
  EXPECT_EQ(EmulatedDriver::waiting(d.work), works + 1);
  EXPECT_EQ(d.staging.parts(), std::size_t(0));
  d.send(0, from.data(), from.size());
  EXPECT_EQ(EmulatedDriver::waiting(d.work), works + 1 + 2 * 16);  // a wait and a copy for each part
  EXPECT_EQ(d.staging.parts(), std::size_t(16));
  EXPECT(d.fetched() == from);
  d.send(0, from.data() + 1, 20 * kMebibyte);
  EXPECT_EQ(d.staging.parts(), std::size_t(16));  // parts that the work has taken are used again
  EXPECT(d.fetched()[7] == from[8]);
}

// The place of the copy may be memory that earlier work still reads. (Of 20 MiB the first have left the pinned memory
// when the call returns.)
TEST(a_copy_arrives_after_the_earlier_work_on_its_place) {
  CopiesTo d(64, 20 * kMebibyte, Staging::kMostParts);
  const std::vector<char> first = mixed_bytes(d.room), second(first.size(), 5);
  auto* const pinned = static_cast<char*>(d.driver.allocate_pinned(0, first.size()));
  d.send(0, first.data(), first.size());
  d.driver.copy_to_host(d.work, pinned, d.memory, first.size());
  d.send(0, second.data(), second.size());
  EXPECT(d.fetched() == second);
  EXPECT(std::equal(first.begin(), first.end(), pinned));
  d.driver.release_pinned(pinned, first.size());
}

TEST(without_memory_for_landing_copies_are_in_the_stream_of_the_work) {
  const std::vector<char> from = mixed_bytes(13 * kMebibyte);
  CopiesTo d(14, from.size(), Staging::kMostParts);
  d.send(0, from.data(), from.size());
  EXPECT_EQ(d.staging.parts(), std::size_t(0));
  EXPECT(d.fetched() == from);
}

TEST(the_landing_zone_can_be_given_back) {
  const std::vector<char> from = mixed_bytes(6 * kMebibyte);
  CopiesTo d(14, from.size(), Staging::kMostParts);
  EXPECT(!d.staging.release_zone(d.work));
  d.send(0, from.data(), from.size());
  EXPECT(d.driver.allocate(0, 7 * kMebibyte) == nullptr);
  EXPECT(d.staging.release_zone(d.work));
  EXPECT(d.driver.allocate(0, 7 * kMebibyte) != nullptr);
  EXPECT_EQ(d.staging.parts(), std::size_t(0));
  d.send(0, from.data() + 1, from.size() - 1);
  EXPECT(d.fetched()[100] == from[101]);
}

// Two streams of a device as those of two libraries.
TEST(streams_of_two_libraries_wait_for_each_other) {
  StreamsOfTwo t;
  const std::uintptr_t other = t.driver.handle(t.second);
  t.put(t.first, t.a, 1);
  t.driver.let_other_wait(other, t.first);
  EXPECT(t.get(t.a, t.second) == 1);
  t.put(t.second, t.a, 2);
  t.driver.wait_for_other(t.first, other);
  EXPECT(t.get(t.a, t.first) == 2);
  t.driver.wait_for_other(t.second, other), t.driver.let_other_wait(other, t.second);  // itself
  t.put(t.first, t.a, 3);
  t.driver.let_other_wait(1, t.first);
  EXPECT_EQ(EmulatedDriver::waiting(t.first), std::size_t(0));
  EXPECT_THROW(DeviceError, "no stream with the handle 12345", t.driver.wait_for_other(t.first, 12345));
}
