// SPDX-License-Identifier: MIT
// Training with several ranks on devices. CHAINER_NCCL_LIBRARY names the substitute for NCCL, or none.
#include <cstdlib>
#include <string_view>

#include "chainer/array/host.h"
#include "chainer/core/system/run_time_library.h"
#include "ranks.h"

using namespace chainer;

namespace {

struct Net : Chain {
  L::Linear l1{6, 20}, l2{20, 3};
  CHAINER_MEMBERS(Net, l1, l2);
  Variable forward(const Variable& x) { return l2(F::tanh(l1(x))); }
};

// A function of the substitute, or null.
template <class F>
F* of_substitute(const char* name) {
  const char* const library = std::getenv("CHAINER_NCCL_LIBRARY");
  void* const opened = library ? run_time_library::open(library) : nullptr;
  return opened ? reinterpret_cast<F*>(run_time_library::find(opened, name)) : nullptr;
}
// The sums of NCCL's type so far; 0 without the substitute.
int64_t sums(int type) {
  auto* const count = of_substitute<int64_t(int)>("fake_sums");
  return count ? count(type) : 0;
}
bool has_substitute() { return of_substitute<int64_t(int)>("fake_sums") != nullptr; }

Device device_of(const chainermn::Communicator& c) {
  const char* const chosen = std::getenv("CHAINER_TEST_DEVICE");  // tests/cuda/day
  return get_device(chosen ? chosen : text("@cuda-emulated:", c->rank() % 2));
}

std::vector<Array> train(const chainermn::Communicator& c, const chainermn::MultiNodeOptimizerOptions& o,
                         const Device& device) {
  random::seed(5);
  Net model;
  model.to_device(device);
  auto optimizer = chainermn::create_multi_node_optimizer(optimizers::Adam(), c, o).setup(model);
  for (int step = 0; step < 10; ++step) {
    random::RandomState r(static_cast<uint32_t>(100 * step + c->rank()));
    const Array x = r.randn({4, 6}, float32).to_device(device), t = r.randint(0, 3, {4}, int32).to_device(device);
    optimizer.update([&] { return F::softmax_cross_entropy(model(x), t); });
  }
  std::vector<Array> out;
  for (const auto& p : model.params()) {
    EXPECT(p.array().device() == device);
    out.push_back(to_host(p.array()).copy());
  }
  return out;
}

double largest_difference(const std::vector<Array>& a, const std::vector<Array>& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, chainer::max(absolute(a[i] - b[i])).item<double>());
  return out;
}
bool same_on_all_ranks(const chainermn::Communicator& c, const std::vector<Array>& values) {
  chainermn::ObjectList mine;
  for (const Array& a : values) mine.emplace_back(a);
  const auto all = c->allgather_obj(chainermn::Object(mine));
  for (const auto& o : all)
    if (!(o == all[0])) return false;
  return true;
}

}  // namespace

TEST(training_on_devices_is_that_on_the_host) {
  const char* const library = std::getenv("CHAINER_NCCL_LIBRARY");
  EXPECT_EQ(has_substitute(), library && std::string_view(library) != "none");
  for (const char* name : {"hierarchical", "two_dimensional", "pure_nccl", "naive"})
    for (const bool buffered : {false, true}) {
      const auto c = chainermn::create_communicator(name);
      const chainermn::MultiNodeOptimizerOptions o{.double_buffering = buffered, .bucket_bytes = 300};
      const int64_t before = sums(7);
      const std::vector<Array> host = train(c, o, Device());
      EXPECT_EQ(sums(7), before);
      const std::vector<Array> here = train(c, o, device_of(c));
      EXPECT(largest_difference(host, here) < 1e-5);
      EXPECT(same_on_all_ranks(c, here));
      EXPECT_EQ(sums(7) > before, has_substitute() && std::string_view(name) != "naive");
    }
}

TEST(gradients_on_devices_are_added_in_another_dtype) {
  const auto c = chainermn::create_communicator("pure_nccl", {.allreduce_grad_dtype = float16});
  const auto exact = chainermn::create_communicator("hierarchical");
  const int64_t before = sums(6), before_bfloat16 = sums(9);
  const std::vector<Array> narrow = train(c, {}, device_of(c)), wide = train(exact, {}, device_of(c));
  EXPECT_EQ(sums(6) > before, has_substitute());
  EXPECT(largest_difference(narrow, wide) < 5e-3);
  EXPECT(same_on_all_ranks(c, narrow));
  (void)train(exact, {.compression = chainermn::Compression::bfloat16}, device_of(c));
  EXPECT_EQ(sums(9) > before_bfloat16, has_substitute());
}

TEST(a_failed_sum_over_devices_is_an_error) {
  auto* const fail = of_substitute<void(int)>("fake_fail");
  if (!fail) return;
  const auto c = chainermn::create_communicator("pure_nccl");
  c->barrier();
  fail(2);
  EXPECT_THROW(DeviceError, "ncclAllReduce: as it was told", train(c, {}, device_of(c)));
  fail(0);
  c->barrier();
}
