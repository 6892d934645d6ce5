// SPDX-License-Identifier: MIT
#include "chainer/models/generate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "chainer/autograd/config.h"
#include "chainer/functions/connection.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/random.h"

namespace chainer::models {
namespace {

void check(const Gpt2& model, const std::vector<std::vector<int32_t>>& prompts, const GenerationOptions& o) {
  if (o.max_new_tokens < 0) throw ValueError("generate: max_new_tokens must not be negative, got ", o.max_new_tokens);
  if (!(o.temperature >= 0)) throw ValueError("generate: temperature must not be negative, got ", o.temperature);
  if (o.top_k < 0) throw ValueError("generate: top_k must not be negative, got ", o.top_k);
  if (!(o.top_p > 0 && o.top_p <= 1)) throw ValueError("generate: top_p must be in (0, 1], got ", o.top_p);
  for (const auto& p : prompts)
    if (p.empty() || static_cast<int64_t>(p.size()) > model.config().n_positions)
      throw ValueError("generate: expected prompts of 1 to ", model.config().n_positions, " tokens, got ", p.size());
}

}  // namespace

int32_t drawn_token(const std::vector<float>& scores, const GenerationOptions& o, double number) {
  if (scores.empty()) throw ValueError("drawn_token: there are no scores");
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (std::isnan(scores[i])) throw ValueError("drawn_token: the score of token ", i, " is NaN");
  const auto best = std::max_element(scores.begin(), scores.end());
  if (o.temperature == 0 || o.top_k == 1) return static_cast<int32_t>(best - scores.begin());
  std::vector<int32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  const auto higher = [&](int32_t a, int32_t b) {
    const float x = scores[static_cast<std::size_t>(a)], y = scores[static_cast<std::size_t>(b)];
    return x > y || (x == y && a < b);
  };
  if (o.top_k > 0 && static_cast<std::size_t>(o.top_k) < order.size()) {
    std::nth_element(order.begin(), order.begin() + o.top_k, order.end(), higher);
    order.resize(static_cast<std::size_t>(o.top_k));
  }
  std::sort(order.begin(), order.end(), higher);
  std::vector<double> sums;
  double all = 0;
  for (const int32_t i : order)
    sums.push_back(all += std::exp((double{scores[static_cast<std::size_t>(i)]} - double{*best}) / o.temperature));
  // The fewest tokens that reach top_p, at least one.
  const auto last = std::lower_bound(sums.begin(), sums.end(), o.top_p * all);
  const auto kept = std::min<std::size_t>(static_cast<std::size_t>(last - sums.begin()) + 1, sums.size());
  const auto at =
      std::upper_bound(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(kept), number * sums[kept - 1]);
  return order[std::min<std::size_t>(static_cast<std::size_t>(at - sums.begin()), kept - 1)];
}

std::vector<std::vector<int32_t>> generate(Gpt2& model, const std::vector<std::vector<int32_t>>& prompts,
                                           const GenerationOptions& o) {
  check(model, prompts, o);
  const NoBackpropMode none;
  const UsingConfig test(&Config::train, false);
  const auto n = static_cast<int64_t>(prompts.size());
  std::vector<std::vector<int32_t>> out(prompts.size());
  if (n == 0) return out;
  std::size_t longest = 0;
  for (const auto& p : prompts) longest = std::max(longest, p.size());
  auto length = static_cast<int64_t>(longest);
  // Shorter prompts are padded at their beginning, so that the next position is the same for all.
  Array ids = zeros({n, length}, int32), places = zeros({n, length}, int32), mask = zeros({n, length}, bool_);
  bool padded = false;
  for (int64_t i = 0; i < n; ++i) {
    const std::vector<int32_t>& p = prompts[static_cast<std::size_t>(i)];
    const int64_t begin = length - static_cast<int64_t>(p.size());
    padded = padded || begin > 0;
    for (int64_t k = begin; k < length; ++k) {
      ids.mutable_data<int32_t>()[i * length + k] = p[static_cast<std::size_t>(k - begin)];
      places.mutable_data<int32_t>()[i * length + k] = static_cast<int32_t>(k - begin);
      mask.mutable_data<bool>()[i * length + k] = true;
    }
  }
  const QuantizedMatrix& few = model.words.quantized();
  const Device device = few ? few.values.device() : model.words.W.array().device();
  std::vector<L::AttentionCache> caches;
  std::vector<bool> ended(prompts.size());
  for (int64_t step = 0; step < o.max_new_tokens; ++step) {
    Gpt2Inputs in{
        .mask = padded ? mask.to_device(device) : Array(), .positions = places.to_device(device), .caches = &caches};
    const Variable h = model.hidden(ids.to_device(device), in);
    const Array last = h.array()[{Slice(), -1}];
    const Array scores = model.words.scores(last).array().astype(float32, false);
    const std::vector<double> numbers = o.temperature > 0 ? random::global().random_sample({n}).to_vector<double>()
                                                          : std::vector<double>(prompts.size());
    std::vector<int32_t> next(prompts.size(), -1);
    Array more = zeros({n, 1}, int32), at = zeros({n, 1}, int32);
    for (int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (ended[k]) continue;
      next[k] = drawn_token(scores[i].to_vector<float>(), o, numbers[k]);
      out[k].push_back(next[k]);
      const auto reached = static_cast<int64_t>(prompts[k].size() + out[k].size());
      ended[k] = (o.end && next[k] == *o.end) || reached >= model.config().n_positions;
      more.mutable_data<int32_t>()[i] = next[k];
      at.mutable_data<int32_t>()[i] = static_cast<int32_t>(ended[k] ? 0 : reached - 1);
    }
    if (o.stream && !o.stream(next)) break;
    if (std::all_of(ended.begin(), ended.end(), [](bool e) { return e; })) break;
    ++length;
    if (length > model.config().n_positions) break;  // positions of padding count for the caches
    ids = more, places = at;
    mask = concatenate({mask, ones({n, 1}, bool_)}, 1);
  }
  return out;
}

}  // namespace chainer::models
