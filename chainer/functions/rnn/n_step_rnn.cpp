// SPDX-License-Identifier: MIT
#include "chainer/functions/rnn.h"
#include "chainer/functions/rnn/packed.h"

namespace chainer::functions {
namespace {

NStepRnnResult run(const RnnDefinition& rnn, const Variable& hx, const Variables& xs) {
  NStepRnnResult out;
  out.hy = apply_rnn(rnn, hx, {}, xs, out.ys).hy;
  return out;
}
RnnKind kind(RnnActivation a) { return a == RnnActivation::tanh ? RnnKind::tanh : RnnKind::relu; }

}  // namespace

NStepRnnResult NStepGru::operator()(int64_t n_layers, double dropout_ratio, const Variable& hx,
                                    const std::vector<Variables>& ws, const std::vector<Variables>& bs,
                                    const Variables& xs) const {
  return run({name, RnnKind::gru, false, n_layers, dropout_ratio, ws, bs}, hx, xs);
}

NStepRnnResult NStepBigru::operator()(int64_t n_layers, double dropout_ratio, const Variable& hx,
                                      const std::vector<Variables>& ws, const std::vector<Variables>& bs,
                                      const Variables& xs) const {
  return run({name, RnnKind::gru, true, n_layers, dropout_ratio, ws, bs}, hx, xs);
}

NStepRnnResult NStepRnn::operator()(int64_t n_layers, double dropout_ratio, const Variable& hx,
                                    const std::vector<Variables>& ws, const std::vector<Variables>& bs,
                                    const Variables& xs, RnnActivation activation) const {
  return run({name, kind(activation), false, n_layers, dropout_ratio, ws, bs}, hx, xs);
}

NStepRnnResult NStepBirnn::operator()(int64_t n_layers, double dropout_ratio, const Variable& hx,
                                      const std::vector<Variables>& ws, const std::vector<Variables>& bs,
                                      const Variables& xs, RnnActivation activation) const {
  return run({name, kind(activation), true, n_layers, dropout_ratio, ws, bs}, hx, xs);
}

}  // namespace chainer::functions
