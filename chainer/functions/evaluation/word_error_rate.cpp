// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include "chainer/core/error.h"
#include "chainer/core/utf8.h"
#include "chainer/functions/evaluation/text_metrics.h"
#include "chainer/functions/evaluation/words.h"

namespace chainer::functions {
namespace {

// The Levenshtein distance: the smallest number of substitutions, insertions and deletions.
template <class T>
int64_t distance(const std::vector<T>& from, const std::vector<T>& to) {
  std::vector<int64_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), int64_t(0));
  for (const T& word : from) {
    int64_t diagonal = row[0]++;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const int64_t changed = diagonal + (word == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::vector<int32_t> characters(const std::string& s) {
  std::vector<int32_t> out;
  for (std::size_t at = 0; at < s.size();) out.push_back(next_utf8(s, at));
  return out;
}

template <class Split>
double rate(const char* function, const std::vector<std::string>& hypotheses,
            const std::vector<std::string>& references, Split&& split) {
  if (hypotheses.size() != references.size())
    throw ValueError(function, ": ", hypotheses.size(), " hypotheses for ", references.size(), " references");
  int64_t edits = 0, all = 0;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const auto truth = split(references[i]);
    edits += distance(split(hypotheses[i]), truth);
    all += static_cast<int64_t>(truth.size());
  }
  if (all == 0) throw ValueError(function, ": the ", references.size(), " references are empty");
  return static_cast<double>(edits) / static_cast<double>(all);
}

}  // namespace

double WordErrorRate::operator()(const std::vector<std::string>& hypotheses,
                                 const std::vector<std::string>& references) const {
  return rate("word_error_rate", hypotheses, references,
              [](const std::string& s) { return detail::split_at_blanks(s); });
}
double CharacterErrorRate::operator()(const std::vector<std::string>& hypotheses,
                                      const std::vector<std::string>& references) const {
  return rate("character_error_rate", hypotheses, references, characters);
}

}  // namespace chainer::functions
