// SPDX-License-Identifier: MIT
// Several devices: copies between them, moved links, models on two of them, and calls that mix them.
#include <chainer/chainer.h>

#include <atomic>
#include <thread>
#include <vector>

#include "chainer/array/host.h"
#include "emulated_number.h"
#include "test.h"

using namespace chainer;

namespace {

struct Net : Chain {
  L::Linear l1{20}, l2{3};
  CHAINER_MEMBERS(Net, l1, l2);
  Variable forward(const Variable& x) { return l2(F::tanh(l1(x))); }
};

AnyDataset data() {
  random::RandomState r(1);
  return datasets::TupleDataset(r.rand({40, 5}).astype(float32), r.randint(0, 3, {40}).astype(int32));
}

Arrays values(const Link& model) {
  Arrays out;
  for (const Parameter& p : model.params()) out.push_back(to_host(p.array()));
  return out;
}

}  // namespace

TEST(arrays_of_two_devices_in_one_call_are_an_error) {
  const Array a = ones({3}).to_device(emulated_number(0)), b = ones({3}).to_device(emulated_number(1));
  EXPECT_THROW(DeviceError, "@cuda-emulated:0 and @cuda-emulated:1", a + b);
  EXPECT_THROW(TypeError, "incompatible array types are mixed",
               F::linear(Variable(a.reshape({1, 3})), Variable(b.reshape({1, 3}))));
}

TEST(copy_goes_between_devices_and_its_gradient_back) {
  const Device first = emulated_number(0), second = emulated_number(1);
  const Variable x(arange(6).astype(float32).to_device(first));
  const Variable y = F::copy(x * x, second);
  EXPECT(y.array().device() == second);
  F::sum(y * 3.0).backward();
  EXPECT(x.grad().device() == first);
  EXPECT_CLOSE(to_host(x.grad()), arange(6).astype(float32) * 6.0);
}

// The bytes of a device go to another one without the host; the source may change and go away after the call.
TEST(copies_between_devices_are_ordered) {
  const Device first = emulated_number(0), second = emulated_number(1);
  for (const Shape& s : {Shape{1}, {3, 50}, {200, 300}, {0, 4}}) {
    Array x = (arange(s.product()).astype(float32) * 0.5).reshape(s).to_device(first);
    const Array want = to_host(x), turned = x.transpose().to_device(second);
    const int64_t fetched = transfers().to_host;
    const Array y = (x * 2.0).to_device(second);
    x *= 100.0;
    const Array back = (y + 1.0).to_device(first);
    x = {};
    EXPECT_EQ(transfers().to_host, fetched);
    EXPECT(to_host(back).to_vector<float>() == (want * 2.0 + 1.0).to_vector<float>());
    EXPECT(to_host(turned).to_vector<float>() == want.transpose().to_vector<float>());
  }
}

// Threads copy in opposite directions, use the same numbers in formulas, and empty the caches.
TEST(threads_copy_between_devices) {
  const Device devices[] = {emulated_number(0), emulated_number(1)};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      const Device here = devices[k % 2], there = devices[1 - k % 2];
      for (int i = 0; i < 100; ++i) {
        const Array x = (arange(50 + i % 7).astype(float32) + static_cast<double>(k)).to_device(here);
        const Array y = ((x * 2.0 + 1.5).to_device(there) * 0.25 + i % 5).to_device(here);
        wrong += to_host(y).to_vector<float>() != (to_host(x) * 0.5 + 0.375 + i % 5).to_vector<float>();
        if (i % 37 == 0) here.empty_cache();
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(links_move_with_their_gradients_and_persistent_values) {
  L::BatchNormalization bn(4);
  const Array x = random::RandomState(3).randn({8, 4}).astype(float32);
  F::sum(F::square(bn(Variable(x)))).backward();
  const Array want = bn.gamma->grad(), mean = bn.avg_mean;
  for (const Device& d : {emulated_number(0), emulated_number(1)}) {
    bn.to_device(d);
    EXPECT(bn.gamma->array().device() == d && bn.gamma->grad().device() == d && bn.avg_mean.device() == d);
  }
  bn.to_cpu();
  EXPECT(bn.avg_mean.device().is_host());
  EXPECT_CLOSE(bn.gamma->grad(), want);
  EXPECT_CLOSE(bn.avg_mean, mean);
}

// Losses are means: the sum of two halves' gradients is twice the whole batch's.
TEST(models_on_two_devices_learn_as_one) {
  random::seed(0);
  L::Classifier one{Net()};
  auto single = optimizers::SGD({.lr = 0.2}).setup(one);
  training::StandardUpdater u(iterators::SerialIterator(data(), 8, {.shuffle = false}), single,
                              {.device = emulated_number(0)});
  for (int i = 0; i < 8; ++i) u.update();
  random::seed(0);
  L::Classifier two{Net()};
  auto parallel = optimizers::SGD({.lr = 0.1}).setup(two);
  training::ParallelUpdater p(iterators::SerialIterator(data(), 8, {.shuffle = false}), parallel,
                              {.devices = {{"main", emulated_number(0)}, {"second", emulated_number(1)}}});
  for (int i = 0; i < 8; ++i) p.update();
  EXPECT(two.params(false)[0].array().device() == emulated_number(0));
  const Arrays want = values(one), got = values(two);
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_CLOSE(got[i], want[i], {.atol = 1e-5, .rtol = 1e-4});
}
