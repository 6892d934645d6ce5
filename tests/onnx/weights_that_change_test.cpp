// SPDX-License-Identifier: MIT
// An imported model in test mode uses its current weights, regardless of how they were changed.
#include <chainer/array/external.h>
#include <chainer/chainer.h>

#include <memory>
#include <optional>

#include "test.h"

using namespace chainer;

namespace {

struct Net : Chain {
  L::Linear l1{60, 80}, l2{80, 3};
  L::BatchNormalization bn{80};
  CHAINER_MEMBERS(Net, l1, l2, bn);
  Variable forward(const Variable& x) { return l2(F::relu(bn(l1(x)))); }
};

struct Normalized : Chain {
  L::BatchNormalization bn{6};
  CHAINER_MEMBERS(Normalized, bn);
  Variable forward(const Variable& x) { return bn(F::tanh(x)); }
};

// A model that is simplified and replays, and a function that changes its weights. `change` is called several times.
template <class Change>
void expect_new_weights(Change change) {
  random::seed(5);
  Net net;
  const Variable x(random::uniform(-1, 1, {2, 60}, float32), false);
  onnx::Model model = onnx::Model::from_bytes(onnx::export_model(net, {x}));
  std::vector<Parameter> params = model.params();  // fetched only once
  const UsingConfig test_mode(&Config::train, false);
  const NoBackpropMode no_graph;
  Array before;
  for (int i = 0; i < 5; ++i) {
    Array y;
    for (int call = 0; call < 3; ++call) {
      y = model(x).array();
      onnx::Model fresh = model.copy(CopyMode::copy);  // the copy is simplified again
      EXPECT_CLOSE(y, fresh(x).array());
    }
    if (before) EXPECT(!chainer::all(y == before).item<bool>());
    before = y;
    change(model, params, i);
  }
}

}  // namespace

TEST(weights_that_are_written_to_in_place) {
  expect_new_weights([](onnx::Model&, std::vector<Parameter>& params, int) {
    for (Parameter& p : params) {
      Array w = p.array();
      w *= 0.5f;
    }
  });
  expect_new_weights([](onnx::Model&, std::vector<Parameter>& params, int i) {
    Array w = params[static_cast<std::size_t>(i) % params.size()].array();  // a different one each time
    w += 0.5f;
  });
}

TEST(weights_that_are_copied_or_replaced) {
  expect_new_weights([](onnx::Model&, std::vector<Parameter>& params, int) {
    for (Parameter& p : params) p.copydata(Parameter(InitializerArg(p.array() * 2.f)));
  });
  expect_new_weights([](onnx::Model&, std::vector<Parameter>& params, int) {
    for (Parameter& p : params) p.set_array(p.array() + 0.5f);
  });
  expect_new_weights([](onnx::Model& model, std::vector<Parameter>&, int) {
    onnx::Model other = model.copy(CopyMode::copy);
    for (Parameter p : other.params()) p.set_array(p.array() * 0.75f);
    model.copyparams(other);
  });
}

TEST(weights_that_are_updated) {
  // Including hundreds of changes between two calls.
  std::shared_ptr<void> optimizer;
  for (const int updates : {1, 256})
    expect_new_weights([&](onnx::Model& model, std::vector<Parameter>& params, int i) {
      if (i == 0) {
        const auto made = [&] { return optimizers::SGD({.lr = 1e-2 / updates}).setup(model); };
        optimizer = std::make_shared<decltype(made())>(made());
      }
      for (int k = 0; k < updates; ++k)
        for (Parameter& p : params) {
          p.set_grad(p.array() + 0.1f);
          p.update();
        }
    });
}

TEST(weights_that_a_copy_shares) {
  std::optional<onnx::Model> twin;
  expect_new_weights([&](onnx::Model& model, std::vector<Parameter>&, int) {
    if (!twin) twin.emplace(model.copy(CopyMode::share));
    for (Parameter p : twin->params()) {
      Array w = p.array();
      w *= 1.5f;
    }
  });
}

TEST(weights_that_others_may_write_to) {
  expect_new_weights([&](onnx::Model&, std::vector<Parameter>& params, int) {
    for (Parameter& p : params) {
      Array w = p.array();
      void* const memory = w.mutable_raw();
      share_memory(w);
      Array outside = external_array(memory, w.shape(), w.dtype(), [w] {}, {.shared = true});
      outside *= 0.5f;
    }
  });
}

// Running statistics are persistent values.
TEST(statistics_that_change) {
  Normalized net;
  const Variable x(random::uniform(-1, 1, {2, 6}, float32), false);
  onnx::Model model = onnx::Model::from_bytes(onnx::export_model(net, {x}));
  const UsingConfig test_mode(&Config::train, false);
  const NoBackpropMode no_graph;
  for (int i = 0; i < 4; ++i) {
    EXPECT_CLOSE(model(x).array(), net(x).array());
    net.bn.avg_mean += 0.5f;
    model.copyparams(onnx::Model::from_bytes(onnx::export_model(net, {x})));
  }
}

TEST(a_walk_over_a_model_leaves_what_is_simplified) {
  random::seed(5);
  Net net;
  const Variable x(random::uniform(-1, 1, {2, 60}, float32), false);
  onnx::Model model = onnx::Model::from_bytes(onnx::export_model(net, {x}));
  const UsingConfig test_mode(&Config::train, false);
  const NoBackpropMode no_graph;
  (void)model(x);
  const std::size_t simplified = model.operator_count(true);
  EXPECT(simplified < model.operator_count());
  (void)model.params();
  EXPECT_EQ(model.operator_count(true), simplified);
}
