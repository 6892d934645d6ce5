// SPDX-License-Identifier: MIT
// Files of word vectors: a line "words units", then one line per word with its values.
#pragma once
#include <chainer/chainer.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

struct WordVectors {
  std::vector<std::string> words;
  chainer::Array vectors;  // (words, units)
};

inline void save_vectors(const std::string& file, const std::vector<std::string>& words, const chainer::Array& w) {
  std::ofstream out(file);
  out << w.shape()[0] << ' ' << w.shape()[1] << '\n';
  const std::vector<float> numbers = w.to_vector<float>();
  const auto units = static_cast<std::size_t>(w.shape()[1]);
  for (std::size_t i = 0; i < words.size(); ++i) {
    out << words[i];
    for (std::size_t k = 0; k < units; ++k) out << ' ' << numbers[i * units + k];
    out << '\n';
  }
  if (!out.flush()) throw chainer::ValueError("cannot write ", file);
}

inline WordVectors load_vectors(const std::string& file) {
  std::ifstream in(file);
  int64_t count = 0, units = 0;
  if (!(in >> count >> units) || count < 1 || units < 1)
    throw chainer::ValueError(file, " is not a file of word vectors");
  WordVectors out;
  std::vector<float> numbers;
  std::string word;
  float number = 0;
  for (int64_t i = 0; i < count && in >> word; ++i) {
    out.words.push_back(word);
    for (int64_t k = 0; k < units && in >> number; ++k) numbers.push_back(number);
  }
  if (static_cast<int64_t>(numbers.size()) != count * units)
    throw chainer::ValueError(file, " is truncated: it has ", numbers.size(), " of ", count * units, " numbers");
  out.vectors = chainer::array(numbers, {count, units});
  return out;
}

/// Returns the `n` words with the largest cosine similarity to word number `query`, and the similarities.
inline std::vector<std::pair<std::string, double>> neighbours(const WordVectors& v, int64_t query, int64_t n) {
  using namespace chainer;
  const Array norms = sqrt(sum(v.vectors * v.vectors, 1, true)), unit = v.vectors / (norms + 1e-12);
  const std::vector<double> cosines = matmul(unit, unit[query]).to_vector<double>();
  std::vector<std::pair<std::string, double>> all;
  for (std::size_t i = 0; i < cosines.size(); ++i)
    if (static_cast<int64_t>(i) != query) all.emplace_back(v.words[i], cosines[i]);
  const auto kept = std::min<std::ptrdiff_t>(n, static_cast<std::ptrdiff_t>(all.size()));
  std::partial_sort(all.begin(), all.begin() + kept, all.end(),
                    [](const auto& a, const auto& b) { return a.second > b.second; });
  all.resize(static_cast<std::size_t>(kept));
  return all;
}
