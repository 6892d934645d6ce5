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

TEST(arrays_on_a_device_in_objects) {
  const Array a = array({1.f, 2.f, 3.f}), b = a.to_device(get_device("@cuda-emulated:0"));
  EXPECT(chainermn::Object(a) == chainermn::Object(b));
  EXPECT(chainermn::encode(chainermn::Object(a)) == chainermn::encode(chainermn::Object(b)));
}

// Ranks whose models begin with other values get those of rank 0.
TEST(models_on_devices_begin_with_the_same_values) {
  const auto c = chainermn::create_communicator("pure_nccl");
  random::seed(static_cast<uint32_t>(c->rank()));
  Net model;
  model.to_device(device_of(c));
  auto optimizer = chainermn::create_multi_node_optimizer(optimizers::SGD(0.1), c).setup(model);
  const Array x = ones({4, 6}).astype(float32).to_device(device_of(c));
  for (int step = 0; step < 2; ++step) optimizer.update([&] { return F::sum(model(x)); });
  std::vector<Array> values;
  for (const auto& p : model.params()) {
    EXPECT(p.array().device() == device_of(c));
    values.push_back(to_host(p.array()));
  }
  EXPECT(same_on_all_ranks(c, values));
}

TEST(arrays_on_devices_are_sent) {
  const auto c = chainermn::create_communicator("naive");
  if (c->size() != 2) return;
  const Device d = device_of(c);
  const int rank = c->rank(), other = 1 - rank;
  const Array mine = full({3}, static_cast<float>(rank + 1)).to_device(d), both = array({3.f, 3.f, 3.f});
  const auto equal = [](const Array& a, double value) { return all(to_host(a) == value).item<bool>(); };
  const auto is_there = [&](const Array& a, double value) { return a.device() == d && equal(a, value); };
  EXPECT(is_there(c->allreduce(mine), 3));
  EXPECT(is_there(c->bcast(mine), 1));
  for (const Arrays& out : {c->allgather(mine), c->alltoall({mine, mine})})
    EXPECT(is_there(out[0], 1) && is_there(out[1], 2));
  const Arrays gathered = c->gather(mine);
  if (rank == 0) EXPECT(is_there(gathered[0], 1) && is_there(gathered[1], 2));
  EXPECT(equal(c->scatter(Arrays{mine, mine}), 1));
  if (rank == 0) c->send(mine, other);
  if (rank == 1) EXPECT(equal(c->recv(other), 1));
}

// The values, gradients and second gradients of the host.
TEST(functions_communicate_between_devices) {
  const auto c = chainermn::create_communicator("naive");
  if (c->size() != 2) return;
  const auto run = [&](const Device& d) {
    Variable x(random::RandomState(static_cast<uint32_t>(c->rank())).randn({2, 3}, float32).to_device(d));
    const Variables all = chainermn::functions::allgather(c, x), each = chainermn::functions::alltoall(c, {x, x * x});
    const Variable mean = chainermn::functions::mean_over_ranks(c, x * x), root = chainermn::functions::bcast(c, x * x);
    EXPECT(all[1].device() == d && each[1].device() == d && mean.device() == d && root.device() == d);
    const Variable y = F::sum(all[0] * all[1] + each[0] * each[1] + mean * root);
    const Variable gx = grad({y}, {x}, {.enable_double_backprop = true})[0];
    EXPECT(gx.device() == d);
    const Variable ggx = grad({F::sum(gx * gx)}, {x})[0];
    return Arrays{to_host(y.array()), to_host(gx.array()), to_host(ggx.array())};
  };
  const Arrays want = run(Device()), got = run(device_of(c));
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_CLOSE(got[i], want[i], {.atol = 1e-5, .rtol = 1e-5});
}

TEST(links_communicate_between_devices) {
  const auto c = chainermn::create_communicator("naive");
  if (c->size() != 2) return;
  const auto normalized = [&](const Device& d) {
    chainermn::links::MultiNodeBatchNormalization bn(3, c);
    bn.to_device(d);
    const Variable x(random::RandomState(static_cast<uint32_t>(c->rank())).randn({4, 3}, float32).to_device(d));
    const Variable y = bn(x);
    F::sum(y * y * y).backward();
    chainermn::extensions::AllreducePersistent(bn, c)();
    return Arrays{to_host(y.array()), to_host(x.grad()), to_host(bn.avg_mean), to_host(bn.avg_var)};
  };
  const Arrays want = normalized(Device()), got = normalized(device_of(c));
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_CLOSE(got[i], want[i], {.atol = 1e-5, .rtol = 1e-4});

  const auto chained = [&](const Device& d) {
    random::seed(3);
    L::Linear first(4, 5), second(5, 2);
    first.to_device(d), second.to_device(d);
    chainermn::MultiNodeChainList model(c);
    if (c->rank() == 0)
      model.add_link(first, {.rank_out = 1});
    else
      model.add_link(second, {.rank_in = 0});
    const Variable x(random::RandomState(4).randn({3, 4}, float32).to_device(d));
    const Variable y = model.forward(c->rank() == 0 ? Variables{x} : Variables())[0];
    (c->rank() == 0 ? y : F::sum(y * y)).backward();
    return to_host(c->rank() == 0 ? first.W.grad() : second.W.grad());
  };
  EXPECT_CLOSE(chained(device_of(c)), chained(Device()), {.atol = 1e-5, .rtol = 1e-4});
}
