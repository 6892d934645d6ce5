// SPDX-License-Identifier: MIT
#include "../table.h"

namespace bench {
namespace {
Inputs channels(const Size& s) { return {normal(s.images), normal({s.channels()}), normal({s.channels()})}; }
Inputs with_statistics(const Size& s) {
  Inputs in = channels(s);
  in.push_back(fixed(normal({s.channels()})));
  in.push_back(fixed(uniform(0.5, 2, {s.channels()})));
  return in;
}
}  // namespace

void normalization(Table& t) {
  t.add(
      "batch_normalization", "F.batch_norm(x[0], None, None, x[1], x[2], training=True, eps=2e-5)",
      [](const Variables& x) { return F::batch_normalization(x[0], x[1], x[2]); }, channels);
  t.add(
      "fixed_batch_normalization", "F.batch_norm(x[0], x[3], x[4], x[1], x[2], eps=2e-5)",
      [](const Variables& x) { return F::fixed_batch_normalization(x[0], x[1], x[2], x[3], x[4]); }, with_statistics);
  t.add(
      "batch_renormalization", "batch_renormalization(*x)",
      [](const Variables& x) { return F::batch_renormalization(x[0], x[1], x[2], 3, 5); }, channels);
  t.add(
      "fixed_batch_renormalization", "F.batch_norm(x[0], x[3], x[4], x[1], x[2], eps=2e-5)",
      [](const Variables& x) { return F::fixed_batch_renormalization(x[0], x[1], x[2], x[3], x[4]); }, with_statistics);
  t.add(
      "group_normalization", "F.group_norm(x[0], 4, x[1], x[2])",
      [](const Variables& x) { return F::group_normalization(x[0], 4, x[1], x[2]); }, channels);
  t.add(
      "layer_normalization", "F.layer_norm(x[0], x[1].shape, x[1], x[2])",
      [](const Variables& x) { return F::layer_normalization(x[0], x[1], x[2]); },
      [](const Size& s) {
        return Inputs{normal(s.matrix), normal({s.columns()}), normal({s.columns()})};
      });
  t.add(
      "local_response_normalization", "F.local_response_norm(x[0], 5, 5e-4, 0.75, 2)",
      [](const Variables& x) { return F::local_response_normalization(x[0]); },
      [](const Size& s) { return Inputs{normal(s.images)}; });
  t.add(
      "normalize", "F.normalize(x[0], dim=1, eps=1e-5)", [](const Variables& x) { return F::normalize(x[0]); },
      [](const Size& s) { return Inputs{normal(s.matrix)}; });
  t.add(
      "rms_normalization", "F.rms_norm(x[0], x[1].shape, x[1], 1e-6)",
      [](const Variables& x) { return F::rms_normalization(x[0], x[1]); },
      [](const Size& s) {
        return Inputs{normal(s.matrix), normal({s.columns()})};
      });
  for (const char* name : {"decorrelated_batch_normalization", "fixed_decorrelated_batch_normalization"})
    t.absent(name, "no counterpart in PyTorch");
}

}  // namespace bench
