// SPDX-License-Identifier: MIT
#include "ranks.h"

using namespace chainer;
using chainermn::Compression;

namespace {

struct Net : Chain {
  L::Linear l1, l2;
  std::optional<L::Linear> spare;
  explicit Net(bool with_spare = false) : l1(6, 20), l2(20, 3) {
    if (with_spare) spare.emplace(20, 3);
  }
  CHAINER_MEMBERS(Net, l1, l2, spare);
  Variable forward(const Variable& x) { return l2(F::tanh(l1(x))); }
};

// The batch of a step for all ranks, which is divided into equal parts.
Array inputs(int64_t step, int64_t n) {
  return random::RandomState(static_cast<uint32_t>(step)).randn({n, 6}, float32);
}
Array labels(int64_t step, int64_t n) {
  return random::RandomState(static_cast<uint32_t>(1000 + step)).randint(0, 3, {n}, int32);
}
Array part(const Array& a, const chainermn::Communicator& c) {
  const int64_t n = a.shape(0) / c->size();
  return a[Slice(c->rank() * n, (c->rank() + 1) * n)];
}

std::vector<Array> values(const Link& model) {
  std::vector<Array> out;
  for (const auto& p : model.params()) out.push_back(p.array().copy());
  return out;
}
void expect_close(const std::vector<Array>& a, const std::vector<Array>& b, double tolerance, const char* what) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double off = chainer::max(absolute(a[i] - b[i])).item<double>();
    ++test::expectations;
    if (!(off <= tolerance)) test::fail(__FILE__, __LINE__, text(what, ": parameter ", i, " is off by ", off));
  }
}
bool same_bits(const std::vector<Array>& a, const std::vector<Array>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].to_vector<float>() != b[i].to_vector<float>()) return false;
  return true;
}
bool same_on_all_ranks(const chainermn::Communicator& c, const Link& model) {
  chainermn::ObjectList mine;
  for (const Array& a : values(model)) mine.emplace_back(a);
  const auto all = c->allgather_obj(chainermn::Object(mine));
  for (const auto& o : all)
    if (!(o == all[0])) return false;
  return true;
}

std::vector<Array> train(const chainermn::Communicator& c, const chainermn::MultiNodeOptimizerOptions& o, int steps,
                         Net& model, bool own_loop = false) {
  auto optimizer = chainermn::create_multi_node_optimizer(optimizers::Adam(), c, o).setup(model);
  optimizer.add_hook(optimizer_hooks::WeightDecay(1e-3));
  for (int step = 0; step < steps; ++step) {
    const Array x = part(inputs(step, 24), c), t = part(labels(step, 24), c);
    const auto loss = [&] { return F::softmax_cross_entropy(model(x), t); };
    if (own_loop) {
      model.cleargrads();
      loss().backward();
      optimizer.update();
    } else {
      optimizer.update(loss);
    }
  }
  EXPECT_EQ(optimizer.t, o.double_buffering ? steps - 1 : steps);
  return values(model);
}
// Trains one rank with the batches of all ranks.
std::vector<Array> train_alone(int steps, Net& model) {
  auto optimizer = optimizers::Adam().setup(model);
  optimizer.add_hook(optimizer_hooks::WeightDecay(1e-3));
  for (int step = 0; step < steps; ++step)
    optimizer.update([&] { return F::softmax_cross_entropy(model(inputs(step, 24)), labels(step, 24)); });
  return values(model);
}

}  // namespace

TEST(optimizer_equals_one_rank) {
  random::seed(5);
  Net alone;
  Net start = alone.copy(CopyMode::copy);
  const auto expected = train_alone(50, alone);
  for (const auto& c : communicators())
    for (const int64_t bucket : {int64_t(25) << 20, int64_t(300)}) {
      Net model = start.copy(CopyMode::copy);
      // Large buckets with a manual loop that calls backward(), small ones with an updater.
      const bool own_loop = bucket > 300;
      expect_close(train(c, {.bucket_bytes = bucket}, 50, model, own_loop), expected, 2e-4, c->name().c_str());
      EXPECT(same_on_all_ranks(c, model));
    }
}

TEST(optimizer_same_bits) {
  random::seed(5);
  Net start;
  for (const auto& c : communicators()) {
    std::vector<Array> first;
    for (const bool overlap : {true, false, true}) {
      Net model = start.copy(CopyMode::copy);
      const auto v = train(c, {.bucket_bytes = 500, .overlap = overlap}, 10, model);
      if (first.empty()) first = v;
      EXPECT(same_bits(v, first));
    }
  }
}

TEST(optimizer_synchronizes_parameters) {
  const auto& c = world();
  random::seed(static_cast<uint32_t>(7 + c->rank()));
  Net model;  // initialized with other values on each rank: all take those of rank 0 and lose no step
  const Array first = c->bcast(model.l1.W.array().copy());
  auto optimizer = chainermn::create_multi_node_optimizer(optimizers::SGD({.lr = 0.0}), c).setup(model);
  optimizer.update([&] { return F::softmax_cross_entropy(model(inputs(0, 4)), labels(0, 4)); });
  EXPECT_EQ(optimizer.t, 1);
  EXPECT_CLOSE(model.l1.W.array(), first);
  EXPECT(same_on_all_ranks(c, model));
}

namespace {
struct Lazy : Chain {
  L::Linear l1, l2;
  Lazy() : l1(5), l2(3) {}
  CHAINER_MEMBERS(Lazy, l1, l2);
  Variable forward(const Variable& x) { return l2(F::relu(l1(x))); }
};
}  // namespace

TEST(optimizer_of_shapes_found_later) {
  const auto& c = world();
  for (const bool same_seed : {true, false}) {
    random::seed(static_cast<uint32_t>(same_seed ? 3 : 3 + c->rank()));
    Lazy model;
    auto optimizer = chainermn::create_multi_node_optimizer(optimizers::SGD({.lr = 0.1}), c).setup(model);
    const auto loss = [&] { return F::softmax_cross_entropy(model(inputs(c->rank(), 4)), labels(c->rank(), 4)); };
    optimizer.update(loss);
    // Gradients for different parameters are meaningless, so this step updates nothing.
    EXPECT_EQ(optimizer.t, same_seed ? 1 : 0);
    EXPECT(same_on_all_ranks(c, model));
    optimizer.update(loss);
    EXPECT(same_on_all_ranks(c, model));
  }
}

TEST(optimizer_gradients_on_some_ranks) {
  for (const auto& c : communicators()) {
    random::seed(11);
    Net model(true);
    auto optimizer =
        chainermn::create_multi_node_optimizer(optimizers::SGD({.lr = 0.1}), c, {.bucket_bytes = 200}).setup(model);
    // The spare layer is used by no rank, then by the last rank, then by the first, then by all.
    for (int step = 0; step < 8; ++step) {
      const int last = c->size() - 1;
      const bool use = step >= 6 || (step >= 2 && c->rank() == (step >= 4 ? 0 : last));
      const Array before = model.spare->W.array().copy();
      optimizer.update([&] {
        Variable h = F::tanh(model.l1(part(inputs(step, 24), c)));
        Variable y = model.l2(h);
        if (use) y = y + (*model.spare)(h);
        return F::softmax_cross_entropy(y, part(labels(step, 24), c));
      });
      EXPECT_EQ(optimizer.t, step + 1);
      EXPECT(same_on_all_ranks(c, model));
      const bool moved = chainer::max(absolute(model.spare->W.array() - before)).item<double>() > 0;
      EXPECT_EQ(moved, step >= 2);
    }
  }
}

TEST(optimizer_double_buffering) {
  for (const auto& c : communicators()) {
    random::seed(5);
    Net model, delayed = model.copy(CopyMode::copy);
    (void)train(c, {.double_buffering = true}, 20, model);
    // The same by hand: each update uses the mean gradient of the step before.
    auto optimizer = optimizers::Adam().setup(delayed);
    optimizer.add_hook(optimizer_hooks::WeightDecay(1e-3));
    std::vector<Array> last;
    for (int step = 0; step < 20; ++step) {
      delayed.cleargrads();
      F::softmax_cross_entropy(delayed(inputs(step, 24)), labels(step, 24)).backward();
      std::vector<Array> now;
      for (auto& p : delayed.params()) now.push_back(p.grad().copy());
      if (!last.empty()) {
        std::size_t i = 0;
        for (auto& p : delayed.params()) p.set_grad(last[i++]);
        optimizer.update();
      }
      last = now;
    }
    expect_close(values(model), values(delayed), 1e-4, "double buffering");
    EXPECT(same_on_all_ranks(c, model));
  }
}

TEST(optimizer_resumes_double_buffering_and_error_feedback) {
  const auto& c = world();
  for (const bool twice : {true, false}) {
    const chainermn::MultiNodeOptimizerOptions o{
        .double_buffering = twice, .bucket_bytes = 500, .compression = Compression::bfloat16, .error_feedback = true};
    random::seed(5);
    Net whole, cut = whole.copy(CopyMode::copy);
    const auto step = [&](Net& m, chainermn::MultiNodeOptimizer& opt, int i) {
      opt.update([&] { return F::softmax_cross_entropy(m(part(inputs(i, 24), c)), part(labels(i, 24), c)); });
    };
    auto a = chainermn::create_multi_node_optimizer(optimizers::Adam(), c, o).setup(whole);
    for (int i = 0; i < 12; ++i) step(whole, a, i);
    serializers::DictionarySerializer saved, saved_model;
    {
      auto b = chainermn::create_multi_node_optimizer(optimizers::Adam(), c, o).setup(cut);
      for (int i = 0; i < 6; ++i) step(cut, b, i);
      b.serialize(saved);
      cut.serialize(saved_model);
    }
    Net again;
    const auto npz = [](auto& s) {
      return serializers::NpzDeserializer(
          std::make_shared<const serializers::NpzFile>(serializers::npz_bytes(s.target()), "memory"));
    };
    auto d = chainermn::create_multi_node_optimizer(optimizers::Adam(), c, o).setup(again);
    auto model_in = npz(saved_model);
    again.serialize(model_in);
    auto in = npz(saved);
    d.serialize(in);
    for (int i = 6; i < 12; ++i) step(again, d, i);
    EXPECT(same_bits(values(again), values(whole)));
  }
}

TEST(optimizer_compression) {
  random::seed(5);
  Net alone;
  Net start = alone.copy(CopyMode::copy);
  const auto expected = train_alone(15, alone);
  for (const auto& c : communicators())
    for (const Compression how : {Compression::float16, Compression::bfloat16})
      for (const bool feedback : {false, true}) {
        Net model = start.copy(CopyMode::copy);
        expect_close(train(c, {.compression = how, .error_feedback = feedback}, 15, model), expected, 0.03,
                     "compression");
        EXPECT(same_on_all_ranks(c, model));
      }
  EXPECT_THROW(ValueError, "requires compression",
               chainermn::create_multi_node_optimizer(optimizers::SGD(), world(), {.error_feedback = true}));
}

TEST(optimizer_error_feedback_keeps_what_rounding_takes) {
  // A gradient of 1 + 2^-10 is 1 in bfloat16; the mean over many steps is right only with error feedback.
  const auto c = chainermn::create_communicator("flat");
  for (const bool feedback : {false, true}) {
    L::Linear model(1, 1, {.nobias = true});
    model.W.set_array(zeros({1, 1}));
    auto optimizer =
        chainermn::create_multi_node_optimizer(optimizers::SGD({.lr = 1.0}), c,
                                               {.compression = Compression::bfloat16, .error_feedback = feedback})
            .setup(model);
    const double g = (1 + std::ldexp(1.0, -10)) * c->size();  // divided by the number of ranks before rounding
    for (int i = 0; i < 256; ++i) {
      model.W.set_grad(full({1, 1}, g, float32));
      optimizer.update();
    }
    const double moved = -model.W.array().item<double>();
    const double exact = 256 * g, off = std::abs(moved - exact);
    EXPECT(feedback ? off < 0.02 * c->size() : off > 0.2 * c->size());
  }
}

TEST(optimizer_in_other_dtypes) {
  for (const auto& c : communicators())
    for (const Dtype d : {float16, float64, bfloat16}) {
      const UsingConfig dtype(&Config::dtype, d);
      random::seed(5);
      L::Linear model(3, 2);
      auto optimizer = chainermn::create_multi_node_optimizer(optimizers::SGD({.lr = 1.0}), c).setup(model);
      const Array before = model.W.array().copy();
      model.cleargrads();
      model.W.set_grad(full({2, 3}, c->rank(), d));
      optimizer.update();
      EXPECT_CLOSE((before - model.W.array()).astype(float64), full({2, 3}, (c->size() - 1) / 2.0, float64),
                   {.atol = 0.02, .rtol = 0.02});
    }
}

TEST(optimizer_set_up_again) {
  for (const auto& c : communicators()) {
    auto optimizer = chainermn::create_multi_node_optimizer(optimizers::SGD({.lr = 1.0}), c);
    const auto train = [&](L::Linear& model, int steps) {
      for (int i = 0; i < steps; ++i)
        optimizer.update([&] { return F::sum(model(full({1, 3}, c->rank() + 1, float32))); });
    };
    const double mean = (c->size() + 1) / 2.0;
    for (int fold = 0; fold < 3; ++fold) {  // the model of the last fold is gone
      L::Linear model(3, 2, {.nobias = true, .initialW = 0.0});
      optimizer.setup(model);
      train(model, 2);
      EXPECT_CLOSE(model.W.array(), full({2, 3}, -2 * mean, float32));
    }
    // A parameter that replaced another takes part after setup().
    L::Linear model(3, 2, {.nobias = true, .initialW = 0.0});
    optimizer.setup(model);
    train(model, 1);
    model.W = Parameter(zeros({2, 3}));
    optimizer.setup(model);
    train(model, 2);
    EXPECT_CLOSE(model.W.array(), full({2, 3}, -2 * mean, float32));
  }
}

// An optimizer that was set up keeps its hooks and counts.
TEST(optimizer_of_one_that_has_a_target) {
  const auto& c = world();
  L::Linear model(3, 2, {.nobias = true, .initialW = 1.0});
  auto actual = optimizers::SGD({.lr = 1.0}).setup(model);
  actual.add_hook(optimizer_hooks::WeightDecay(0.5));
  const auto loss = [&] { return F::sum(model(zeros({1, 3}))); };
  actual.update(loss);
  EXPECT_CLOSE(model.W.array(), full({2, 3}, 0.5, float32));
  auto optimizer = chainermn::create_multi_node_optimizer(actual, c);
  EXPECT_EQ(optimizer.t, 1);
  optimizer.update(loss);
  EXPECT_CLOSE(model.W.array(), full({2, 3}, 0.25, float32));
  EXPECT_EQ(actual.t, 2);
}

TEST(optimizer_of_different_models) {
  const auto& c = world();
  // Ranks with different models get an error instead of waiting for each other.
  if (c->rank() == 0) {
    L::Linear model(3, 2);
    auto optimizer = chainermn::create_multi_node_optimizer(optimizers::SGD(), c).setup(model);
    EXPECT_THROW(ValueError, "the ranks have different models", optimizer.update([&] {
      return F::sum(model(ones({1, 3})));
    }));
  } else {
    L::Linear model(4, 2);
    auto optimizer = chainermn::create_multi_node_optimizer(optimizers::SGD(), c).setup(model);
    EXPECT_THROW(ValueError, "the ranks have different models", optimizer.update([&] {
      return F::sum(model(ones({1, 4})));
    }));
  }
}

// As in adversarial training: both losses are computed before the first of two optimizers sets the parameters to those
// of rank 0.
TEST(a_graph_outlives_the_first_update_of_another_optimizer) {
  for (const auto& c : communicators()) {
    random::seed(static_cast<uint32_t>(100 + c->rank()));  // different parameters on each rank
    L::Linear maker(4, 6), judge(6, 1);
    auto of_maker = chainermn::create_multi_node_optimizer(optimizers::SGD(0.1), c).setup(maker);
    auto of_judge = chainermn::create_multi_node_optimizer(optimizers::SGD(0.1), c).setup(judge);
    for (int step = 0; step < 3; ++step) {
      const Variable y = judge(maker(random::RandomState(static_cast<uint32_t>(step)).randn({5, 4}, float32)));
      const Variable judged = F::sum(F::softplus(y)), made = F::sum(F::softplus(-y));
      judge.cleargrads();
      judged.backward();
      of_judge.update();
      maker.cleargrads();
      made.backward();
      of_maker.update();
    }
    EXPECT(same_on_all_ranks(c, maker) && same_on_all_ranks(c, judge));
  }
}

TEST(optimizer_divides_by_the_loss_scale) {
  for (const auto& c : communicators())
    for (const double scale : {1.0, 128.0})
      for (const bool buffered : {false, true}) {
        L::Linear model(3, 2, {.nobias = true, .initialW = 0.0});
        auto optimizer =
            chainermn::create_multi_node_optimizer(optimizers::SGD({.lr = 1}), c, {.double_buffering = buffered});
        optimizer.setup(model);
        if (scale != 1) optimizer.loss_scaling({.scale = scale});
        for (int i = 0; i < 4; ++i) optimizer.update([&] { return F::sum(model(full({1, 3}, 0.25f, float32))); });
        EXPECT_EQ(model.W.array()[{0, 0}].item<float>(), buffered ? -0.75f : -1.f);
      }
}
