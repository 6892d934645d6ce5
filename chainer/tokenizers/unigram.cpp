// SPDX-License-Identifier: MIT
// Unigram (Kudo, arXiv:1804.10959), as SentencePiece has it: of all ways to cut a word into tokens, the one with the
// largest sum of scores. A character that no token contains has a score of its own, below those of tokens.
#include <algorithm>
#include <array>
#include <limits>

#include "chainer/core/error.h"
#include "chainer/core/json_fields.h"
#include "chainer/core/utf8.h"
#include "chainer/tokenizers/model.h"

namespace chainer::tokenizers {
namespace {

class Unigram : public Model {
 public:
  Unigram(const json::Value& model, const Vocabulary& vocabulary) {
    double least = std::numeric_limits<double>::infinity();
    const json::List& list = json::list_of(model, "vocab");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const json::List& entry = *list[i].list();  // a token and a score, as the reader has checked
      const double score = entry[1].number();
      least = std::min(least, score);
      if (!entry[0].string()->empty()) sorted_.push_back({*entry[0].string(), static_cast<int32_t>(i), score});
    }
    std::sort(sorted_.begin(), sorted_.end(), [](const Entry& a, const Entry& b) { return a.token < b.token; });
    unknown_score_ = least - 10;
    const int64_t unknown = json::integer_of(model, "unk_id", -1);
    if (unknown < -1 || unknown >= static_cast<int64_t>(list.size()))
      throw ValueError("unk_id ", unknown, " is not in 0 ... ", static_cast<int64_t>(list.size()) - 1);
    unknown_ = static_cast<int32_t>(unknown);
    if (!json::is_true(model, "byte_fallback")) return;
    for (std::size_t b = 0; b < 256; ++b) {
      constexpr const char* digits = "0123456789ABCDEF";
      const std::string name = text("<0x", digits[b / 16], digits[b % 16], ">");
      bytes_[b] = vocabulary.find(name);
    }
  }

  void encode(std::string_view word, std::vector<int32_t>& out) const override {
    std::vector<Step> steps(word.size() + 1);
    for (std::size_t at = 0, next = 0; at < word.size(); at = next) {
      next = at;
      (void)next_utf8(word, next);
      bool has_character = false;
      const auto offer = [&](std::size_t end, int32_t id, double score) {
        Step& s = steps[end];
        if (s.from == kNone || steps[at].score + score > s.score) s = {steps[at].score + score, id, at};
      };
      for_tokens(word, at, [&](const Entry& e) {
        offer(at + e.token.size(), e.id, e.score);
        has_character = has_character || at + e.token.size() == next;
      });
      if (!has_character) offer(next, kUnknown, unknown_score_);
    }
    const std::size_t begin = out.size();
    for (std::size_t at = word.size(); at > 0;) {  // from the end; reversed at last
      std::size_t from = steps[at].from;
      if (steps[at].id != kUnknown) {
        out.push_back(steps[at].id);
      } else {
        while (from > 0 && steps[from].id == kUnknown) from = steps[from].from;
        put_unknown(word.substr(from, at - from), out);
      }
      at = from;
    }
    std::reverse(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end());
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  static constexpr int32_t kUnknown = -1;
  struct Entry {
    std::string token;
    int32_t id;
    double score;
  };
  // The best way to a position: its score, its last token and where this begins.
  struct Step {
    double score = 0;
    int32_t id = 0;
    std::size_t from = kNone;
  };

  // Calls f for each token that begins at a position, shorter ones first: the range of the tokens with a common
  // beginning is narrowed byte by byte.
  template <class F>
  void for_tokens(std::string_view word, std::size_t at, const F& f) const {
    auto low = sorted_.begin(), high = sorted_.end();
    for (std::size_t n = 0; at + n < word.size() && low != high; ++n) {
      const auto byte = static_cast<unsigned char>(word[at + n]);
      const auto byte_of = [n](const Entry& e) { return static_cast<unsigned char>(e.token[n]); };
      low = std::partition_point(low, high, [&](const Entry& e) { return byte_of(e) < byte; });
      high = std::partition_point(low, high, [&](const Entry& e) { return byte_of(e) == byte; });
      if (low != high && low->token.size() == n + 1) f(*low++);
    }
  }

  // Neighboring unknown characters are one unknown token, or their bytes.
  void put_unknown(std::string_view part, std::vector<int32_t>& out) const {
    const auto has = [&](char b) { return bytes_[static_cast<unsigned char>(b)] >= 0; };
    if (std::all_of(part.begin(), part.end(), has)) {
      for (std::size_t i = part.size(); i-- > 0;) out.push_back(bytes_[static_cast<unsigned char>(part[i])]);
      return;
    }
    if (unknown_ < 0)
      throw ValueError("tokenizer: no token contains '", part.substr(0, 80), "', and the model has no unk_id");
    out.push_back(unknown_);
  }

  std::vector<Entry> sorted_;
  std::array<int32_t, 256> bytes_ = [] {
    std::array<int32_t, 256> none{};
    none.fill(-1);
    return none;
  }();
  double unknown_score_ = 0;
  int32_t unknown_ = -1;
};

}  // namespace

std::unique_ptr<Model> unigram_model(const json::Value& model, const Vocabulary& vocabulary) {
  return std::make_unique<Unigram>(model, vocabulary);
}

}  // namespace chainer::tokenizers
