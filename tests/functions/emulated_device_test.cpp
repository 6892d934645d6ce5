// SPDX-License-Identifier: MIT
// The table of functions on "@cuda-emulated:0", whose kernels run with threads and blocks in three orders, as late as
// streams allow.
#include "chainer/backend/cuda/emulation/emulation.h"

#include <cstdio>
#include <cstdlib>

#include "device_table.h"

using namespace chainer;

namespace {

void table_in(cuda::emulation::Order order) {
  const cuda::emulation::Counts before = cuda::emulation::counts();
  cuda::emulation::set_order(order, 5);
  const char* chosen = std::getenv("CHAINER_TEST_DEVICE");  // tests/cuda/day
  const UsingConfig exact(&Config::use_cudnn_tensor_core, "never");
  EXPECT(device_table::rows_on(get_device(chosen ? chosen : "@cuda-emulated:0")) > 900);
  cuda::emulation::set_order(cuda::emulation::Order::forward);
  const cuda::emulation::Counts n = cuda::emulation::counts();
  std::printf("  %lld launches, %lld threads, %.2f s in kernels\n",
              static_cast<long long>(n.launches - before.launches), static_cast<long long>(n.threads - before.threads),
              n.seconds - before.seconds);
}

}  // namespace

TEST(the_table_on_the_emulated_device) { table_in(cuda::emulation::Order::forward); }
TEST(the_table_on_the_emulated_device_backward) { table_in(cuda::emulation::Order::backward); }
TEST(the_table_on_the_emulated_device_shuffled) { table_in(cuda::emulation::Order::shuffled); }
