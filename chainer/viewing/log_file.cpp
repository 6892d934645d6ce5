// SPDX-License-Identifier: MIT
#include "chainer/viewing/log_file.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "chainer/core/error.h"
#include "chainer/core/system/input_file.h"

namespace chainer::viewing {
namespace {

constexpr std::size_t kPiece = std::size_t(256) << 10, kRemembered = 256;
constexpr std::size_t kTail = std::size_t(64) << 10, kLongestEntry = std::size_t(16) << 20;  // limits of newest_entry()

std::string bytes_at(const InputFile& in, uint64_t begin, uint64_t end) {
  return in.read_at(begin, static_cast<std::size_t>(end - begin));
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Tracks brackets and strings of a JSON list to find its entries. The text of an entry is checked when it is parsed.
struct Scanner {
  int64_t depth = 0;
  bool string = false, escaped = false, ended = false, bad = false;
  uint64_t begin = 0;  // 1 + the position where the current object at depth 1 begins; 0 outside of objects
  template <class F>
  void take(char c, uint64_t at, const F& entry) {
    if (string) {
      if (escaped)
        escaped = false;
      else if (c == '\\')
        escaped = true;
      else if (c == '"')
        string = false;
    } else if (ended || (depth == 0 && c != '[')) {
      bad = bad || !is_space(c);
    } else if (c == '"') {
      string = true;
    } else if (c == '[' || c == '{') {
      if (++depth == 2 && c == '{') begin = at + 1;
    } else if (c == ']' || c == '}') {
      if (--depth == 1 && c == '}' && begin) entry(std::exchange(begin, 0) - 1, at + 1);
      ended = depth == 0;
    }
  }
};

// Returns the last object of a list of objects before `end`, which is outside of strings; nothing if it does not begin
// in the text. Braces in strings do not count; a quote after an odd number of backslashes does not end a string.
std::string_view object_before(std::string_view text, std::size_t end) {
  bool string = false;
  int64_t depth = 0;
  std::size_t last = 0;
  for (std::size_t i = end; i-- > 0;) {
    if (text[i] == '"') {
      std::size_t slashes = i;
      while (slashes > 0 && text[slashes - 1] == '\\') --slashes;
      string ^= (i - slashes) % 2 == 0;
    } else if (!string && text[i] == '}') {
      if (depth++ == 0) last = i + 1;
    } else if (!string && text[i] == '{' && depth > 0 && --depth == 0) {
      return text.substr(i, last - i);
    }
  }
  return {};
}

// Returns the newest entry in the last `most` bytes; null if it cannot be read.
NewestEntry newest_within(const InputFile& in, uint64_t size, std::size_t most) {
  NewestEntry out{{}, NAN};
  const uint64_t begin = size > most ? size - most : 0;
  const std::string tail = bytes_at(in, begin, size);
  const auto end = tail.find_last_not_of(" \t\r\n");
  if (end == tail.npos || tail[end] != ']') return out;
  const std::string_view newest = object_before(tail, end);
  if (newest.empty()) return out;
  try {
    json::Value last = json::parse(newest);
    const auto before = object_before(tail, static_cast<std::size_t>(newest.data() - tail.data()));
    if (!before.empty()) out.seconds_before = seconds_of(json::parse(before));
    out.entry = std::move(last);
  } catch (const ValueError&) {}
  return out;
}

}  // namespace

double seconds_of(const json::Value& entry) {
  const json::Value* v = entry.find("elapsed_time");
  return v && v->is_number() ? v->number() : NAN;
}

NewestEntry newest_entry(InputFile& in) {
  const auto size = static_cast<uint64_t>(in.size());
  for (std::size_t most = kTail;; most *= 16) {
    NewestEntry out = newest_within(in, size, most);
    const bool none = std::holds_alternative<std::nullptr_t>(out.entry.data);
    if (!none || most >= size || most >= kLongestEntry) return out;
  }
}

InputFile LogFile::open() const { return folder_ ? InputFile(*folder_, file_) : InputFile(file_); }

// Returns true if the known entries are still in place, that is, the file has only grown.
bool LogFile::goes_on(const InputFile& in) const {
  if (entries_.empty()) return false;
  const uint64_t end = entries_.back().end;
  return bytes_at(in, end - tail_.size(), end) == tail_;
}

LogFile::End LogFile::scan(const InputFile& in) {
  Scanner scanner;
  uint64_t at = 0;
  if (goes_on(in)) {
    scanner.depth = 1;
    at = entries_.back().end;
  } else {
    entries_.clear();
  }
  for (;;) {
    const std::string piece = bytes_at(in, at, at + kPiece);
    for (const char c : piece)
      scanner.take(c, at++, [this](uint64_t begin, uint64_t end) { entries_.push_back({begin, end}); });
    if (piece.size() < kPiece) break;
  }
  tail_.clear();
  if (!entries_.empty()) {
    const Entry last = entries_.back();
    tail_ = bytes_at(in, std::max(last.begin, last.end - std::min<uint64_t>(last.end, kRemembered)), last.end);
  }
  return scanner.bad ? End::no_list : scanner.ended ? End::whole : End::half_written;
}

LogFile::End LogFile::update() {
  InputFile in = open();
  const auto time = std::filesystem::last_write_time(folder_ ? *folder_ / file_ : file_);
  const auto size = static_cast<uint64_t>(in.size());
  if (time != time_ || size != size_) {
    end_ = scan(in);
    time_ = time, size_ = end_ == End::whole ? size : 0;  // an incomplete file is scanned again
  }
  return end_;
}

void LogFile::each(std::size_t from, const std::function<bool(std::size_t, std::string_view)>& f) const {
  const InputFile in = open();
  for (std::size_t i = from; i < entries_.size(); ++i)
    if (!f(i, bytes_at(in, entries_[i].begin, entries_[i].end))) return;
}

}  // namespace chainer::viewing
