// SPDX-License-Identifier: MIT
// Counts the requests of one training step to a device, and compares losses with the host.
#include <cmath>
#include <cstdlib>
#include <cstdio>

#include "chainer/array/host.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "emulated_number.h"
#include "networks.h"
#include "test.h"

using namespace chainer;

namespace {

struct Asked {
  int64_t calls, sent, fetched, waits;
};

// Counts the third step, since the first ones create states and cached programs.
Asked asked_by_step(const Network& n) {
  const Device device = emulated_number(0);
  auto& backend = dynamic_cast<cuda::CudaBackend&>(device.backend());
  const TrainingStep step = n.make(device);
  Variable loss;
  for (int i = 0; i < 2; ++i) loss = step();
  const auto before = backend.counts(0);
  loss = step();
  const auto after = backend.counts(0);
  return {after.calls - before.calls, after.sent - before.sent, after.fetched - before.fetched,
          after.waits - before.waits};
}

}  // namespace

// These numbers may only decrease.
TEST(a_training_step_asks_this_of_a_device) {
  const std::vector<Asked> want{{40, 2, 0, 0}, {61, 2, 0, 0}, {205, 1, 0, 0}, {148, 2, 0, 0}, {93, 2, 0, 0}};
  std::printf("%-14s %8s %6s %8s %6s\n", "step", "calls", "sent", "fetched", "waits");
  for (std::size_t i = 0; i < networks().size(); ++i) {
    const Asked a = asked_by_step(networks()[i]);
    const auto n = [](int64_t v) { return static_cast<long>(v); };
    std::printf("%-14s %8ld %6ld %8ld %6ld\n", networks()[i].name.c_str(), n(a.calls), n(a.sent), n(a.fetched),
                n(a.waits));
    if (!std::getenv("CHAINER_TEST_DEVICE")) EXPECT_EQ(a.calls, want[i].calls);  // fewer with cuDNN
    EXPECT_EQ(a.sent, want[i].sent);
    EXPECT_EQ(a.fetched, want[i].fetched);
    EXPECT_EQ(a.waits, want[i].waits);
  }
}

TEST(losses_of_networks_are_those_of_the_host) {
  for (const Network& n : networks()) {
    const auto losses = [&](const Device& d) {
      const TrainingStep step = n.make(d);
      std::vector<double> out;
      for (int i = 0; i < 6; ++i) out.push_back(to_host(step().array()).item<double>());
      return out;
    };
    const std::vector<double> want = losses(Device()), got = losses(emulated_number(1));
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT(std::abs(got[i] - want[i]) < 2e-3 * std::abs(want[i]));
  }
}

// Invalid labels and ids are detected on the device; an exception is thrown once, at the next wait. No memory out of
// bounds is read.
TEST(wrong_indices_are_an_error_at_the_next_wait) {
  const Device d = emulated_number(0);
  const Array x = random::RandomState(2).randn({300, 5}).astype(float32);
  Array t = zeros({300}, int32);
  t[{270}].fill(5), t[{299}].fill(-7);
  const auto message = [](auto&& f) -> std::string {
    try {
      f();
    } catch (const IndexError& e) { return e.what(); }
    return "";
  };
  const Variable loss = F::softmax_cross_entropy(Variable(x.to_device(d)), t.to_device(d));
  EXPECT_EQ(message([&] { (void)to_host(loss.array()); }),
            message([&] { (void)F::softmax_cross_entropy(Variable(x), t); }));
  EXPECT_EQ(message([&] { (void)to_host(loss.array()); }), "");
  const Variable rows = F::embed_id(t.to_device(d), Variable(x.to_device(d)[{Slice(0, 5)}]));
  EXPECT_EQ(message([&] { d.backend().synchronize(0); }),
            message([&] { (void)F::embed_id(t, Variable(x[{Slice(0, 5)}])); }));
}

TEST(the_first_of_many_wrong_indices_is_named) {
  const Device d = emulated_number(0);
  for (const int64_t value : {int64_t(-1), int64_t(1) << 40, int64_t(-3) << 33, int64_t(7)}) {
    Array t = zeros({100000}, int64);
    t[{Slice(60000, {})}].fill(88), t[{50123}].fill(value);
    std::string message;
    try {
      const Array rows = to_host(F::embed_id(t.to_device(d), zeros({7, 1}, float32).to_device(d)).array());
    } catch (const IndexError& e) { message = e.what(); }
    EXPECT(message.find(text(value)) != message.npos);
    EXPECT(message.find("88") == message.npos);
  }
}

// Ignored labels, class weights, and sums without division.
TEST(labels_count_as_on_the_host) {
  const Array x = random::RandomState(2).randn({4, 3, 2, 2}).astype(float32);
  Array t = random::RandomState(3).randint(0, 3, {4, 2, 2});
  t[{1, 0}].fill(-1);
  for (const bool weighted : {false, true})
    for (const bool normalize : {false, true})
      for (const char* reduce : {"mean", "sum", "no"}) {
        const auto run = [&](const Device& d) {
          F::SoftmaxCrossEntropyOptions o{.normalize = normalize, .reduce = parse_reduction(reduce)};
          if (weighted) o.class_weight = array({0.5f, 1.f, 2.f}).to_device(d);
          const Variable v(x.to_device(d));
          const Variable y = F::softmax_cross_entropy(v, t.to_device(d), o);
          F::sum(y).backward();
          return Arrays{to_host(y.array()), to_host(v.grad())};
        };
        const Arrays want = run(Device()), got = run(emulated_number(0));
        for (int k = 0; k < 2; ++k) EXPECT_CLOSE(got[k], want[k], {.atol = 1e-6, .rtol = 1e-5});
      }
}

TEST(summaries_stay_on_the_device) {
  const Device d = emulated_number(0);
  auto& backend = dynamic_cast<cuda::CudaBackend&>(d.backend());
  DictSummary here, there;
  for (int i = 0; i < 40; ++i) {
    const Array v = full({}, i * 0.25);
    here.add({{"loss", v}});
    const Array sent = v.to_device(d);
    const auto before = backend.counts(0);
    there.add({{"loss", sent}});
    EXPECT_EQ(backend.counts(0).fetched, before.fetched);
  }
  EXPECT(here.make_statistics() == there.make_statistics());
}
