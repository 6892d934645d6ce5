// SPDX-License-Identifier: MIT
// BERT and GPT-2 exported, read again and prepared for inference.
#include <chainer/chainer.h>
#include <chainer/inference/prepare.h>
#include <chainer/models/bert.h>
#include <chainer/models/gpt2.h>
#include <chainer/onnx/onnx.h>

#include "test.h"

using namespace chainer;

namespace {

template <class Model>
void expect_same(Model& model, const Array& ids, const Array& more) {
  const UsingConfig test(&Config::train, false);
  const NoBackpropMode none;
  onnx::Model read = onnx::Model::from_bytes(onnx::export_model(model, Variables{ids}));
  const inference::Prepared prepared = inference::prepare(model, {ids});
  for (const Array& x : {ids, more}) {  // another number of texts
    const Array expected = model(x).array();
    EXPECT_CLOSE(read(Variables{x})[0].array(), expected, {.atol = 2e-5, .rtol = 1e-4});
    EXPECT_CLOSE(prepared(x), expected, {.atol = 2e-5, .rtol = 1e-4});
  }
}

}  // namespace

TEST(losses_of_projections_are_prepared) {
  const Array W = random::normal(0, 1, {5, 3}, float32), x = random::normal(0, 1, {2, 4, 3}, float32);
  const Array t = random::randint(0, 5, {2, 4}, int32);
  const auto loss = [&](const Variables& v) {
    return Variables{F::linear_cross_entropy(v[0], W, t, Variable(), {.normalize = false})};
  };
  onnx::Model read = onnx::Model::from_bytes(onnx::export_function(loss, Variables{x}));
  EXPECT_CLOSE(read(Variables{x})[0].array(), loss({x})[0].array(), {.rtol = 1e-5});
}

TEST(transformers_are_exported) {
  const std::string data = TEST_DATA "models/";
  const Array ids = random::randint(0, 50, {2, 7}, int32), more = random::randint(0, 50, {3, 7}, int32);
  models::Bert bert = models::Bert::load(data + "bert");
  models::Gpt2 gpt = models::Gpt2::load(data + "gpt2");
  expect_same(bert, ids, more);
  expect_same(gpt, ids, more);
}
