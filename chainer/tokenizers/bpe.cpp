// SPDX-License-Identifier: MIT
// Byte-level byte pair encoding: of the pairs of neighbours in a word, the one of lowest rank is merged, until none has
// a rank.
#include <array>
#include <limits>
#include <queue>

#include "chainer/core/error.h"
#include "chainer/core/json_fields.h"
#include "chainer/tokenizers/model.h"

namespace chainer::tokenizers {
namespace {

// Pairs of ids with their rank and the id of the merged token: open addressing, since a word asks for each of its
// pairs.
class Merges {
 public:
  explicit Merges(std::size_t n) {
    std::size_t size = 16;
    while (size < n * 2) size *= 2;
    keys_.assign(size, kNone);
    values_.resize(size);
  }
  struct Merge {
    uint32_t rank;
    int32_t id;
  };
  void add(int32_t a, int32_t b, Merge m) {
    const std::size_t at = place(key(a, b));
    keys_[at] = key(a, b);
    values_[at] = m;  // of equal pairs, the last one counts
  }
  const Merge* find(int32_t a, int32_t b) const {
    const std::size_t at = place(key(a, b));
    return keys_[at] == kNone ? nullptr : &values_[at];
  }

 private:
  static constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();
  static uint64_t key(int32_t a, int32_t b) { return uint64_t(uint32_t(a)) << 32 | uint32_t(b); }
  std::size_t place(uint64_t k) const {
    std::size_t at = k * 0x9e3779b97f4a7c15u >> 20 & (keys_.size() - 1);
    while (keys_[at] != k && keys_[at] != kNone) at = (at + 1) & (keys_.size() - 1);
    return at;
  }
  std::vector<uint64_t> keys_;
  std::vector<Merge> values_;
};

class Bpe : public Model {
 public:
  Bpe(const json::Value& model, const Vocabulary& vocabulary) : merges_(json::list_of(model, "merges").size()) {
    for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"})
      if (!json::text_of(model, name).empty()) throw ValueError("a model BPE with ", name, " is not supported");
    if (json::is_true(model, "byte_fallback")) throw ValueError("a model BPE with byte_fallback is not supported");
    if (json::number_of(model, "dropout", 0) != 0) throw ValueError("a model BPE with dropout is not supported");
    fuse_unknown_ = json::is_true(model, "fuse_unk");
    ignore_merges_ = json::is_true(model, "ignore_merges");
    if (const std::string unknown = json::text_of(model, "unk_token"); !unknown.empty())
      unknown_ = vocabulary.get(unknown, "unk_token");
    Ids ids;
    std::string bytes;
    for (std::size_t i = 0; i < vocabulary.tokens.size(); ++i)
      if (bytes_of_printable(vocabulary.tokens[i], bytes) && !bytes.empty())
        ids.emplace(bytes, static_cast<int32_t>(i));
    for (std::size_t b = 0; b < 256; ++b) {
      const auto it = ids.find(std::string(1, static_cast<char>(b)));
      bytes_[b] = it == ids.end() ? unknown_ : it->second;
    }
    uint32_t rank = 0;
    for (const json::Value& m : json::list_of(model, "merges")) {
      const auto [a, b] = pair_of(m);
      merges_.add(vocabulary.get(a, "in a merge"), vocabulary.get(b, "in a merge"),
                  {rank++, vocabulary.get(a + b, "the result of a merge")});
    }
    if (ignore_merges_) words_ = std::move(ids);
  }

  void encode(std::string_view word, std::vector<int32_t>& out) const override {
    if (ignore_merges_)
      if (const auto it = words_.find(word); it != words_.end()) return out.push_back(it->second);
    const std::size_t begin = out.size();
    for (const char b : word) {
      const int32_t id = bytes_[static_cast<unsigned char>(b)];
      const bool again = fuse_unknown_ && id == unknown_ && out.size() > begin && out.back() == unknown_;
      if (id >= 0 && !again) out.push_back(id);
    }
    if (out.size() - begin > kLong) return merge_long(out, begin);
    while (true) {
      Merges::Merge best{std::numeric_limits<uint32_t>::max(), -1};
      std::size_t where = 0;
      for (std::size_t i = begin; i + 1 < out.size(); ++i)
        if (const Merges::Merge* m = merges_.find(out[i], out[i + 1]); m && m->rank < best.rank) best = *m, where = i;
      if (best.id < 0) return;
      out[where] = best.id;
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(where) + 1);
    }
  }

 private:
  static constexpr std::size_t kLong = 48;

  // A merge is "a b", or [a, b] in newer files.
  static std::pair<std::string, std::string> pair_of(const json::Value& v) {
    if (const json::List* l = v.list(); l && l->size() == 2 && (*l)[0].string() && (*l)[1].string())
      return {*(*l)[0].string(), *(*l)[1].string()};
    const std::string* s = v.string();
    const std::size_t at = s ? s->find(' ') : std::string::npos;
    if (at == std::string::npos) throw ValueError("a merge must be two tokens, not ", json::dump(v));
    return {s->substr(0, at), s->substr(at + 1)};
  }

  // The same with a queue of pairs, for very long words.
  void merge_long(std::vector<int32_t>& ids, std::size_t begin) const {
    struct Symbol {
      int32_t id;
      std::ptrdiff_t before, after;
    };
    struct Candidate {
      Merges::Merge merge;
      std::ptrdiff_t at;
      int32_t left, right;
      bool operator<(const Candidate& o) const {
        return merge.rank != o.merge.rank ? merge.rank > o.merge.rank : at > o.at;
      }
    };
    const auto n = static_cast<std::ptrdiff_t>(ids.size() - begin);
    std::vector<Symbol> symbols;
    for (std::ptrdiff_t i = 0; i < n; ++i)
      symbols.push_back({ids[begin + static_cast<std::size_t>(i)], i - 1, i + 1 < n ? i + 1 : -1});
    const auto symbol = [&](std::ptrdiff_t i) -> Symbol& { return symbols[static_cast<std::size_t>(i)]; };
    std::priority_queue<Candidate> queue;
    const auto consider = [&](std::ptrdiff_t i) {
      if (i < 0 || symbol(i).after < 0) return;
      const int32_t a = symbol(i).id, b = symbol(symbol(i).after).id;
      if (const Merges::Merge* m = merges_.find(a, b)) queue.push({*m, i, a, b});
    };
    for (std::ptrdiff_t i = 0; i + 1 < n; ++i) consider(i);
    while (!queue.empty()) {
      const Candidate c = queue.top();
      queue.pop();
      Symbol& s = symbol(c.at);
      if (s.id != c.left || s.after < 0 || symbol(s.after).id != c.right) continue;  // merged by another pair
      Symbol& gone = symbol(s.after);
      s.id = c.merge.id;
      s.after = gone.after;
      gone.id = -1;
      if (s.after >= 0) symbol(s.after).before = c.at;
      consider(s.before);
      consider(c.at);
    }
    ids.resize(begin);
    for (std::ptrdiff_t i = n ? 0 : -1; i >= 0; i = symbol(i).after) ids.push_back(symbol(i).id);
  }

  Merges merges_;
  std::array<int32_t, 256> bytes_;
  int32_t unknown_ = -1;
  bool ignore_merges_ = false, fuse_unknown_ = false;
  Ids words_;
};

}  // namespace

std::unique_ptr<Model> bpe_model(const json::Value& model, const Vocabulary& vocabulary) {
  return std::make_unique<Bpe>(model, vocabulary);
}

}  // namespace chainer::tokenizers
