// SPDX-License-Identifier: MIT
// Training on the emulated device compared with the host: steps of optimizers, random numbers, losses of a network, two
// devices.
#include <chainer/chainer.h>

#include "chainer/array/backend.h"
#include "chainer/array/host.h"
#include "chainer/array/operations/updates.h"
#include "chainer/backend/cuda/emulation/emulation.h"
#include "emulated_number.h"
#include "mlp.h"
#include "test.h"

using namespace chainer;

namespace {

// Returns losses of an MLP on random numbers.
std::vector<double> losses_on(const Device& device, int steps) {
  random::seed(3);
  L::Classifier model(MLP(20, 5));
  random::RandomState r(8);
  const Array x = r.randn({30, 12}).astype(float32), t = r.randint(0, 5, {30});
  (void)model(Variable(x), Variable(t));  // initializes sizes
  model.to_device(device);
  auto optimizer = optimizers::Adam().setup(model);
  std::vector<double> losses;
  for (int i = 0; i < steps; ++i) {
    Variable loss = model(Variable(x.to_device(device)), Variable(t.to_device(device)));
    model.cleargrads();
    loss.backward();
    optimizer.update();
    losses.push_back(to_host(loss.array()).item<double>());
  }
  return losses;
}

}  // namespace

TEST(a_network_trains_as_on_the_host) {
  const std::vector<double> want = losses_on(Device(), 30);
  for (const auto order : {cuda::emulation::Order::forward, cuda::emulation::Order::shuffled}) {
    cuda::emulation::set_order(order, 7);
    const std::vector<double> got = losses_on(emulated_number(order == cuda::emulation::Order::shuffled), 30);
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT(std::abs(got[i] - want[i]) < 1e-4 * want[i]);
    EXPECT(got.back() < got.front());
  }
  cuda::emulation::set_order(cuda::emulation::Order::forward);
}

// Three steps of every rule, with parameters and states in different memory orders and dtypes.
TEST(updates_are_those_of_the_host) {
  for (int op = 0; op < static_cast<int>(Update::count); ++op)
    for (const Dtype dtype : {float32, float64, float16}) {
      const auto run = [&](const Device& d) {
        random::RandomState r(4);
        Array w = r.randn({6, 7}).astype(dtype).to_device(d).T();
        const Array g = r.randn({7, 6}).astype(dtype).to_device(d);
        std::vector<Array> states;
        constexpr int kStates[] = {
#define X(NAME, STATES, ...) STATES,
            CHAINER_UPDATE_OPS(X)
#undef X
        };
        for (int k = 0; k < kStates[op]; ++k) states.push_back(ones({7, 6}).astype(dtype).to_device(d));
        const double hyper[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
        for (int step = 0; step < 3; ++step) d.backend().update(static_cast<Update>(op), w, g, states, hyper);
        Arrays out{to_host(w)};
        for (const Array& s : states) out.push_back(to_host(s));
        return out;
      };
      const Arrays here = run(Device()), there = run(emulated_number(0));
      const double tolerance = dtype == float64 ? 1e-12 : dtype == float32 ? 1e-5 : 1e-2;
      for (std::size_t i = 0; i < here.size(); ++i)
        EXPECT_CLOSE(there[i], here[i], {.atol = tolerance, .rtol = tolerance});
    }
}

TEST(random_numbers_have_the_bits_of_the_host) {
  for (const Dtype dtype : {float32, float64, float16, bfloat16})
    for (const auto fill : {RandomFill::uniform, RandomFill::bernoulli, RandomFill::normal})
      for (const int64_t n : {1, 7, 3001}) {
        const auto draw = [&](const Device& d) {
          Array out(Shape{n}, dtype, d);
          d.backend().random(fill, 12345, 77, 0.3, 1.7, out);
          return to_host(out).to_vector<double>();
        };
        if (fill != RandomFill::normal) {
          EXPECT(draw(emulated_number(0)) == draw(Device()));
          continue;
        }
        // The device's logarithms and cosines may differ from the host's in the last bit.
        const std::vector<double> got = draw(emulated_number(0)), want = draw(Device());
        const double unit = dtype == float64 ? 1e-13 : dtype == float32 ? 1e-6 : dtype == float16 ? 2e-3 : 2e-2;
        double most = 0;
        for (std::size_t i = 0; i < want.size(); ++i)
          most = std::max(most, std::abs(got[i] - want[i]) / std::max(std::abs(want[i]), 0.1));
        EXPECT(most < unit);
      }
}

TEST(softmax_of_any_axis) {
  for (const Dtype dtype : {float32, float64})
    for (const int axis : {0, 1, 2}) {
      const Array a = (random::RandomState(2).randn({3, 70, 4}) * 5.0).astype(dtype),
                  b = a.to_device(emulated_number(1));
      const double tolerance = dtype == float64 ? 1e-12 : 1e-5;
      EXPECT_CLOSE(to_host(F::softmax(b, axis).array()), F::softmax(a, axis).array(),
                   {.atol = tolerance, .rtol = tolerance});
      EXPECT_CLOSE(to_host(F::log_softmax(b, axis).array()), F::log_softmax(a, axis).array(),
                   {.atol = tolerance, .rtol = tolerance});
    }
  // Rows of one and of many elements, next to each other and not.
  for (const Shape& s : {Shape{3, 1, 2}, {2, 5000, 1}, {1, 40, 300}, {700, 3, 1}, {5, 21, 1000}}) {
    const Array a = (random::RandomState(4).randn(s) * 5.0).astype(float32), b = a.to_device(emulated_number(1));
    EXPECT_CLOSE(to_host(F::log_softmax(b, 1).array()), F::log_softmax(a, 1).array(), {.atol = 1e-5, .rtol = 1e-5});
  }
}
