// SPDX-License-Identifier: MIT
#include "chainer/datasets/text.h"

#include <algorithm>

#include "chainer/core/utf8.h"

namespace chainer::datasets {
namespace {

constexpr int32_t kBad = kNoCharacter;

// Returns the next code point of UTF-16, kBad for invalid units; advances `at`.
int32_t next_utf16(std::string_view s, std::size_t& at, bool big) {
  const auto unit = [&](std::size_t i) {
    const auto a = static_cast<unsigned char>(s[i]), b = static_cast<unsigned char>(s[i + 1]);
    return static_cast<int32_t>(big ? a << 8 | b : b << 8 | a);
  };
  if (s.size() - at < 2) {
    at = s.size();
    return kBad;
  }
  const int32_t v = unit(at);
  at += 2;
  if (v < 0xd800 || v >= 0xe000) return v;
  if (v >= 0xdc00 || s.size() - at < 2) return kBad;
  const int32_t low = unit(at);
  if (low < 0xdc00 || low >= 0xe000) return kBad;
  at += 2;
  return 0x10000 + ((v - 0xd800) << 10) + (low - 0xdc00);
}

// Returns the next code point of UTF-8. For invalid bytes, returns kBad and advances `at` past the longest part of a
// character (one replacement for each, as Unicode recommends and Python does).
int32_t next_utf8_or_part(std::string_view s, std::size_t& at) {
  const auto first = static_cast<unsigned char>(s[at]);
  const int32_t v = next_utf8(s, at);
  if (v != kBad || first < 0xe0 || first > 0xf4) return v;
  const auto follows = [&](int least, int most) {
    if (at >= s.size()) return false;
    const auto c = static_cast<unsigned char>(s[at]);
    if (c < least || c > most) return false;
    ++at;
    return true;
  };
  const int least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const int most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (follows(least, most) && first >= 0xf0) follows(0x80, 0xbf);
  return kBad;
}

bool is_utf16(const std::string& encoding) { return encoding.rfind("utf-16", 0) == 0; }

// Normalizes the spelling of a name; throws ValueError for an unknown encoding.
std::string known_encoding(std::string name, std::string_view bytes) {
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  if (name == "utf8") name = "utf-8";
  if (name == "iso-8859-1" || name == "latin1") name = "latin-1";
  if (name == "utf-16") name = bytes.substr(0, 2) == "\xfe\xff" ? "utf-16-be" : "utf-16-le";
  for (const char* known : {"utf-8", "ascii", "latin-1", "utf-16-le", "utf-16-be"})
    if (name == known) return name;
  throw ValueError("TextDataset: unknown encoding '", name,
                   "'; available: utf-8, ascii, latin-1, utf-16, utf-16-le, utf-16-be");
}

// The positions of the beginnings of lines, and of the end of the file.
std::vector<std::size_t> line_begins(std::string_view s, std::size_t first, const std::string& encoding,
                                     const std::optional<std::string>& newline) {
  const std::size_t unit = is_utf16(encoding) ? 2 : 1;
  const bool big = encoding == "utf-16-be";
  const auto at = [&](std::size_t i) -> int {
    if (i + unit > s.size()) return -1;
    const auto a = static_cast<unsigned char>(s[i]);
    if (unit == 1) return a;
    const auto b = static_cast<unsigned char>(s[i + 1]);
    return big ? a << 8 | b : b << 8 | a;
  };
  const bool universal = !newline || newline->empty();
  std::vector<std::size_t> out;
  if (first < s.size()) out.push_back(first);
  for (std::size_t i = first; i + unit <= s.size();) {
    const int c = at(i);
    bool ends = false;
    std::size_t length = unit;
    if (universal) {
      ends = c == '\n' || c == '\r';
      if (c == '\r' && at(i + unit) == '\n') length += unit;
    } else if (c == (*newline)[0]) {
      ends = newline->size() == 1 || at(i + unit) == (*newline)[1];
      length = unit * newline->size();
    }
    i += ends ? length : unit;
    if (ends && i < s.size()) out.push_back(i);
  }
  out.push_back(std::max(first, s.size()));
  return out;
}

}  // namespace

Array code_points(std::string_view s) {
  std::vector<int32_t> out;
  for (std::size_t at = 0; at < s.size();) {
    const int32_t v = next_utf8_or_part(s, at);
    out.push_back(v == kBad ? 0xfffd : v);
  }
  Array a({static_cast<int64_t>(out.size())}, int32);
  std::copy(out.begin(), out.end(), a.mutable_data<int32_t>());
  return a;
}
std::string utf8(const Array& a) {
  std::string out;
  for (int64_t v : a.to_vector<int64_t>()) {
    if (v < 0 || v > 0x10ffff) throw ValueError("utf8: ", v, " is not a code point");
    put_utf8(out, static_cast<uint32_t>(v));
  }
  return out;
}

TextDataset::TextDataset(const std::vector<std::filesystem::path>& paths, const TextDatasetOptions& o) {
  if (paths.empty()) throw ValueError("TextDataset: no files are given");
  for (std::size_t i = 0; i < paths.size(); ++i) {
    File f;
    f.path = paths[i].string();
    f.map = std::make_shared<const MappedFile>(paths[i]);
    const std::string_view bytes = f.map->bytes();
    const std::string& name = o.encoding.of(i, paths.size(), "encodings");
    f.encoding = known_encoding(name, bytes);
    f.errors = o.errors.of(i, paths.size(), "ways of treating errors");
    f.newline = o.newline.of(i, paths.size(), "newlines");
    if (f.newline && *f.newline != "" && *f.newline != "\n" && *f.newline != "\r" && *f.newline != "\r\n")
      throw ValueError("TextDataset: newline must be none, empty, \\n, \\r or \\r\\n");
    const bool mark = is_utf16(f.encoding) && name.size() <= 6;  // "utf-16"
    if (mark && !bytes.empty() && bytes.substr(0, 2) != "\xff\xfe" && bytes.substr(0, 2) != "\xfe\xff")
      throw ValueError("TextDataset: ", f.path,
                       " has no byte order mark; the encodings utf-16-le and utf-16-be need none");
    f.begins =
        std::make_shared<const std::vector<std::size_t>>(line_begins(bytes, mark ? 2 : 0, f.encoding, f.newline));
    files_.push_back(std::move(f));
    if (files_[i].begins->size() != files_[0].begins->size())
      throw ValueError("TextDataset: ", paths[0].string(), " has ", files_[0].begins->size() - 1, " lines, ",
                       paths[i].string(), " has ", files_[i].begins->size() - 1);
  }
  for (std::size_t i = 0; i + 1 < files_[0].begins->size(); ++i) {
    if (o.filter_func) {
      std::vector<std::string> texts;
      for (const File& f : files_) texts.push_back(line(f, i));
      if (!o.filter_func(texts)) continue;
    }
    lines_.push_back(i);
  }
}

std::string TextDataset::line(const File& f, std::size_t number) const {
  const std::size_t begin = (*f.begins)[number], end = (*f.begins)[number + 1];
  const std::string_view s = f.map->bytes().substr(begin, end - begin);
  std::string out;
  for (std::size_t at = 0; at < s.size();) {
    int32_t v = 0;
    if (f.encoding == "utf-8")
      v = next_utf8_or_part(s, at);
    else if (is_utf16(f.encoding))
      v = next_utf16(s, at, f.encoding == "utf-16-be");
    else
      v = static_cast<unsigned char>(s[at++]);
    if (f.encoding == "ascii" && v > 127) v = kBad;
    if (v == kBad && f.errors == TextErrors::strict)
      throw ValueError(f.path, ", line ", number + 1, ": the text is not valid in the encoding ", f.encoding);
    if (v != kBad || f.errors == TextErrors::replace) put_utf8(out, v == kBad ? 0xfffdu : static_cast<uint32_t>(v));
  }
  if (!f.newline) {
    if (out.size() >= 2 && out.substr(out.size() - 2) == "\r\n") out.erase(out.size() - 2, 1);
    if (!out.empty() && out.back() == '\r') out.back() = '\n';
  }
  return out;
}

std::vector<std::string> TextDataset::lines(int64_t i) const {
  if (files_.empty()) throw RuntimeError("TextDataset: the dataset was closed");
  if (i < 0 || i >= size()) throw IndexError("TextDataset: line ", i, " is out of range for ", size());
  std::vector<std::string> out;
  for (const File& f : files_) out.push_back(line(f, lines_[static_cast<std::size_t>(i)]));
  return out;
}

Example TextDataset::get(int64_t i) const {
  Arrays out;
  for (const std::string& s : lines(i)) out.push_back(code_points(s));
  return out.size() == 1 ? Example(out[0]) : Example(std::move(out));
}

AnyDataset TextDataset::transform(std::function<Example(const std::vector<std::string>&)> make) const {
  struct Made : Dataset {
    Made(TextDataset t, std::function<Example(const std::vector<std::string>&)> f)
        : source(std::move(t)), function(std::move(f)) {}
    int64_t size() const override { return source.size(); }
    Example get(int64_t i) const override { return function(source.lines(i)); }
    TextDataset source;
    std::function<Example(const std::vector<std::string>&)> function;
  };
  return Made(*this, std::move(make));
}

}  // namespace chainer::datasets
