// SPDX-License-Identifier: MIT
// The table of functions on "@reference", a device whose memory the host cannot reach: code that bypasses the interface
// of backends crashes here, code that mixes devices throws.
#include <chainer/array/host.h>
#include <chainer/routines/npy.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "device_table.h"
#include "test.h"

using namespace chainer;

namespace {

const Device& reference() {
  static const Device d = get_device("@reference");
  return d;
}

}  // namespace

TEST(the_table_on_the_reference_device) { EXPECT(device_table::rows_on(reference()) > 900); }

// Memory order, views, casts, assignment and printing also use the interface.
TEST(arrays_on_the_reference_device) {
  const Array a = arange(24).astype(float32).reshape({2, 3, 4}), b = a.to_device(reference());
  EXPECT(b.device().name() == "@reference");
  EXPECT(b.to_device(Device()).to_vector<float>() == a.to_vector<float>());
  EXPECT(b.T().to_device(Device()).to_vector<float>() == a.T().to_vector<float>());
  EXPECT(b.T().to_device(Device()).strides() == a.T().strides());
  EXPECT(repr(b) == repr(a));
  EXPECT_EQ((b[{1, 2, 3}].item<int>()), 23);
  EXPECT(to_npy(b) == to_npy(a));
  Array c = b.copy();
  c.set({0, Slice(), 1}, -1);
  c += 1.0;
  EXPECT_EQ((c[{0, 2, 1}].item<int>()), 0);
  EXPECT(b[{b > 20}].to_vector<float>() == a[{a > 20}].to_vector<float>());
  EXPECT(argsort(-b, 0).to_vector<int>() == argsort(-a, 0).to_vector<int>());
  EXPECT(concatenate({a, b}).device() == reference());
  EXPECT(to_host(b + a).to_vector<float>() == (a + a).to_vector<float>());
  EXPECT_THROW(DeviceError, "@reference", b.data<float>());
  const Device other(reference().backend(), 1);
  EXPECT_THROW(DeviceError, "add: operands are on different devices", b + a.to_device(other));
  EXPECT(b.to_device(other).to_vector<float>() == a.to_vector<float>());
}

// Reading through a pointer of the device ends the process.
TEST(pointers_of_the_reference_device_lead_nowhere) {
  const Array b = ones({4}).to_device(reference());
  const pid_t child = fork();
  if (child == 0) {
    std::freopen("/dev/null", "w", stderr);  // hides a sanitizer's report
    _exit(*static_cast<const volatile char*>(b.raw()) == 0 ? 0 : 0);
  }
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child);
  EXPECT(!WIFEXITED(status) || WEXITSTATUS(status) != 0);
}

TEST(large_arrays_wait_and_run_on_the_reference_device) {
  const Array a = random::RandomState(2).randn({64, 100}), b = a.to_device(reference());
  const auto expression = [](const Array& x) { return sum(where(x > 0, exp(x) * 2.0, x.astype(float32)), 0); };
  const deferred::Statistics before = deferred::statistics();
  const Array result = expression(b);
  EXPECT(deferred::statistics().waiting > before.waiting);
  EXPECT_CLOSE(to_host(result), expression(a), {});
  EXPECT_CLOSE(to_host(sum(square(b) + b, 1)), sum(square(a) + a, 1), {});
}

TEST(transfers_are_counted) {
  const Transfers before = transfers();
  const Array a = ones({3}).to_device(reference());
  (void)to_host(a + a);
  EXPECT_EQ(transfers().to_device, before.to_device + 1);
  EXPECT_EQ(transfers().to_host, before.to_host + 1);
}
