// SPDX-License-Identifier: MIT
// A language model of two LSTM layers of 650, vocabulary 10000, batch 20: truncated backpropagation over 35 steps, one
// step per call, gradients clipped to 5, SGD.
#include "../workload.h"

namespace bench {
using namespace chainer;

struct PtbModel : Chain {
  static constexpr int64_t kWords = 10000, kUnits = 650, kSteps = 35, kBatch = 20;
  L::EmbedID embed{kWords, kUnits};
  L::LSTM l1{kUnits, kUnits}, l2{kUnits, kUnits};
  L::Linear l3{kUnits, kWords};
  CHAINER_MEMBERS(PtbModel, embed, l1, l2, l3);
};

Step ptb_lstm() {
  auto model = std::make_shared<PtbModel>();
  model->to_device(device);
  auto optimizer = std::make_shared<optimizers::SGD>(optimizers::SGDOptions{.lr = 1.0});
  optimizer->setup(*model);
  optimizer->add_hook(std::make_shared<optimizer_hooks::GradientClipping>(5.0));
  const Array words = labels(PtbModel::kWords, {PtbModel::kSteps + 1, PtbModel::kBatch});
  auto masks = std::make_shared<Arrays>();
  const auto unrolled = maybe_static(
      [=](const Variable& words) {
        masks->clear();
        const auto dropout = [&](const Variable& x) {
          if (use_static) return F::dropout(x, 0.5);  // the masks drawn by a schedule are not accessible
          masks->push_back(Array());
          return F::dropout(x, 0.5, {.return_mask = &masks->back()});
        };
        model->l1.reset_state();
        model->l2.reset_state();
        Variable loss;
        for (int64_t k = 0; k < PtbModel::kSteps; ++k) {
          const Variable h = model->l2(dropout(model->l1(dropout(model->embed(words.array()[k])))));
          const Variable step = F::softmax_cross_entropy(model->l3(dropout(h)), words.array()[k + 1]);
          loss = loss ? loss + step : step;
        }
        model->l1.reset_state();
        model->l2.reset_state();
        return loss;
      },
      *model);
  Step s;
  s.run = [=] {
    const Variable loss = unrolled(words);
    model->cleargrads();
    loss.backward();
    optimizer->update();
    return loss;
  };
  for (auto& [path, p] : model->namedparams()) s.parameters[path] = p.variable();
  s.trained = model->params();
  s.inputs = {{"words", words}};
  s.drawn = [=](std::map<std::string, Array>& to) { to["masks"] = stack(*masks); };
  return s;
}

}  // namespace bench
