// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "chainer/core/error.h"
#include "chainer/functions/evaluation/text_metrics.h"
#include "chainer/functions/evaluation/words.h"

namespace chainer::functions {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_point(char c) { return c == '.' || c == ','; }

void replace_all(std::string& s, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = s.find(from, at)) != s.npos; at += to.size()) s.replace(at, from.size(), to);
}

// Inserts spaces where takes(first, second) is true for adjacent characters: `before`, `between` or `behind` them.
template <class Rule>
std::string spaced(const std::string& s, bool before, bool between, bool behind, Rule&& takes) {
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (i + 1 < s.size() && takes(s[i], s[i + 1])) {
      if (before) out += ' ';
      out += s[i++];
      if (between) out += ' ';
      out += s[i];
      if (behind) out += ' ';
    } else {
      out += s[i];
    }
  }
  return out;
}

// The tokenization of mteval-v13a for Western languages.
std::string v13a(std::string s) {
  replace_all(s, "<skipped>", "");
  replace_all(s, "-\n", "");
  replace_all(s, "\n", " ");
  replace_all(s, "&quot;", "\"");
  replace_all(s, "&amp;", "&");
  replace_all(s, "&lt;", "<");
  replace_all(s, "&gt;", ">");
  std::string apart = " ";
  for (const char c : s) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c < ' ' || c > '~';
    if (letter || is_point(c) || c == '-' || c == '\'')
      apart += c;
    else
      apart += {' ', c, ' '};
  }
  s = spaced(apart + ' ', false, true, true, [](char a, char b) { return !is_digit(a) && is_point(b); });
  s = spaced(s, true, true, false, [](char a, char b) { return is_point(a) && !is_digit(b); });
  return spaced(s, false, true, true, [](char a, char b) { return is_digit(a) && b == '-'; });
}

using Grams = std::map<std::vector<std::string>, int64_t>;
Grams grams(const std::vector<std::string>& words, std::size_t n) {
  Grams out;
  for (std::size_t i = 0; i + n <= words.size(); ++i)
    ++out[{words.begin() + static_cast<std::ptrdiff_t>(i), words.begin() + static_cast<std::ptrdiff_t>(i + n)}];
  return out;
}

// Computes the smoothed precisions, and the score from the mean of their logarithms.
void finish(Bleu::Result& r, const BleuOptions& o) {
  const double value = o.smooth_value >= 0 ? o.smooth_value : o.smoothing == BleuSmoothing::floor ? 0.1 : 1;
  if (std::all_of(r.correct.begin(), r.correct.end(), [](int64_t c) { return c == 0; })) return;
  double halves = 1, logs = 0;
  bool open = true;
  for (std::size_t n = 0; n < 4; ++n) {
    const double add = o.smoothing == BleuSmoothing::add_k && n > 0 ? value : 0;
    const double right = static_cast<double>(r.correct[n]) + add, all = static_cast<double>(r.total[n]) + add;
    open = open && all > 0;
    if (open && right > 0)
      r.precisions[n] = 100 * right / all;
    else if (open && o.smoothing == BleuSmoothing::exponential)
      r.precisions[n] = 100 / ((halves *= 2) * all);
    else if (open && o.smoothing == BleuSmoothing::floor)
      r.precisions[n] = 100 * value / all;
    logs += std::log(r.precisions[n]);
  }
  r.score = r.brevity_penalty * std::exp(logs / 4);
}

}  // namespace

std::vector<std::string> Bleu::words(std::string sentence, const BleuOptions& o) {
  if (o.lowercase)
    for (char& c : sentence)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return detail::split_as_python(o.tokenizer == BleuTokenizer::v13a ? v13a(std::move(sentence)) : sentence);
}

Bleu::Result Bleu::operator()(const std::vector<std::string>& hypotheses,
                              const std::vector<std::vector<std::string>>& references, const BleuOptions& o) const {
  if (hypotheses.size() != references.size())
    throw ValueError("bleu: ", hypotheses.size(), " hypotheses for ", references.size(), " lists of references");
  Result r{};
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    if (references[i].empty()) throw ValueError("bleu: the hypothesis at position ", i, " has no reference");
    const std::vector<std::string> hypothesis = words(hypotheses[i], o);
    const auto length = static_cast<int64_t>(hypothesis.size());
    std::vector<std::vector<std::string>> sentences;
    for (const std::string& s : references[i]) sentences.push_back(words(s, o));
    int64_t nearest = -1;
    for (const auto& s : sentences) {
      const auto theirs = static_cast<int64_t>(s.size());
      const int64_t gap = std::abs(theirs - length), best = std::abs(nearest - length);
      if (nearest < 0 || gap < best || (gap == best && theirs < nearest)) nearest = theirs;
    }
    r.hypothesis_length += length;
    r.reference_length += nearest;
    for (std::size_t n = 1; n <= 4; ++n) {
      Grams most;
      for (const auto& s : sentences)
        for (const auto& [gram, count] : grams(s, n)) most[gram] = std::max(most[gram], count);
      for (const auto& [gram, count] : grams(hypothesis, n)) {
        r.total[n - 1] += count;
        if (const auto it = most.find(gram); it != most.end()) r.correct[n - 1] += std::min(count, it->second);
      }
    }
  }
  r.brevity_penalty =
      r.hypothesis_length >= r.reference_length ? 1
      : r.hypothesis_length > 0
          ? std::exp(1 - static_cast<double>(r.reference_length) / static_cast<double>(r.hypothesis_length))
          : 0;
  finish(r, o);
  return r;
}

}  // namespace chainer::functions
