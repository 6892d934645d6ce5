// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "chainer/core/json_fields.h"
#include "chainer/core/utf8.h"
#include "chainer/tokenizers/steps.h"
#include "chainer/tokenizers/unicode.h"

namespace chainer::tokenizers {
namespace {

using enum CharacterClass;

// Returns the class of the character at `at`, and its end in `end`; a table for ASCII.
CharacterClass class_at(std::string_view s, std::size_t at, std::size_t& end) {
  static const auto table = [] {
    std::array<CharacterClass, 128> t{};
    for (int32_t c = 0; c < 128; ++c) t[static_cast<std::size_t>(c)] = class_of(c);
    return t;
  }();
  end = at + 1;
  if (const auto c = static_cast<unsigned char>(s[at]); c < 0x80) return table[c];
  end = at;
  return class_of(next_utf8(s, end));
}

bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

// Returns the end of the run of characters from `at` on for which f(class) holds.
template <class F>
std::size_t run(std::string_view s, std::size_t at, const F& f) {
  std::size_t end = at;
  while (at < s.size() && f(class_at(s, at, end))) at = end;
  return at;
}

std::size_t contraction(std::string_view s) {
  for (const std::string_view c : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (s.starts_with(c)) return c.size();
  return 0;
}

void split_as_bert(std::string_view s, const Word& f) {
  std::size_t begin = 0, end = 0;
  for (std::size_t at = 0; at < s.size(); at = end) {
    const CharacterClass k = class_at(s, at, end);
    const bool alone = k == punctuation || is_ascii_punctuation(s[at]);
    if (k != space && !alone) continue;
    if (at > begin) f(s.substr(begin, at - begin));
    if (alone) f(s.substr(at, end - at));
    begin = end;
  }
  if (s.size() > begin) f(s.substr(begin));
}

void split_at_spaces(std::string_view s, const Word& f) {
  for (std::size_t at = 0; at < s.size();) {
    const std::size_t begin = run(s, at, [](CharacterClass k) { return k == space; });
    at = run(s, begin, [](CharacterClass k) { return k != space; });
    if (at > begin) f(s.substr(begin, at - begin));
  }
}

// SentencePiece: spaces become a visible character, which begins words.
Splitter metaspace(const json::Value& v) {
  const MetaspaceOptions o = metaspace_options(v);
  const bool splits = json::is_true(v, "split", true);
  return [=](std::string_view s, const Word& f) {
    std::string changed = o.prepends && !s.starts_with(' ') && !s.starts_with(o.replacement) ? o.replacement : "";
    for (const char c : s) c == ' ' ? changed += o.replacement : changed += c;
    if (!splits) return f(changed);
    for (std::size_t at = 0; at < changed.size();) {
      const std::size_t end = std::min(changed.find(o.replacement, at + 1), changed.size());
      f(std::string_view(changed).substr(at, end - at));
      at = end;
    }
  };
}

}  // namespace

MetaspaceOptions metaspace_options(const json::Value& v) {
  const std::string replacement = json::text_of(v, "replacement", "\xe2\x96\x81");
  const std::string scheme =
      json::text_of(v, "prepend_scheme", json::is_true(v, "add_prefix_space", true) ? "always" : "never");
  if (replacement.empty()) throw ValueError("Metaspace: 'replacement' must not be empty");
  if (scheme != "always" && scheme != "never")
    throw ValueError("Metaspace: prepend_scheme '", scheme, "' is not supported; supported: always, never");
  return {replacement, scheme == "always"};
}

void split_as_gpt2(std::string_view s, const Word& f) {
  const auto give = [&](std::size_t& at, std::size_t end) {
    f(s.substr(at, end - at));
    at = end;
  };
  for (std::size_t at = 0; at < s.size();) {
    if (s[at] == '\'')
      if (const std::size_t n = contraction(s.substr(at))) {
        give(at, at + n);
        continue;
      }
    const std::size_t begin = s[at] == ' ' && at + 1 < s.size() ? at + 1 : at;
    std::size_t end = begin;
    const CharacterClass k = class_at(s, begin, end);
    if (k != space) {
      const bool named = k == letter || k == number;
      give(at,
           run(s, begin, [&](CharacterClass o) { return named ? o == k : o != space && o != letter && o != number; }));
      continue;
    }
    // White space before a word leaves its last character to the word.
    std::size_t last = at;
    for (end = at; end < s.size();) {
      std::size_t next = end;
      if (class_at(s, end, next) != space) break;
      last = end;
      end = next;
    }
    give(at, end < s.size() && last > at ? last : end);
  }
}

Splitter splitter(const json::Value* v) {
  if (json::is_null(v)) return [](std::string_view s, const Word& f) { f(s); };
  const std::string type = json::text_of(*v, "type");
  if (type == "BertPreTokenizer") return split_as_bert;
  if (type == "WhitespaceSplit") return split_at_spaces;
  if (type == "Metaspace") return metaspace(*v);
  if (type == "ByteLevel") {
    const bool prefix = json::is_true(*v, "add_prefix_space", true), splits = json::is_true(*v, "use_regex", true);
    return [=](std::string_view s, const Word& f) {
      std::string changed;
      if (prefix && !s.starts_with(' ')) s = changed = " " + std::string(s);
      splits ? split_as_gpt2(s, f) : f(s);
    };
  }
  if (type != "Sequence")
    throw ValueError(
        "pre_tokenizer '", type,
        "' is not supported; supported: ByteLevel, BertPreTokenizer, WhitespaceSplit, Metaspace, Sequence");
  Splitter all = splitter(nullptr);
  for (const json::Value& one : json::list_of(*v, "pretokenizers"))
    all = [first = std::move(all), next = splitter(&one)](std::string_view s, const Word& f) {
      first(s, [&](std::string_view word) { next(word, f); });
    };
  return all;
}

}  // namespace chainer::tokenizers
