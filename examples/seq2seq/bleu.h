// SPDX-License-Identifier: MIT
// BLEU: the share of n-grams of one to four words of the translations that occur in the references.
#pragma once
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

/// Returns the corpus score in [0, 1] of Papineni et al., 2002, with add-one smoothing for n-grams of two and more
/// words (Lin and Och, 2004), so that short texts have a score.
inline double corpus_bleu(const std::vector<std::vector<int32_t>>& references,
                          const std::vector<std::vector<int32_t>>& translations) {
  using Run = std::vector<int32_t>;
  double precision = 0, length = 0, wanted = 0;
  for (std::size_t n = 1; n <= 4; ++n) {
    double matched = n > 1, all = n > 1;
    for (std::size_t i = 0; i < references.size(); ++i) {
      std::map<Run, int> there;
      const auto runs = [n](const Run& words, auto&& f) {
        for (std::size_t k = 0; k + n <= words.size(); ++k)
          f(Run(words.begin() + static_cast<std::ptrdiff_t>(k), words.begin() + static_cast<std::ptrdiff_t>(k + n)));
      };
      runs(references[i], [&](const Run& r) { ++there[r]; });
      runs(translations[i], [&](const Run& r) {
        ++all;
        if (there[r]-- > 0) ++matched;
      });
      if (n == 1)
        length += static_cast<double>(translations[i].size()), wanted += static_cast<double>(references[i].size());
    }
    if (matched == 0) return 0;
    precision += std::log(matched / all) / 4;
  }
  return std::exp(precision + std::min(0.0, 1 - wanted / length));
}
