// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>

#include "chainer/core/json_fields.h"
#include "chainer/core/utf8.h"
#include "chainer/tokenizers/character_map.h"
#include "chainer/tokenizers/steps.h"
#include "chainer/tokenizers/unicode.h"

namespace chainer::tokenizers {
namespace {

bool is_ascii(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Calls f(code point) for each character.
template <class F>
void for_characters(std::string_view s, F&& f) {
  for (std::size_t at = 0; at < s.size();) f(next_utf8(s, at));
}

std::string lower(const std::string& s) {
  std::string out;
  out.reserve(s.size());
  for_characters(s, [&](int32_t c) { put_lower(out, c); });
  return out;
}

// Removes marks that need no space (Mn), or all.
std::string without_marks(const std::string& s, bool all) {
  if (is_ascii(s)) return s;
  std::string out;
  for_characters(s, [&](int32_t c) {
    if (!all && class_of(c) == CharacterClass::mark) return;
    if (!all || !is_any_mark(c)) put_utf8(out, static_cast<uint32_t>(c));
  });
  return out;
}

// Chinese characters, which BERT separates.
bool is_chinese(int32_t c) {
  const auto in = [c](int32_t low, int32_t high) { return c >= low && c <= high; };
  return in(0x4e00, 0x9fff) || in(0x3400, 0x4dbf) || in(0x20000, 0x2a6df) || in(0x2a700, 0x2b73f) ||
         in(0x2b740, 0x2b81f) || in(0x2b920, 0x2ceaf) || in(0xf900, 0xfaff) || in(0x2f800, 0x2fa1f);
}

// BERT: control characters are dropped, each white space is a space, and Chinese characters stand alone.
std::string clean(const std::string& s, bool cleans, bool chinese) {
  std::string out;
  out.reserve(s.size());
  for_characters(s, [&](int32_t c) {
    if (cleans) {
      const CharacterClass k = class_of(c);
      if (c == 0 || c == 0xfffd || k == CharacterClass::control) return;
      if (k == CharacterClass::space) {
        // Of the controls that Unicode counts as white space, BERT keeps three.
        if ((c < 32 && c != '\t' && c != '\n' && c != '\r') || c == 0x85) return;
        c = ' ';
      }
    }
    const bool alone = chinese && is_chinese(c);
    if (alone) out += ' ';
    put_utf8(out, static_cast<uint32_t>(c));
    if (alone) out += ' ';
  });
  return out;
}

Normalizer bert(const json::Value& v) {
  const bool cleans = json::is_true(v, "clean_text", true), chinese = json::is_true(v, "handle_chinese_chars", true);
  const bool lowers = json::is_true(v, "lowercase", true), strips = json::is_true(v, "strip_accents", lowers);
  return [=](std::string s) {
    if (cleans || chinese) s = clean(s, cleans, chinese);
    if (strips && !is_ascii(s)) s = without_marks(normal_form(s, NormalForm::nfd), false);
    return lowers ? lower(s) : s;
  };
}

Normalizer by_form(NormalForm form) {
  return [form](std::string s) { return is_ascii(s) ? s : normal_form(s, form); };
}

// Removes white space at the ends.
std::string stripped(const std::string& s, bool left, bool right) {
  std::size_t begin = s.size(), end = 0;
  for (std::size_t at = 0; at < s.size();) {
    const std::size_t from = at;
    if (class_of(next_utf8(s, at)) == CharacterClass::space) continue;
    begin = std::min(begin, from);
    end = at;
  }
  begin = left ? begin : 0;
  return s.substr(begin, std::max(right ? end : s.size(), begin) - begin);
}

std::string replaced_everywhere(const std::string& s, const std::string& from, const std::string& to) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t found; (found = s.find(from, at)) != std::string::npos; at = found + from.size())
    out.append(s, at, found - at) += to;
  return out.append(s, at);
}

// Replaces runs of two spaces or more.
std::string without_runs(const std::string& s, const std::string& to) {
  std::string out;
  for (std::size_t at = 0; at < s.size();) {
    const std::size_t end = std::min(s.find_first_not_of(' ', at), s.size());
    if (end - at >= 2)
      out += to, at = end;
    else
      out += s[at++];
  }
  return out;
}

Normalizer replacement(const json::Value& v) {
  const std::string to = json::text_of(v, "content");
  const json::Value* pattern = v.find("pattern");
  if (!pattern || !pattern->object()) throw ValueError("normalizer 'Replace' needs an object 'pattern'");
  if (const std::string from = json::text_of(*pattern, "String"); !from.empty())
    return [=](const std::string& s) { return replaced_everywhere(s, from, to); };
  if (const std::string runs = json::text_of(*pattern, "Regex"); runs != " {2,}")
    throw ValueError("normalizer 'Replace' with the pattern ", json::dump(*pattern).substr(0, 80),
                     " is not supported; supported: a String, and the Regex ' {2,}'");
  return [=](const std::string& s) { return without_runs(s, to); };
}

Normalizer precompiled(const json::Value& v) {
  return [map = std::make_shared<const CharacterMap>(json::text_of(v, "precompiled_charsmap"))](const std::string& s) {
    return map->apply(s);
  };
}

}  // namespace

Normalizer normalizer(const json::Value* v) {
  if (json::is_null(v)) return {};
  const std::string type = json::text_of(*v, "type");
  if (type == "BertNormalizer") return bert(*v);
  if (type == "Lowercase") return lower;
  if (type == "StripAccents") return [](std::string s) { return without_marks(s, true); };
  if (type == "NFC") return by_form(NormalForm::nfc);
  if (type == "NFD") return by_form(NormalForm::nfd);
  if (type == "NFKC") return by_form(NormalForm::nfkc);
  if (type == "NFKD") return by_form(NormalForm::nfkd);
  if (type == "Precompiled") return precompiled(*v);
  if (type == "Replace") return replacement(*v);
  if (type == "Strip")
    return [left = json::is_true(*v, "strip_left", true),
            right = json::is_true(*v, "strip_right", true)](const std::string& s) { return stripped(s, left, right); };
  if (type == "Prepend")
    return [start = json::text_of(*v, "prepend")](const std::string& s) { return s.empty() ? s : start + s; };
  if (type != "Sequence")
    throw ValueError("normalizer '", type,
                     "' is not supported; supported: BertNormalizer, Lowercase, StripAccents, NFC, NFD, NFKC, NFKD, "
                     "Precompiled, Replace, Strip, Prepend, Sequence");
  std::vector<Normalizer> all;
  for (const json::Value& one : json::list_of(*v, "normalizers"))
    if (Normalizer n = normalizer(&one)) all.push_back(std::move(n));
  return [all](std::string s) {
    for (const Normalizer& n : all) s = n(std::move(s));
    return s;
  };
}

}  // namespace chainer::tokenizers
