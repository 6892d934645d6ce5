// SPDX-License-Identifier: MIT
// Errors of a device that is out of memory, rejects a call, or is lost.
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>

#include <chainer/chainer.h>

#include "chainer/array/deferred/deferred.h"
#include "chainer/array/host.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/emulation/driver_emulated.h"
#include "chainer/core/sanitizer.h"
#include "environment_variable.h"
#include "test.h"
#include "wrong_kernels.h"

using namespace chainer;
using namespace chainer::cuda;
using emulation::EmulatedDriver;

namespace {

struct OwnDevice {
  std::unique_ptr<EmulatedDriver> made;
  EmulatedDriver& driver;
  CudaBackend backend;
  Device device{backend, 0};
  explicit OwnDevice(std::size_t mebibytes = 64, bool eager = false)
      : made(std::make_unique<EmulatedDriver>(
            EmulatedDriver::Options{.devices = 2, .memory = mebibytes << 20, .eager = eager})),
        driver(*made),
        backend(std::move(made), "@own") {}
  // Launches a faulty kernel without the knowledge of the backend.
  void launch_wrong(const char* kernel, const Array& x, int n) {
    WrongArgs args{reinterpret_cast<float*>(static_cast<char*>(const_cast<void*>(x.raw())) + driver.distance()), n};
    driver.launch(backend.stream(0), {kernel, {1, 1, 1}, {64, 1, 1}, 0, sizeof args, &typeid(WrongArgs)}, &args);
  }
};

}  // namespace

TEST(devices_have_names_and_numbers) {
  EXPECT(get_device("@cuda-emulated:1").name() == "@cuda-emulated:1");
  EXPECT(get_device("@cuda-emulated") == get_device("@cuda-emulated:0"));
  EXPECT_THROW(DeviceError, "no device '@cuda-emulated:7'; the number of devices is 2", get_device("@cuda-emulated:7"));
  EXPECT_THROW(DeviceError, "no device '@cuda-emulated:x'", get_device("@cuda-emulated:x"));
  const Array a = ones({3}).to_device(get_device("@cuda-emulated:0"));
  EXPECT_THROW(DeviceError, "add: operands are on different devices", a + a.to_device(get_device("@cuda-emulated:1")));
  EXPECT(to_host(a.to_device(get_device("@cuda-emulated:1")) * 2.0).to_vector<float>() == std::vector<float>(3, 2.f));
  EXPECT_THROW(DeviceError, "@cuda-emulated:0", a.data<float>());
}

// Also without a pool, where memory is freed after waiting for the device.
TEST(releasing_memory_throws_no_error_of_the_device) {
  for (const char* pool : {"", "none"}) {
    const EnvironmentVariable chosen("CHAINER_CUDA_POOL", pool);
    for (const int call : {1, 2, 3}) {
      OwnDevice own;
      Array a = ones({100}).to_device(own.device);
      (void)a.raw();
      own.device.synchronize();
      own.driver.fail_at(call);
      a = Array();
      EXPECT_EQ(own.device.memory_statistics().in_use, 0);
      own.driver.fail_at(0);
      own.device.empty_cache();
      EXPECT_EQ(own.device.memory_statistics().cached, 0);
    }
  }
}

TEST(no_room_is_an_error_that_counts) {
  OwnDevice own(8);
  const Array a = zeros({1 << 20}).to_device(own.device);
  EXPECT_THROW(MemoryError, "@own:0", zeros({2 << 20}).to_device(own.device));
  EXPECT_EQ(own.device.memory_statistics().in_use, int64_t(4) << 20);
  EXPECT(to_host(sum(a)).item<float>() == 0);
}

TEST(cached_memory_serves_before_there_is_no_room) {
  OwnDevice own(32);
  { const Array a = zeros({3 << 20}).to_device(own.device); }
  EXPECT(own.device.memory_statistics().cached >= int64_t(12) << 20);
  const Array b = zeros({6 << 20}).to_device(own.device);
  EXPECT(own.device.memory_statistics().in_use >= int64_t(24) << 20);
  own.backend.empty_cache(0);
}

// A deferred sum holds the last reference to its operand; it is computed before a request for memory fails.
TEST(waiting_work_runs_before_there_is_no_room) {
  OwnDevice own(19);
  const Array small = ones({1}).to_device(own.device);  // its segment comes before the others
  Array a = ones({2 << 20}).to_device(own.device);
  const Array s = sum(a * 2.0);
  a = {};
  if (!deferred::enabled()) return;
  EXPECT_EQ(own.device.memory_statistics().in_use >> 20, int64_t(8));
  const int64_t programs = deferred::statistics().programs;
  const Array b = zeros({3 << 20}).to_device(own.device);
  EXPECT_EQ(deferred::statistics().programs, programs + 1);
  EXPECT_EQ(own.device.memory_statistics().in_use >> 20, int64_t(12));
  EXPECT(to_host(s).item<float>() == 4 << 20);
}

// The same for a request of a running program. Deferred work of another device is not affected.
TEST(a_program_without_room_lets_others_run_first) {
  OwnDevice own(32);
  const Device other(own.backend, 1);
  if (!deferred::enabled()) return;
  Array w = ones({3 << 20}).to_device(own.device);
  const Array x = ones({3 << 20}).to_device(own.device), y = x + 1.0, s = sum(w), far = x.to_device(other) + 1.0;
  w = {};
  EXPECT_EQ(deferred::statistics().waiting, 3);
  EXPECT(to_host(sum(y)).item<float>() == 6 << 20);
  const Array z = exp(y);
  EXPECT(to_host(z).to_vector<float>()[7] == std::exp(1.f + 1.f));
  EXPECT(to_host(s).item<float>() == 3 << 20 && to_host(sum(far)).item<float>() == 6 << 20);
}

// Work that finds no memory stays deferred, and is computed when memory is available.
TEST(what_finds_no_room_waits_until_there_is_some) {
  OwnDevice own(32);
  if (!deferred::enabled()) return;
  Array a = ones({3 << 20}).to_device(own.device);
  const Array b = ones({3 << 20}).to_device(own.device), c = b * 2.0, d = exp(b);
  EXPECT_THROW(MemoryError,
               "multiply: cannot allocate 12582912 bytes for an array of shape (3145728,) and dtype float32 on @own:0; "
               "25166336 bytes are in use there and ",
               to_host(c));
  EXPECT_THROW(MemoryError, "exp: cannot allocate 12582912 bytes", to_host(d));
  EXPECT_THROW(MemoryError, "on @own:0; 25166336 bytes are in use there", b.copy());
  EXPECT_EQ(deferred::statistics().waiting, 2);
  a = {};
  EXPECT(to_host(c).to_vector<float>()[5] == 2);
  EXPECT_THROW(MemoryError, "exp: cannot allocate 12582912 bytes", to_host(d));
}

// Each driver call of a small program fails in turn: an exception is thrown at this call or a later one, and the device
// remains usable.
TEST(a_driver_that_fails_at_its_nth_call) {
  OwnDevice own;
  const Array host = arange(3000).astype(float32);
  const auto program = [&] {
    const Array a = host.to_device(own.device), b = exp(a * 0.001) + a;
    return to_host(sum(matmul(b.reshape({30, 100}), b.reshape({100, 30})), 0)).to_vector<float>();
  };
  const std::vector<float> want = program();
  int failed = 0;
  for (int n = 1; n < 60; ++n) {
    own.backend.empty_cache(0);
    own.driver.fail_at(n);
    try {
      EXPECT(program() == want);
    } catch (const DeviceError& e) {
      ++failed;
      EXPECT(std::string(e.what()).find("told to fail") != std::string::npos);
    } catch (const MemoryError&) { ++failed; }
    own.driver.fail_at(0);
    EXPECT(program() == want);
    own.backend.empty_cache(0);
    EXPECT_EQ(own.device.memory_statistics().in_use, 0);
  }
  EXPECT(failed > 5);
}

// A training step with normalization and rows by index, of which each driver call fails in turn, can be repeated.
TEST(a_step_that_failed_can_be_repeated) {
  OwnDevice own;
  const Array ids = random::RandomState(1).randint(0, 9, {40}), labels = random::RandomState(2).randint(0, 4, {40});
  L::EmbedID embed(9, 6);
  L::BatchNormalization norm(6);
  for (Link* link : std::initializer_list<Link*>{&embed, &norm}) link->to_device(own.device);
  const auto step = [&] {
    embed.cleargrads(), norm.cleargrads();
    const Variable y = norm(embed(ids.to_device(own.device)));
    F::softmax_cross_entropy(y, labels.to_device(own.device)).backward();
    std::vector<float> out = to_host(embed.W.grad()).to_vector<float>();
    for (const float v : to_host(norm.gamma->grad()).to_vector<float>()) out.push_back(v);
    return out;
  };
  const std::vector<float> want = step();
  int failed = 0;
  for (int n = 1; n < 80; ++n) {
    own.driver.fail_at(n);
    try {
      EXPECT(step() == want);
    } catch (const DeviceError&) { ++failed; } catch (const MemoryError&) {
      ++failed;
    }
    own.driver.fail_at(0);
    EXPECT(step() == want);
  }
  EXPECT(failed > 20);
}

TEST(a_lost_device_says_what_was_launched) {
  for (const bool eager : {false, true}) {
    OwnDevice own(64, eager);
    Array a = arange(64).astype(float32).to_device(own.device) + 1.0;
    a.raw();
    if (eager)
      EXPECT_THROW(DeviceError, "two_barriers, block (0, 0, 0)", own.launch_wrong("two_barriers", a, 0));
    else
      own.launch_wrong("two_barriers", a, 0);
    EXPECT_THROW(DeviceError, "@own:0 is lost: two_barriers, block (0, 0, 0), thread (", to_host(a));
    EXPECT_THROW(DeviceError, "launched last: fill_float64 program", (a * 2.0).raw());
    EXPECT_THROW(DeviceError, "is lost", own.device.synchronize());
    a = Array();  // releasing is silent
    const Array other = ones({3}).to_device(Device(own.backend, 1));
    EXPECT(to_host(other + other).to_vector<float>() == std::vector<float>(3, 2.f));
  }
}

TEST(a_child_of_fork_has_no_device) {
  OwnDevice own;
  const Array a = ones({4}).to_device(own.device);
  const pid_t child = fork();
  if (child == 0) {
    try {
      (void)to_host(a);
    } catch (const DeviceError& e) {
      _exit(std::string(e.what()).find("a child process of fork()") == std::string::npos);
    }
    _exit(2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT(to_host(a).to_vector<float>() == std::vector<float>(4, 1.f));
}

// The host cannot access memory of the device. The address sanitizer detects kernels that access memory after the end
// of a block or of shared memory.
TEST(memory_that_is_not_ones_own_ends_the_program) {
  const auto ends = [](const auto& f) {
    const pid_t child = fork();
    if (child == 0) {
      std::freopen("/dev/null", "w", stderr);
      try {
        f();
      } catch (...) {}
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  };
  const Array b = ones({4}).to_device(get_device("@cuda-emulated:0"));
  EXPECT(ends([&] { _exit(*static_cast<const volatile char*>(b.raw()) == 0 ? 0 : 0); }));
  if (!kSanitized) return;
  const auto runs = [](const char* kernel, int n) {
    EmulatedDriver driver({.devices = 1, .memory = std::size_t(4) << 20, .eager = true});
    const Stream s = driver.make_stream(0);
    void* p = driver.allocate(0, 2 << 20);
    driver.begin_block(0, s, p, 256, 512);
    WrongArgs args{reinterpret_cast<float*>(static_cast<char*>(p) + driver.distance()), n};
    driver.launch(s, {kernel, {1, 1, 1}, {64, 1, 1}, 0, sizeof args, &typeid(WrongArgs)}, &args);
  };
  for (const char* kernel : {"behind_the_end", "behind_shared"}) {
    EXPECT(!ends([&] { runs(kernel, 0); }));
    EXPECT(ends([&] { runs(kernel, 1); }));
  }
}
