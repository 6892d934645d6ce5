// SPDX-License-Identifier: MIT
// Counts of sequences of numbers.
#include <algorithm>
#include <map>

#include "chainer/onnx/call.h"
#include "chainer/routines/creation.h"

namespace chainer::onnx {
namespace {

// Counts which n-grams of a list occur in rows of numbers, with up to max_skip_count numbers between their elements.
Variables tf_idf(const Call& c) {
  if (c.contains("pool_strings")) c.fail("texts are not supported");
  const std::vector<int64_t> pool = c.integers("pool_int64s"), starts = c.integers("ngram_counts"),
                             columns = c.integers("ngram_indexes");
  const int64_t shortest = c.integer("min_gram_length"), longest = c.integer("max_gram_length"),
                skips = c.integer("max_skip_count");
  const std::string mode = c.text("mode");
  const std::vector<double> weights = c.reals("weights");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF") c.fail("unknown mode '", mode, "'");
  const auto size = static_cast<int64_t>(pool.size());
  std::map<std::vector<int64_t>, int64_t> grams;  // n-gram -> column
  std::size_t id = 0;
  int64_t width = 0;
  for (const int64_t column : columns) {
    if (column < 0 || column > (int64_t(1) << 32)) c.fail("ngram_indexes has ", column);
    width = std::max(width, column + 1);
  }
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto n = static_cast<int64_t>(i + 1);
    const int64_t from = starts[i], to = i + 1 < starts.size() ? starts[i + 1] : size;
    if (from < 0 || to > size || from > to) c.fail("ngram_counts has ", from, " and ", to, " of ", size, " numbers");
    for (int64_t at = from; at + n <= to; at += n, ++id) {
      if (id >= columns.size()) c.fail("ngram_indexes has ", columns.size(), " numbers, fewer than n-grams");
      if (n >= shortest && n <= longest) grams[{pool.begin() + at, pool.begin() + at + n}] = columns[id];
    }
  }
  const Array& x = c.array(0);
  if (x.ndim() > 2) c.fail("expected one row or rows of numbers, got shape ", x.shape());
  const int64_t rows = x.ndim() == 2 ? x.shape()[0] : 1, length = rows ? x.size() / rows : 0;
  if (!weights.empty() && static_cast<int64_t>(weights.size()) < width)
    c.fail(weights.size(), " weights for ", width, " columns");
  checked_size({rows, width}, 8, "TfIdfVectorizer");
  const std::vector<int64_t> v = x.to_vector<int64_t>();
  std::vector<float> out(static_cast<std::size_t>(rows * width), 0);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t n = std::max<int64_t>(shortest, 1); n <= std::min(longest, length); ++n)
      for (int64_t step = 1; step <= (n == 1 ? 1 : std::min(skips + 1, length)); ++step)
        for (int64_t first = 0; first + step * (n - 1) < length; ++first) {
          std::vector<int64_t> gram;
          for (int64_t k = 0; k < n; ++k) gram.push_back(v[static_cast<std::size_t>(r * length + first + k * step)]);
          if (const auto it = grams.find(gram); it != grams.end())
            ++out[static_cast<std::size_t>(r * width + it->second)];
        }
  for (std::size_t i = 0; i < out.size() && mode != "TF"; ++i) {
    const float w = weights.empty() ? 1 : static_cast<float>(weights[i % static_cast<std::size_t>(width)]);
    out[i] = mode == "IDF" ? (out[i] > 0 ? w : 0) : out[i] * w;
  }
  return {Variable(array(out, x.ndim() == 2 ? Shape{rows, width} : Shape{width}), false)};
}

constexpr Operator kOperators[] = {{"TfIdfVectorizer", 9, tf_idf}};

}  // namespace

std::span<const Operator> language_operators() { return kOperators; }

}  // namespace chainer::onnx
