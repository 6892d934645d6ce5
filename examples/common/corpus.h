// Texts for the examples: the parts of the Penn Treebank, or sentences that the program makes up.
#pragma once
#include <chainer/chainer.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace examples {

/// Words by number, and numbers by word.
class Vocabulary {
 public:
  int32_t add(const std::string& word) {
    const auto [at, is_new] = numbers_.emplace(word, static_cast<int32_t>(words_.size()));
    if (is_new) words_.push_back(word);
    return at->second;
  }
  /// ValueError for a word that is not there.
  int32_t number(const std::string& word) const {
    const auto at = numbers_.find(word);
    if (at == numbers_.end()) throw chainer::ValueError("'", word, "' is not in the vocabulary");
    return at->second;
  }
  bool has(const std::string& word) const { return numbers_.count(word) > 0; }
  const std::string& word(int64_t number) const { return words_.at(static_cast<std::size_t>(number)); }
  int64_t size() const { return static_cast<int64_t>(words_.size()); }
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::map<std::string, int32_t> numbers_;
  std::vector<std::string> words_;
};

/// A text as word numbers, in three parts.
struct Corpus {
  chainer::Array train, valid, test;
  Vocabulary vocabulary;
};

inline std::vector<int32_t> read_words(const std::string& file, Vocabulary& vocabulary) {
  std::ifstream in(file);
  if (!in) throw chainer::ValueError("cannot read ", file);
  std::vector<int32_t> out;
  for (std::string line, word; std::getline(in, line);) {
    for (std::istringstream words(line); words >> word;) out.push_back(vocabulary.add(word));
    out.push_back(vocabulary.add("<eos>"));
  }
  return out;
}

/// Sentences of a small grammar, in which each word tells much about the next ones.
inline std::vector<int32_t> make_words(int64_t sentences, uint32_t seed, Vocabulary& vocabulary) {
  chainer::random::RandomState r(seed);
  const auto one_of = [&](const std::vector<std::string>& words) {
    return words[static_cast<std::size_t>(r.randint(0, static_cast<int64_t>(words.size()), {}).item<int64_t>())];
  };
  const std::vector<std::string> kinds[] = {{"cat", "dog", "horse", "bird"},
                                            {"engineer", "doctor", "pilot", "teacher"}};
  const std::vector<std::string> doings[] = {{"eats", "chases", "smells"}, {"reads", "writes", "explains"}};
  const std::vector<std::string> things[] = {{"grass", "meat", "corn"}, {"books", "letters", "reports"}};
  const std::vector<std::string> adjectives[] = {{"hungry", "small", "wild"}, {"young", "clever", "tired"}};
  std::vector<int32_t> out;
  for (int64_t i = 0; i < sentences; ++i) {
    const auto k = static_cast<std::size_t>(r.randint(0, 2, {}).item<int64_t>());
    std::vector<std::string> words = {one_of({"the", "a"})};
    if (r.randint(0, 2, {}).item<int64_t>()) words.push_back(one_of(adjectives[k]));
    for (const auto* list : {&kinds[k], &doings[k], &things[k]}) words.push_back(one_of(*list));
    words.push_back("<eos>");
    for (const std::string& w : words) out.push_back(vocabulary.add(w));
  }
  return out;
}

/// Where the programs' option --data takes a text from.
inline constexpr const char* kCorpusHelp =
    "ptb (cache or network), made (sentences made up) or a folder of ptb.*.txt; none: ptb, or made without it";

inline Corpus made_corpus() {
  Corpus c;
  c.train = chainer::array(make_words(3000, 1, c.vocabulary));
  c.valid = chainer::array(make_words(200, 2, c.vocabulary));
  c.test = chainer::array(make_words(200, 3, c.vocabulary));
  return c;
}

/// The Penn Treebank through the cache of datasets.
inline Corpus cached_ptb() {
  Corpus c;
  const auto numbers = chainer::datasets::get_ptb_words_vocabulary();
  std::vector<std::string> words(numbers.size());
  for (const auto& [word, number] : numbers) words[static_cast<std::size_t>(number)] = word;
  for (const std::string& word : words) c.vocabulary.add(word);
  auto [train, valid, test] = chainer::datasets::get_ptb_words();
  c.train = train, c.valid = valid, c.test = test;
  return c;
}

/// The text that `data` names, see kCorpusHelp. Of a folder without ptb.train.txt the valid part is trained on, and the
/// test part serves for both others. A text that is named is never replaced by another.
inline Corpus load_corpus(const std::string& data) {
  if (data == "made") return made_corpus();
  if (data == "ptb") return cached_ptb();
  if (data.empty()) {
    try {
      return cached_ptb();
    } catch (const chainer::FileError& e) {
      std::fprintf(stderr, "the Penn Treebank cannot be had (%s): sentences made up by this program take its place\n",
                   e.what());
      return made_corpus();
    }
  }
  Corpus c;
  const auto part = [&](const char* name) { return data + "/ptb." + name + ".txt"; };
  const auto read = [&](const char* name) { return chainer::array(read_words(part(name), c.vocabulary)); };
  const bool whole = std::filesystem::exists(part("train"));
  c.train = read(whole ? "train" : "valid");
  c.test = read("test");
  c.valid = whole ? read("valid") : c.test;
  return c;
}

}  // namespace examples
