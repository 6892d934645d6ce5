// SPDX-License-Identifier: MIT
#include "chainer/core/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <set>
#include <utility>

#include "chainer/core/system/fork.h"
#include "chainer/core/warnings.h"

namespace chainer {

namespace detail {
void put_text(std::string& out, std::string_view s) { out += s; }
void put_number(std::string& out, double v) {
  if (std::isnan(v)) return put_text(out, "nan");
  if (std::isinf(v)) return put_text(out, v > 0 ? "inf" : "-inf");
  char buffer[40];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, v).ptr);
}
void put_number(std::string& out, int64_t v) { out += std::to_string(v); }
void put_number(std::string& out, uint64_t v) { out += std::to_string(v); }
}  // namespace detail

void Error::locate(const void* origin, const std::string& place) {
  origin_ = origin;
  if (!place.empty())
    located_ = std::make_shared<const std::string>(std::string(std::runtime_error::what()) + "\n  " + place);
}

namespace {
// Returns the Levenshtein distance: the least number of letters to insert, delete or replace.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}
}  // namespace

std::string did_you_mean(const std::string& wanted, const std::vector<std::string>& names) {
  constexpr std::size_t longest = 200;  // a name from a file may have any length
  std::vector<std::pair<std::size_t, const std::string*>> near;
  for (const std::string& name : names) {
    if (wanted.size() > longest || name.size() > longest) continue;
    const std::size_t d = distance(wanted, name);
    if (d <= std::max<std::size_t>(2, wanted.size() / 3)) near.emplace_back(d, &name);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (near.size() > 3) near.resize(3);
  std::string out;
  for (const auto& [d, name] : near) out += (out.empty() ? " (did you mean '" : "', '") + *name;
  return out.empty() ? out : out + "'?)";
}

namespace {
struct Warnings {
  ForkSafe<std::mutex> mutex{kForkLeaf};
  std::set<std::string> seen;
  std::string newest;
  int64_t count = 0;
};
Warnings& warnings() {
  static Warnings* all = new Warnings;  // never destroyed: destructors of static objects may warn
  return *all;
}
[[maybe_unused]] const Warnings& warnings_made_early = warnings();  // before any thread starts, see core/pool.cpp
}  // namespace

void warn(const std::string& message) {
  Warnings& w = warnings();
  const std::lock_guard lock(w.mutex);
  ++w.count;
  w.newest = message;
  if (w.seen.insert(message).second) std::fprintf(stderr, "warning: %s\n", message.c_str());
}

std::string last_warning() {
  Warnings& w = warnings();
  const std::lock_guard lock(w.mutex);
  return w.newest;
}

int64_t warning_count() {
  const std::lock_guard lock(warnings().mutex);
  return warnings().count;
}

}  // namespace chainer
