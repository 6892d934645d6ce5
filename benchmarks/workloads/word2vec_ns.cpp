// SPDX-License-Identifier: MIT
// Skip-gram with negative sampling: 100 units, vocabulary 10000, batch 1000 x window 10, 5 negatives, Adam.
#include "../workload.h"

namespace bench {
using namespace chainer;

struct SkipGram : Chain {
  static constexpr int64_t kWords = 10000, kUnits = 100, kNegatives = 5;
  L::EmbedID embed{kWords, kUnits};
  L::NegativeSampling loss{kUnits, std::vector<double>(kWords, 1.0), kNegatives};
  CHAINER_MEMBERS(SkipGram, embed, loss);
};

Step word2vec_ns() {
  auto model = std::make_shared<SkipGram>();
  for (auto& p : model->params()) {
    Array w = p.array();
    w.set(ellipsis, random::randn(w.shape(), float32));
  }
  const Array center = labels(SkipGram::kWords, {1000}), context = labels(SkipGram::kWords, {1000, 10});
  auto samples = std::make_shared<Array>();
  const auto sampler = [=](const Shape& s) { return *samples = model->loss.sampler(s); };
  Step s = training(model, [=] {
    const Variable h = model->embed(context).reshape({-1, SkipGram::kUnits});
    const Array t = broadcast_to(expand_dims(center, 1), context.shape()).reshape({-1});
    return F::negative_sampling(h, t, model->loss.W, sampler, SkipGram::kNegatives) / 10000.0;
  });
  s.inputs = {{"center", center}, {"context", context}};
  s.drawn = [=](std::map<std::string, Array>& to) { to["samples"] = *samples; };
  return s;
}

}  // namespace bench
