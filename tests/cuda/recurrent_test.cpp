// SPDX-License-Identifier: MIT
// Recurrent networks of several steps by the library of a device, compared with the host's. On a GPU the library is
// cuDNN; on the emulated device plain loops take its place.
#include <chainer/graph_optimizations/static_graph.h>

#include <cmath>
#include <cstdio>
#include <thread>

#include "as_on_the_host.h"
#include "chainer/backend/cuda/cuda_backend.h"
#include "chainer/backend/cuda/emulation/driver_emulated.h"
#include "environment_variable.h"
#include "recurrent_case.h"

using namespace chainer;

namespace {

constexpr RnnKind kRnnKinds[] = {RnnKind::lstm, RnnKind::gru, RnnKind::tanh, RnnKind::relu};

double tolerance_of(Dtype d) { return d == float64 ? 1e-10 : d == float32 ? 2e-4 : 3e-2; }
void expect_results_of_the_host(const RecurrentCase& c) {
  const UsingConfig exact(&Config::use_cudnn_tensor_core, "never");
  expect_as_on_the_host(tolerance_of(c.dtype), [&](const Device& d) { return c.results(d); });
}
int64_t calls_of(const std::function<void()>& work) {
  auto& backend = dynamic_cast<cuda::CudaBackend&>(emulated_number(0).backend());
  const int64_t before = backend.counts(0).calls;
  work();
  return backend.counts(0).calls - before;
}

// The emulated driver, with a workspace that no memory can hold where a test asks for it.
struct ShortOfWorkspace final : cuda::emulation::EmulatedDriver {
  using EmulatedDriver::EmulatedDriver;
  std::optional<std::size_t> recurrent_workspace(cuda::Stream s, const RecurrentLayer& layer,
                                                 RecurrentSpaces* spaces) override {
    ++asked;
    const auto bytes = EmulatedDriver::recurrent_workspace(s, layer, spaces);
    return is_short && bytes ? std::optional(std::size_t(1) << 40) : bytes;
  }
  void recurrent_forward(cuda::Stream s, const cuda::RecurrentCall& call) override {
    ++computed;
    trained += call.layer->trains;
    EmulatedDriver::recurrent_forward(s, call);
  }
  void recurrent_backward(cuda::Stream s, const cuda::RecurrentCall& call) override {
    ++gradients;
    of_weights += call.gweights != nullptr;
    EmulatedDriver::recurrent_backward(s, call);
  }
  bool is_short = false;
  int asked = 0, computed = 0, trained = 0, gradients = 0, of_weights = 0;
};
struct WatchedRecurrent {
  ShortOfWorkspace* driver = new ShortOfWorkspace({.devices = 1, .memory = std::size_t(64) << 20});
  cuda::CudaBackend backend{std::unique_ptr<cuda::Driver>(driver), "@watched"};
  Device device{backend, 0};
};
void expect_close(const Arrays& got, const Arrays& want, double tolerance = 2e-4) {
  EXPECT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_CLOSE(to_host(got[i]), want[i], {.atol = tolerance, .rtol = tolerance});
}

}  // namespace

TEST(recurrent_networks_of_a_device_are_those_of_the_host) {
  for (const RnnKind kind : kRnnKinds)
    for (const bool both : {false, true}) {
      for (const Dtype dtype : {float32, float64, float16})
        for (const int64_t layers : {1, 3})
          expect_results_of_the_host({.kind = kind, .both_directions = both, .layers = layers, .dtype = dtype});
      expect_results_of_the_host({kind, both, 2, 5, 33, 4, {4, 4, 4}});  // equal lengths
      expect_results_of_the_host({kind, both, 2, 33, 1, 1, {1, 1}});
      expect_results_of_the_host({.kind = kind,
                                  .both_directions = both,
                                  .layers = 1,
                                  .inputs = 1,
                                  .units = 4,
                                  .batch = 5,
                                  .sizes = {3, 3, 1},
                                  .dtype = float64});  // two sequences are empty
      expect_results_of_the_host({.kind = kind,
                                  .both_directions = both,
                                  .layers = 2,
                                  .batch = 4,
                                  .sizes = {4, 2, 0, 0},
                                  .first_states = false});
    }
}

TEST(recurrent_networks_without_items_or_units) {
  for (const RnnKind kind : kRnnKinds)
    for (const bool both : {false, true}) {
      expect_results_of_the_host({.kind = kind, .both_directions = both, .layers = 2, .sizes = {}});
      expect_results_of_the_host({.kind = kind, .both_directions = both, .layers = 2, .sizes = {0, 0}});
      expect_results_of_the_host({.kind = kind, .both_directions = both, .layers = 2, .batch = 0, .sizes = {0}});
      expect_results_of_the_host({.kind = kind, .both_directions = both, .layers = 1, .inputs = 0});
    }
}

TEST(gradients_of_gradients_of_recurrent_networks) {
  for (const RnnKind kind : kRnnKinds)
    for (const bool both : {false, true}) {
      const RecurrentCase c{
          .kind = kind, .both_directions = both, .layers = 1, .inputs = 2, .units = 3, .dtype = float64};
      expect_as_on_the_host(1e-9, [&](const Device& d) {
        const Variables in = c.drawn(d), given = RecurrentCase::given(in);
        const Variables g = RecurrentCase::gradients(c.apply(in), given, true);
        Variable sum;
        for (const Variable& v : g) sum = sum ? sum + F::sum(v * v) : F::sum(v * v);
        Arrays out;
        for (const Variable& v : grad({sum}, given)) out.push_back(v.array());
        return out;
      });
    }
}

// A library overwrites what it has kept.
TEST(gradients_of_a_recurrent_network_can_be_computed_again) {
  for (const RnnKind kind : kRnnKinds) {
    const RecurrentCase c{kind, true, 2};
    const Variables in = c.drawn(emulated_number(0)), given = RecurrentCase::given(in), out = c.apply(in);
    const Variables first = RecurrentCase::gradients(out, given), second = RecurrentCase::gradients(out, given);
    for (std::size_t i = 0; i < first.size(); ++i)  // (cuDNN may round differently)
      EXPECT_CLOSE(to_host(first[i].array()), to_host(second[i].array()), {.atol = 1e-5, .rtol = 1e-5});
  }
}

TEST(gradients_of_one_output_or_to_one_input) {
  for (const RnnKind kind : kRnnKinds)
    for (const std::size_t output : {0, 1, 2}) {
      if (output == 2 && kind != RnnKind::lstm) continue;
      const RecurrentCase c{
          .kind = kind, .both_directions = false, .layers = 1, .batch = 4, .sizes = {3, 1}, .dtype = float64};
      expect_as_on_the_host(1e-10, [&](const Device& d) {
        const Variables in = c.drawn(d), out = c.apply(in);
        Arrays all;
        for (const Variable& input : RecurrentCase::given(in)) {
          const Variable g = RecurrentCase::gradients({out[output]}, {input})[0];
          all.push_back(g ? g.array() : Array({1}, float64, d).astype(float64) * 0);
        }
        return all;
      });
    }
}

// The number of calls does not depend on the number of steps.
TEST(a_recurrent_layer_is_a_few_calls) {
  const EnvironmentVariable any("CHAINER_CUDNN_LIBRARY", "");
  const auto calls = [](RnnKind kind, std::size_t steps, bool reverse) {
    const RecurrentCase c{
        .kind = kind, .both_directions = reverse, .layers = 1, .sizes = std::vector<int64_t>(steps, 3)};
    const Variables in = c.drawn(emulated_number(0));
    (void)RecurrentCase::gradients(c.apply(in), RecurrentCase::given(in));
    return calls_of([&] { (void)RecurrentCase::gradients(c.apply(in), RecurrentCase::given(in)); });
  };
  for (const RnnKind kind : kRnnKinds)
    for (const bool both : {false, true}) {
      const int64_t few = calls(kind, 3, both), many = calls(kind, 30, both);
      EXPECT_EQ(few, many);
      const UsingConfig never(&Config::use_cudnn, "never");
      const int64_t composed = calls(kind, 30, both);
      std::printf("  %lld calls, %lld without the library\n", static_cast<long long>(many),
                  static_cast<long long>(composed));
      EXPECT(composed > 5 * many);
    }
}

TEST(recurrent_networks_without_a_library_are_composed) {
  const EnvironmentVariable any("CHAINER_CUDNN_LIBRARY", "");
  const RecurrentCase c{RnnKind::gru, true, 2};
  const Arrays want = c.results(Device());
  WatchedRecurrent watched;
  {
    const EnvironmentVariable none("CHAINER_CUDNN_LIBRARY", "none");
    expect_close(c.results(watched.device), want);
    EXPECT(watched.driver->asked > 0);
  }
  watched.driver->asked = 0;
  {
    const UsingConfig never(&Config::use_cudnn, "never");
    expect_close(c.results(watched.device), want);
    EXPECT_EQ(watched.driver->asked, 0);
  }
  {
    const UsingConfig deterministic(&Config::cudnn_deterministic, true);
    expect_close(c.results(watched.device), want);
    EXPECT_EQ(watched.driver->asked, 0);
  }
  EXPECT_EQ(watched.driver->computed, 0);
  expect_close(c.results(watched.device), want);
  EXPECT_EQ(watched.driver->computed, 4);
  EXPECT_EQ(watched.driver->gradients, 4);
}

TEST(what_gradients_need_is_kept_only_for_them) {
  const EnvironmentVariable any("CHAINER_CUDNN_LIBRARY", "");
  const RecurrentCase c{RnnKind::lstm, false, 2};
  WatchedRecurrent watched;
  const Variables in = c.drawn(watched.device);
  const Variables want = c.apply(in);
  EXPECT_EQ(watched.driver->trained, 2);
  {
    const NoBackpropMode mode;
    const Variables got = c.apply(in);
    for (std::size_t i = 0; i < want.size(); ++i)
      EXPECT(to_host(got[i].array()).to_vector<float>() == to_host(want[i].array()).to_vector<float>());
  }
  EXPECT_EQ(watched.driver->trained, 2);
  EXPECT_EQ(watched.driver->computed, 4);
  // Gradients of the items alone need none of the weights.
  (void)RecurrentCase::gradients(want, {in[0]});
  EXPECT_EQ(watched.driver->gradients, 2);
  EXPECT_EQ(watched.driver->of_weights, 0);
}

TEST(recurrent_networks_without_memory_for_the_workspace) {
  const EnvironmentVariable any("CHAINER_CUDNN_LIBRARY", "");
  for (const RnnKind kind : kRnnKinds) {
    const RecurrentCase c{kind, true, 2};
    const Arrays want = c.results(Device());
    WatchedRecurrent watched;
    watched.driver->is_short = true;
    expect_close(c.results(watched.device), want);
    EXPECT_EQ(watched.driver->computed, 0);
    watched.driver->is_short = false;
    const Variables in = c.drawn(watched.device), out = c.apply(in);
    watched.driver->is_short = true;
    const Variables g = RecurrentCase::gradients(out, RecurrentCase::given(in));
    EXPECT_EQ(watched.driver->gradients, 0);
    Arrays got;
    for (const Variables& list : {out, g})
      for (const Variable& v : list) got.push_back(v.array());
    expect_close(got, want);
  }
}

TEST(gradients_of_a_recurrent_layer_whose_input_was_written) {
  const RecurrentCase c{RnnKind::lstm};
  const Variables in = c.drawn(emulated_number(0)), out = c.apply(in);
  Array w = in[3].array();
  w.fill(2);
  EXPECT_THROW(RuntimeError, "NStepLSTM", (void)RecurrentCase::gradients(out, {in[0]}));
}

namespace {

// Sequences of 4, 2 and 1 items.
template <class Rnn>
struct LossOfSequences : Chain {
  Rnn rnn{2, 3, 4, 0};
  CHAINER_MEMBERS(LossOfSequences, rnn);
  Variable forward(const Variable& x) {
    const Variables xs = F::split_axis(x, {4, 6}, 0);
    Variable sum;
    const auto add = [&](const Variable& v) { sum = sum ? sum + F::sum(v * v) : F::sum(v * v); };
    if constexpr (requires { rnn.forward(Variable(), Variable(), xs); }) {
      const auto r = rnn(Variable(), Variable(), xs);
      add(r.cy), add(r.hy);
      for (const Variable& y : r.ys) add(y);
    } else {
      const auto r = rnn(Variable(), xs);
      add(r.hy);
      for (const Variable& y : r.ys) add(y);
    }
    return sum;
  }
};
// Replays are captured after some calls; layers run between two graphs.
template <class Rnn>
void expect_replays() {
  random::seed(3);
  LossOfSequences<Rnn> network;
  network.to_device(emulated_number(0));
  auto fast = static_graph(network);
  int64_t calls = 0, replayed = 0;
  for (int i = 0; i < 10; ++i) {
    const Array x = random::RandomState(static_cast<uint32_t>(50 + i)).randn({7, 3}).astype(float32);
    const auto step = [&](auto& f) {
      const Variable now(x.to_device(emulated_number(0)));
      network.cleargrads();
      Variable loss = f(now);
      loss.backward();
      Arrays out{loss.array(), now.grad()};
      for (const Parameter& p : network.params()) out.push_back(p.grad());
      return out;
    };
    Arrays want, got;
    calls = calls_of([&] { want = step(network); });
    replayed = calls_of([&] { got = step(fast); });
    EXPECT_EQ(got.size(), want.size());
    for (std::size_t k = 0; k < want.size(); ++k) EXPECT_CLOSE(to_host(got[k]), to_host(want[k]), {.atol = 1e-5});
  }
  EXPECT_EQ(fast.schedule_manager().refused(), "");
  EXPECT(replayed < calls);
}

}  // namespace

TEST(static_recurrent_networks_on_a_device) {
  const EnvironmentVariable any("CHAINER_CUDNN_LIBRARY", "");
  expect_replays<L::NStepBiLSTM>();
  expect_replays<L::NStepGRU>();
  expect_replays<L::NStepBiRNNTanh>();
  expect_replays<L::NStepRNNReLU>();
}

// A recording without the library stays so, and a replay of one with it fails rather than being wrong.
TEST(static_recurrent_networks_without_memory_for_the_workspace) {
  const EnvironmentVariable any("CHAINER_CUDNN_LIBRARY", "");
  WatchedRecurrent watched;
  random::seed(3);
  LossOfSequences<L::NStepBiGRU> network;
  network.to_device(watched.device);
  const Array x = random::RandomState(4).randn({7, 3}).astype(float32);
  const auto loss_of = [&](auto& f) {
    return to_host(f(Variable(x.to_device(watched.device))).array()).template item<double>();
  };
  const NoBackpropMode mode;
  const double want = loss_of(network);
  watched.driver->is_short = true;
  auto composed = static_graph(network);
  for (int i = 0; i < 3; ++i) EXPECT(std::abs(loss_of(composed) - want) < 1e-4 * want);
  EXPECT_EQ(composed.schedule_manager().refused(), "");
  watched.driver->is_short = false;
  auto fast = static_graph(network);
  for (int i = 0; i < 2; ++i) EXPECT(std::abs(loss_of(fast) - want) < 1e-4 * want);
  EXPECT_EQ(fast.schedule_manager().refused(), "");
  EXPECT_EQ(fast.schedule_manager().counts().replayed, 1);
  watched.driver->is_short = true;
  EXPECT_THROW(MemoryError, "", (void)loss_of(fast));
}

TEST(recurrent_networks_of_two_threads) {
  const RecurrentCase cases[] = {{RnnKind::lstm, true, 2},
                                 {.kind = RnnKind::gru, .both_directions = true, .layers = 1, .sizes = {3, 3, 2}}};
  std::vector<std::thread> threads;
  bool good[] = {true, true};
  for (const std::size_t i : {0, 1})
    threads.emplace_back([&, i] {
      const UsingConfig exact(&Config::use_cudnn_tensor_core, "never");
      const Arrays want = cases[i].results(Device());
      for (int again = 0; again < 5; ++again) {
        const Arrays got = cases[i].results(emulated_number(0));
        for (std::size_t k = 0; k < want.size(); ++k) {
          const auto a = to_host(got[k]).to_vector<double>(), b = want[k].to_vector<double>();
          for (std::size_t j = 0; j < a.size(); ++j)
            good[i] = good[i] && std::abs(a[j] - b[j]) < 1e-3 * (1 + std::abs(b[j]));
        }
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT(good[0] && good[1]);
}

TEST(links_of_recurrent_networks_on_a_device) {
  const auto f = [](const Device& d) {
    random::seed(3);
    L::NStepBiLSTM link(2, 4, 5, 0);
    link.to_device(d);
    Variables xs;
    for (const int64_t n : {3, 1, 4})
      xs.push_back(Variable(random::RandomState(static_cast<uint32_t>(n)).randn({n, 4}).astype(float32).to_device(d)));
    const auto r = link(Variable(), Variable(), xs);
    Arrays out{r.hy.array(), r.cy.array()};
    for (const Variable& y : r.ys) out.push_back(y.array());
    return out;
  };
  const UsingConfig exact(&Config::use_cudnn_tensor_core, "never");
  expect_as_on_the_host(1e-5, f);
}

// The library reads the outputs for the gradients.
TEST(a_write_to_outputs_of_recurrent_layers_is_noticed_on_the_device) {
  const EnvironmentVariable any("CHAINER_CUDNN_LIBRARY", "");
  const Device d = emulated_number(0);
  for (const int kind : {0, 1, 2}) {
    const auto count = static_cast<std::size_t>(kind == 0 ? 8 : kind == 1 ? 6 : 2);
    std::vector<Variables> ws(1), bs(1);
    for (std::size_t k = 0; k < count; ++k) {
      ws[0].push_back(Variable(random::RandomState(static_cast<uint32_t>(k)).randn({3, 3}).to_device(d)));
      bs[0].push_back(Variable(zeros({3}, float64).to_device(d)));
    }
    const Variables xs = {Variable(ones({2, 3}, float64).to_device(d)), Variable(ones({2, 3}, float64).to_device(d))};
    const Variables ys = kind == 0   ? F::n_step_lstm(1, 0, {}, {}, ws, bs, xs).ys
                         : kind == 1 ? F::n_step_gru(1, 0, {}, ws, bs, xs).ys
                                     : F::n_step_rnn(1, 0, {}, ws, bs, xs).ys;
    const Variable loss = F::sum(ys[0] + ys[1]);
    Array written = ys[1].array();
    written *= 0.5;
    EXPECT_THROW(RuntimeError, "was written to in place after the forward pass",
                 (void)chainer::grad({loss}, {ws[0][count - 1]}));
  }
}

namespace {

struct SequencesOfBatch : Chain {
  L::EmbedID embed{3, 4};
  L::NStepGRU rnn{1, 4, 5, 0};
  CHAINER_MEMBERS(SequencesOfBatch, embed, rnn);
  Variable forward(const Variable& x) { return rnn.forward_batch(embed(x)).y; }
};

}  // namespace

// Its file computes with lengths of arrays, which are numbers of the host.
TEST(prepared_recurrent_networks_replay_on_the_device) {
  SequencesOfBatch network;
  const Array x = array({{0, 1, 2}, {2, 2, 1}});
  const UsingConfig test(&Config::train, false);
  const Array want = network(Variable(x, false)).array();
  network.to_device(emulated_number(0));
  const Array there = x.to_device(emulated_number(0));
  const auto prepared = inference::prepare(network, {Variable(there, false)});
  for (int call = 0; call < 6; ++call) EXPECT_CLOSE(to_host(prepared(there)), want, {.atol = 1e-5});
  EXPECT_EQ(prepared.refused_replay(), "");
  const Array again = array({{2, 1, 0}, {0, 0, 1}});
  const Array other = to_host(prepared(again.to_device(emulated_number(0))));
  network.to_device(Device());
  EXPECT_CLOSE(other, network(Variable(again, false)).array(), {.atol = 1e-5});
}
