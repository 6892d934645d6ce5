// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include "chainer/core/error.h"
#include "chainer/core/utf8.h"
#include "chainer/tokenizers/steps.h"
#include "chainer/tokenizers/tables.h"
#include "chainer/tokenizers/unicode.h"

namespace chainer::tokenizers {
namespace {

using Pair = std::pair<int32_t, int32_t>;
struct PairHash {
  std::size_t operator()(const Pair& p) const {
    return (uint64_t(uint32_t(p.first)) << 32 | uint32_t(p.second)) * 0x9e3779b97f4a7c15u >> 7;
  }
};

struct CountedWord {
  std::vector<int32_t> symbols;
  int64_t count;
};

// The pairs of all words with their frequency and the words that contain them, kept up to date by merges.
class Pairs {
 public:
  explicit Pairs(std::vector<CountedWord> words) : words_(std::move(words)) {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::size_t i = 0; i + 1 < words_[w].symbols.size(); ++i)
        add({words_[w].symbols[i], words_[w].symbols[i + 1]}, words_[w].count, w);
    for (const auto& [pair, entry] : pairs_) queue_.push({entry.count, pair});
  }
  // Returns the most frequent pair, of equals the one with the smallest ids, and its frequency.
  std::pair<Pair, int64_t> most_frequent() {
    while (!queue_.empty()) {
      Candidate c = queue_.top();
      queue_.pop();
      const int64_t count = pairs_[c.pair].count;
      if (count == c.count) return {c.pair, count};
      if (count > 0) queue_.push({count, c.pair});  // merges have changed it
    }
    return {{-1, -1}, 0};
  }
  void merge(const Pair& pair, int32_t made) {
    const std::set<std::size_t> where = std::move(pairs_[pair].words);
    pairs_[pair] = {};
    std::set<Pair> changed;
    for (const std::size_t w : where) {
      std::vector<int32_t>& s = words_[w].symbols;
      const int64_t n = words_[w].count;
      const auto move = [&](const Pair& from, const Pair& to) {
        if (from != pair) pairs_[from].count -= n;
        add(to, n, w);
        changed.insert(to);
      };
      for (std::size_t i = 0; i + 1 < s.size(); ++i) {
        if (s[i] != pair.first || s[i + 1] != pair.second) continue;
        if (i > 0) move({s[i - 1], s[i]}, {s[i - 1], made});
        if (i + 2 < s.size()) move({s[i + 1], s[i + 2]}, {made, s[i + 2]});
        s[i] = made;
        s.erase(s.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      }
    }
    for (const Pair& p : changed)
      if (pairs_[p].count > 0) queue_.push({pairs_[p].count, p});
  }

 private:
  struct Entry {
    int64_t count = 0;
    std::set<std::size_t> words;
  };
  struct Candidate {
    int64_t count;
    Pair pair;
    bool operator<(const Candidate& o) const { return count != o.count ? count < o.count : pair > o.pair; }
  };
  void add(const Pair& p, int64_t n, std::size_t word) {
    Entry& e = pairs_[p];
    e.count += n;
    e.words.insert(word);
  }
  std::vector<CountedWord> words_;
  std::unordered_map<Pair, Entry, PairHash> pairs_;
  std::priority_queue<Candidate> queue_;
};

}  // namespace

Tokenizer Tokenizer::train_byte_level_bpe(const std::vector<std::string>& corpus, const TrainingOptions& o) {
  const int64_t least = 256 + static_cast<int64_t>(o.special_tokens.size());
  if (o.vocabulary < least)
    throw ValueError("train_byte_level_bpe: expected a vocabulary of at least ", least,
                     ", for the bytes and the special tokens, got ", o.vocabulary);
  Vocabulary vocabulary;
  json::List added;
  const auto add = [&](const std::string& token) {
    if (vocabulary.find(token) < 0) vocabulary.add(token, static_cast<int64_t>(vocabulary.tokens.size()));
    return vocabulary.find(token);
  };
  for (const std::string& s : o.special_tokens) {
    if (s.empty()) throw ValueError("train_byte_level_bpe: a special token is empty");
    added.push_back(json::Object{{"id", static_cast<int64_t>(add(s))},
                                 {"content", s},
                                 {"special", true},
                                 {"single_word", false},
                                 {"lstrip", false},
                                 {"rstrip", false},
                                 {"normalized", false}});
  }
  std::vector<std::string> alphabet;  // in the order of the printable characters
  for (int b = 0; b < 256; ++b) alphabet.push_back(printable_of_bytes(std::string(1, static_cast<char>(b))));
  std::sort(alphabet.begin(), alphabet.end(), [](const std::string& a, const std::string& b) {
    std::size_t i = 0, j = 0;
    return next_utf8(a, i) < next_utf8(b, j);
  });
  int32_t of_byte[256];
  std::string byte;
  for (const std::string& a : alphabet) {
    const int32_t id = add(a);
    if (bytes_of_printable(a, byte)) of_byte[static_cast<unsigned char>(byte[0])] = id;
  }

  std::map<std::string, int64_t, std::less<>> counts;
  for (const std::string& text : corpus) {
    std::string valid = valid_utf8(text);
    if (o.add_prefix_space && !valid.starts_with(' ')) valid.insert(0, " ");
    split_as_gpt2(valid, [&](std::string_view w) {
      const auto it = counts.find(w);
      it == counts.end() ? void(counts.emplace(w, 1)) : void(++it->second);
    });
  }
  std::vector<CountedWord> words;
  for (const auto& [word, count] : counts) {
    CountedWord w{{}, count};
    for (const char c : word) w.symbols.push_back(of_byte[static_cast<unsigned char>(c)]);
    words.push_back(std::move(w));
  }
  Pairs pairs(std::move(words));
  json::List merges;
  while (static_cast<int64_t>(vocabulary.tokens.size()) < o.vocabulary) {
    const auto [pair, count] = pairs.most_frequent();
    if (count < std::max<int64_t>(1, o.min_frequency)) break;
    const std::string a = vocabulary.tokens[static_cast<std::size_t>(pair.first)],
                      b = vocabulary.tokens[static_cast<std::size_t>(pair.second)];
    pairs.merge(pair, add(a + b));
    merges.push_back(json::List{a, b});
  }
  json::Object vocab;
  for (std::size_t i = 0; i < vocabulary.tokens.size(); ++i)
    vocab.emplace_back(vocabulary.tokens[i], static_cast<int64_t>(i));
  const json::Value file = json::Object{
      {"version", "1.0"},
      {"added_tokens", std::move(added)},
      {"normalizer", {}},
      {"pre_tokenizer", json::Object{{"type", "ByteLevel"},
                                     {"add_prefix_space", o.add_prefix_space},
                                     {"trim_offsets", true},
                                     {"use_regex", true}}},
      {"post_processor", {}},
      {"decoder",
       json::Object{{"type", "ByteLevel"}, {"add_prefix_space", true}, {"trim_offsets", true}, {"use_regex", true}}},
      {"model", json::Object{{"type", "BPE"}, {"vocab", std::move(vocab)}, {"merges", std::move(merges)}}}};
  return from_json(json::dump(file));
}

}  // namespace chainer::tokenizers
