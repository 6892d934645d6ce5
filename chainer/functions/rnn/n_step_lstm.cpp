// SPDX-License-Identifier: MIT
#include "chainer/functions/rnn.h"
#include "chainer/functions/rnn/packed.h"

namespace chainer::functions {
namespace {

NStepLstmResult run(const RnnDefinition& rnn, const Variable& hx, const Variable& cx, const Variables& xs) {
  NStepLstmResult out;
  RnnResult r = apply_rnn(rnn, hx, cx, xs, out.ys);
  out.hy = r.hy, out.cy = r.cy;
  return out;
}

}  // namespace

NStepLstmResult NStepLstm::operator()(int64_t n_layers, double dropout_ratio, const Variable& hx, const Variable& cx,
                                      const std::vector<Variables>& ws, const std::vector<Variables>& bs,
                                      const Variables& xs) const {
  return run({name, RnnKind::lstm, false, n_layers, dropout_ratio, ws, bs}, hx, cx, xs);
}

NStepLstmResult NStepBilstm::operator()(int64_t n_layers, double dropout_ratio, const Variable& hx, const Variable& cx,
                                        const std::vector<Variables>& ws, const std::vector<Variables>& bs,
                                        const Variables& xs) const {
  return run({name, RnnKind::lstm, true, n_layers, dropout_ratio, ws, bs}, hx, cx, xs);
}

}  // namespace chainer::functions
