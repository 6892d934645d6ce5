// SPDX-License-Identifier: MIT
// WordPiece: from the left, the longest token that a word begins with; tokens inside of a word have a prefix. A word
// without such tokens is unknown.
#include <algorithm>

#include "chainer/core/error.h"
#include "chainer/core/json_fields.h"
#include "chainer/tokenizers/model.h"

namespace chainer::tokenizers {
namespace {

class WordPiece : public Model {
 public:
  WordPiece(const json::Value& model, const Vocabulary& vocabulary)
      : unknown_(vocabulary.get(json::text_of(model, "unk_token", "[UNK]"), "unk_token")),
        most_(json::integer_of(model, "max_input_chars_per_word", 100)) {
    const std::string prefix = json::text_of(model, "continuing_subword_prefix", "##");
    for (const auto& [token, id] : vocabulary.ids) {
      if (token.size() > prefix.size() && token.starts_with(prefix)) {
        inner_.emplace(token.substr(prefix.size()), id);
        longest_ = std::max(longest_, token.size() - prefix.size());
      }
      first_.emplace(token, id);
      longest_ = std::max(longest_, token.size());
    }
  }

  void encode(std::string_view word, std::vector<int32_t>& out) const override {
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
    const std::size_t begin = out.size();
    if (std::count_if(word.begin(), word.end(), begins) > most_) return out.push_back(unknown_);
    for (std::size_t at = 0; at < word.size();) {
      const Ids& ids = at ? inner_ : first_;
      std::size_t end = std::min(word.size(), at + longest_);
      while (end < word.size() && end > at && !begins(word[end])) --end;
      int32_t found = -1;
      while (end > at) {
        if (const auto it = ids.find(word.substr(at, end - at)); it != ids.end()) {
          found = it->second;
          break;
        }
        do --end;
        while (end > at && !begins(word[end]));
      }
      if (found < 0) {
        out.resize(begin);
        return out.push_back(unknown_);
      }
      out.push_back(found);
      at = end;
    }
  }

 private:
  Ids first_, inner_;
  std::size_t longest_ = 1;
  int32_t unknown_;
  int64_t most_;
};

}  // namespace

std::unique_ptr<Model> word_piece_model(const json::Value& model, const Vocabulary& vocabulary) {
  return std::make_unique<WordPiece>(model, vocabulary);
}

}  // namespace chainer::tokenizers
