// SPDX-License-Identifier: MIT
// Three layers of LSTM of 512 over 64 sequences of 5 to 50 items, dropout 0.1 between layers, Adam.
#include "../workload.h"

namespace bench {
using namespace chainer;

struct NStepModel : Chain {
  static constexpr int64_t kUnits = 512, kLayers = 3, kBatch = 64;
  L::NStepLSTM lstm{kLayers, kUnits, kUnits, 0.1};
  CHAINER_MEMBERS(NStepModel, lstm);
};

Step nstep_lstm() {
  auto model = std::make_shared<NStepModel>();
  Variables xs;
  std::map<std::string, Array> inputs;
  int64_t total = 0;
  for (int64_t length : random::randint(5, 51, {NStepModel::kBatch}).to_vector<int64_t>()) {
    xs.push_back(uniform({length, NStepModel::kUnits}));
    inputs[text("x", xs.size() - 1)] = xs.back().array();
    total += length;
  }
  // The function draws the dropout masks; the same seed draws them again for the check.
  constexpr uint32_t kSeed = 7;
  Step s = training(model, [=] {
    random::seed(kSeed);
    return F::mean(F::square(F::concat(model->lstm(Variable(), Variable(), xs).ys, 0)));
  });
  s.inputs = inputs;
  s.drawn = [=](std::map<std::string, Array>& to) {
    random::seed(kSeed);
    for (int64_t layer = 1; layer < NStepModel::kLayers; ++layer)
      (void)F::dropout(ones({total, NStepModel::kUnits}), 0.1, {.return_mask = &to[text("mask", layer)]});
  };
  return s;
}

}  // namespace bench
