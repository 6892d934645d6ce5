// SPDX-License-Identifier: MIT
#include "chainer/tokenizers/tokenizer.h"

#include <algorithm>

#include "chainer/core/error.h"
#include "chainer/routines/creation.h"
#include "chainer/tokenizers/tables.h"
#include "chainer/tokenizers/unicode.h"

namespace chainer::tokenizers {
namespace {

struct Sequence {
  std::vector<int32_t> ids, type_ids;
};

Sequence joined(const std::vector<TemplatePart>& parts, bool special_tokens, const std::vector<int32_t>& first,
                const std::vector<int32_t>& second) {
  Sequence out;
  for (const TemplatePart& p : parts) {
    const bool special = p.kind == TemplatePart::Kind::special;
    if (special && !special_tokens) continue;
    const std::vector<int32_t>& ids = special ? p.ids : p.kind == TemplatePart::Kind::first ? first : second;
    out.ids.insert(out.ids.end(), ids.begin(), ids.end());
    out.type_ids.insert(out.type_ids.end(), ids.size(), p.type_id);
  }
  return out;
}

std::size_t specials(const std::vector<TemplatePart>& parts) {
  std::size_t n = 0;
  for (const TemplatePart& p : parts) n += p.ids.size();
  return n;
}

// Truncates two texts to `most` tokens in all, the longer one first.
void truncate(std::vector<int32_t>& a, std::vector<int32_t>& b, std::size_t most) {
  if (a.size() + b.size() <= most) return;
  const bool swapped = a.size() > b.size();
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t n1 = shorter, n2 = n1 > most ? n1 : std::max(n1, most - n1);
  if (n1 + n2 > most) n1 = most / 2, n2 = n1 + most % 2;
  if (swapped) std::swap(n1, n2);
  a.resize(std::min(a.size(), n1));
  b.resize(std::min(b.size(), n2));
}

}  // namespace

void Tokenizer::Tables::encode_word(std::string_view word, std::vector<int32_t>& ids) const {
  struct Entry {
    uint64_t owner = 0;
    std::string word;
    std::vector<int32_t> ids;
  };
  constexpr std::size_t kEntries = 1 << 13, kLongest = 48;
  if (word.size() > kLongest) return model->encode(word, ids);
  thread_local const std::unique_ptr<Entry[]> cache = std::make_unique<Entry[]>(kEntries);
  Entry& e = cache[(TextHash{}(word) ^ serial * 0x9e3779b9u) % kEntries];
  if (e.owner != serial || e.word != word) {
    e.owner = 0;  // while an exception is possible
    e.ids.clear();
    model->encode(word, e.ids);
    e.word = word;
    e.owner = serial;
  }
  ids.insert(ids.end(), e.ids.begin(), e.ids.end());
}

void Tokenizer::Tables::encode(std::string_view input, std::vector<int32_t>& ids) const {
  const std::string valid = valid_utf8(input);
  const auto token = [&](const AddedToken& t) { ids.push_back(t.id); };
  const Word word = [&](std::string_view w) { encode_word(w, ids); };
  raw.split(valid, token, [&](std::string_view part) {
    const std::string changed = normalize ? normalize(std::string(part)) : std::string();
    normalized.split(normalize ? changed : part, token, [&](std::string_view rest) { split(rest, word); });
  });
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, bool special_tokens) const {
  std::vector<int32_t> ids;
  tables_->encode(text, ids);
  return joined(tables_->templates.single, special_tokens, ids, {}).ids;
}

std::vector<int32_t> Tokenizer::encode_pair(std::string_view first, std::string_view second,
                                            bool special_tokens) const {
  std::vector<int32_t> a, b;
  tables_->encode(first, a);
  tables_->encode(second, b);
  return joined(tables_->templates.pair, special_tokens, a, b).ids;
}

namespace {

Batch padded(const std::vector<Sequence>& all, const BatchOptions& o, int32_t padding) {
  if (o.length.value_or(0) < 0) throw ValueError("encode_batch: length must not be negative, got ", *o.length);
  std::size_t length = 0;
  for (const Sequence& s : all) length = std::max(length, s.ids.size());
  if (o.length) {
    if (*o.length < static_cast<int64_t>(length))
      throw ValueError("encode_batch: a sequence has ", length, " tokens, more than the length of ", *o.length,
                       "; set max_length, too, to truncate sequences");
    length = static_cast<std::size_t>(*o.length);
  }
  const Shape shape{static_cast<int64_t>(all.size()), static_cast<int64_t>(length)};
  Batch out{full(shape, padding, int32), zeros(shape, int32), zeros(shape, bool_)};
  auto* ids = out.ids.mutable_data<int32_t>();
  auto* types = out.type_ids.mutable_data<int32_t>();
  auto* mask = out.mask.mutable_data<bool>();
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::copy(all[i].ids.begin(), all[i].ids.end(), ids + i * length);
    std::copy(all[i].type_ids.begin(), all[i].type_ids.end(), types + i * length);
    std::fill_n(mask + i * length, all[i].ids.size(), true);
  }
  return out;
}

std::size_t room(const std::vector<TemplatePart>& parts, const BatchOptions& o) {
  if (!o.max_length) return std::size_t(-1);
  const std::size_t taken = o.special_tokens ? specials(parts) : 0;
  if (*o.max_length < static_cast<int64_t>(taken))
    throw ValueError("encode_batch: max_length ", *o.max_length, " has no room for ", taken, " special tokens");
  return static_cast<std::size_t>(*o.max_length) - taken;
}

}  // namespace

Batch Tokenizer::encode_batch(const std::vector<std::string>& texts, const BatchOptions& o) const {
  const auto& parts = tables_->templates.single;
  const std::size_t most = room(parts, o);
  std::vector<Sequence> all;
  for (const std::string& t : texts) {
    std::vector<int32_t> ids;
    tables_->encode(t, ids);
    if (ids.size() > most) ids.resize(most);
    all.push_back(joined(parts, o.special_tokens, ids, {}));
  }
  return padded(all, o, padding_id());
}

Batch Tokenizer::encode_batch(const std::vector<std::pair<std::string, std::string>>& pairs,
                              const BatchOptions& o) const {
  const auto& parts = tables_->templates.pair;
  const std::size_t most = room(parts, o);
  std::vector<Sequence> all;
  for (const auto& [first, second] : pairs) {
    std::vector<int32_t> a, b;
    tables_->encode(first, a);
    tables_->encode(second, b);
    truncate(a, b, most);
    all.push_back(joined(parts, o.special_tokens, a, b));
  }
  return padded(all, o, padding_id());
}

std::string Tokenizer::decode(const std::vector<int32_t>& ids, bool skip_special_tokens) const {
  std::vector<std::string> tokens;
  for (const int32_t id : ids) {
    std::string token = token_of(id);
    if (!skip_special_tokens || !tables_->special[static_cast<std::size_t>(id)]) tokens.push_back(std::move(token));
  }
  return tables_->decode(tokens);
}

int64_t Tokenizer::size() const { return static_cast<int64_t>(tables_->vocabulary.tokens.size()); }

std::optional<int32_t> Tokenizer::id_of(std::string_view token) const {
  const int32_t id = tables_->vocabulary.find(token);
  return id < 0 ? std::nullopt : std::optional<int32_t>(id);
}

std::string Tokenizer::token_of(int32_t id) const {
  if (id < 0 || id >= size()) throw IndexError("tokenizer: id ", id, " is not in 0 ... ", size() - 1);
  const std::string& token = tables_->vocabulary.tokens[static_cast<std::size_t>(id)];
  if (token.empty() && tables_->vocabulary.find(token) != id) throw IndexError("tokenizer: no token has the id ", id);
  return token;
}

int32_t Tokenizer::padding_id() const {
  for (const char* token : {"[PAD]", "<pad>", "<|pad|>"})
    if (const int32_t id = tables_->vocabulary.find(token); id >= 0) return id;
  return 0;
}

}  // namespace chainer::tokenizers
