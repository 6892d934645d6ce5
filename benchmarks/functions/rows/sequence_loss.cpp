// SPDX-License-Identifier: MIT
// Losses of sequences, and sampled losses over a vocabulary.
#include "../table.h"

namespace bench {
namespace {
/// Transition costs between labels, then scores per time step, then labels per time step.
Inputs chain(const Size& s) {
  const int64_t steps = s.n == 64 ? 4 : 32, batch = s.n == 64 ? 4 : 64, labels = s.n == 64 ? 4 : 20;
  Inputs in{normal({labels, labels})};
  for (const Input& i : several(steps, normal({batch, labels}))) in.push_back(i);
  for (const Input& i : several(steps, integers(0, static_cast<double>(labels), {batch}))) in.push_back(i);
  return in;
}
Variables part(const Variables& x, std::size_t from, std::size_t to) {
  Variables v;
  for (; from < to; ++from) v.push_back(x[from]);
  return v;
}
/// Vectors, weights of a vocabulary, labels, samples of the vocabulary.
Inputs vocabulary(const Size& s) {
  const int64_t words = s.n == 64 ? 8 : 2000, batch = s.n == 64 ? 4 : 128, samples = s.n == 64 ? 4 : 20;
  const double v = static_cast<double>(words);
  return {normal({batch, s.n == 64 ? 8 : 128}), normal({words, s.n == 64 ? 8 : 128}), integers(0, v, {batch}),
          integers(0, v, {batch, samples})};
}
}  // namespace

void sequence_loss(Table& t) {
  t.add(
       "black_out", "black_out(*x)", [](const Variables& x) { return F::black_out(x[0], x[2], x[1], x[3]); },
       [](const Size& s) {
         Inputs in = vocabulary(s);
         in[1] = uniform(-0.1, 0.1, in[1].shape);
         return in;
       })
      .up_to(1);
  t.add(
       "negative_sampling", "negative_sampling(*x)",
       [](const Variables& x) {
         const Array samples = x[3].array();
         return F::negative_sampling(
             x[0], x[2], x[1], [&](const Shape&) { return samples; }, samples.shape(1) - 1);
       },
       vocabulary)
      .up_to(1);
  t.add(
       "connectionist_temporal_classification", "ctc(*x)",
       [](const Variables& x) { return F::connectionist_temporal_classification(x[0], x[1], 0); },
       [](const Size& s) {
         if (s.n == 64) return Inputs{normal({4, 4, 4}), integers(1, 4, {4, 1})};
         return Inputs{normal({200, 32, 41}), integers(1, 41, {32, 40})};
       })
      .up_to(1);
  t.add(
       "crf1d", "crf1d(x[0], x[1:len(x) // 2 + 1], x[len(x) // 2 + 1:])",
       [](const Variables& x) {
         const std::size_t m = x.size() / 2 + 1;
         return F::crf1d(x[0], part(x, 1, m), part(x, m, x.size()));
       },
       chain)
      .up_to(1);
  t.add(
       "argmax_crf1d", "argmax_crf1d(x[0], x[1:len(x) // 2 + 1])",
       [](const Variables& x) {
         const auto r = F::argmax_crf1d(x[0], part(x, 1, x.size() / 2 + 1));
         Variables out{r.s};
         for (const Array& p : r.ps) out.push_back(Variable(p, false));
         return out;
       },
       chain)
      .data_only()
      .up_to(1);
}

}  // namespace bench
