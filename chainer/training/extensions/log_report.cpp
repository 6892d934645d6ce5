// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>
#include <utility>

#include "chainer/core/clock.h"
#include "chainer/core/system/file.h"
#include "chainer/training/extensions.h"
#include "chainer/training/extensions/missing_keys.h"

namespace chainer::training::extensions {
namespace {

namespace fs = std::filesystem;

// A write waits for the disk twice (for the bytes, then for the new name), which is too slow for every iteration.
constexpr double kBetweenWrites = 1;  // seconds

// Replaces the fields {key} of a name, each as often as it is there; values are not searched for fields.
std::string filled(const std::string& pattern, const json::Value& entry) {
  std::string out;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t begin = std::min(pattern.find('{', at), pattern.size()), end = pattern.find('}', begin);
    out += pattern.substr(at, begin - at);
    if (end == pattern.npos) return out + pattern.substr(begin);
    if (const json::Value* v = entry.find(std::string_view(pattern).substr(begin + 1, end - begin - 1))) {
      out += v->string() ? *v->string() : json::dump(*v);
      at = end + 1;
    } else {
      out += '{';
      at = begin + 1;
    }
  }
  return out;
}

}  // namespace

void LogReport::operator()(Trainer& trainer) {
  if (options_.keys.empty()) {
    summary_.add(trainer.observation);
  } else {
    Observation chosen;
    for (const std::string& k : options_.keys)
      if (const auto it = trainer.observation.find(k); it != trainer.observation.end()) chosen.insert(*it);
    summary_.add(chosen);
  }
  if (!options_.trigger(trainer)) {
    if (now() - written_at_ >= kBetweenWrites) write();
    return;
  }
  json::Object entry;
  const auto means = summary_.compute_mean();
  if (!warned_ && !options_.keys.empty() && trainer.updater().epoch() >= 1) {
    warned_ = true;
    std::set<std::string> there = names_of(trainer.observation);
    there.merge(names_of(means));
    warn_of_missing_keys("LogReport", options_.keys, there);
  }
  for (const auto& [key, mean] : means) entry.emplace_back(key, mean);
  entry.emplace_back("epoch", trainer.updater().epoch());
  entry.emplace_back("iteration", trainer.updater().iteration());
  entry.emplace_back("elapsed_time", trainer.elapsed_time());
  if (options_.postprocess) options_.postprocess(entry);
  fs::path file;
  if (options_.log_name) file = trainer.out() / filled(*options_.log_name, entry);
  if (file != unwritten_) write();  // the file of the entries before this one
  log_.emplace_back(std::move(entry));
  summary_ = {};
  unwritten_ = std::move(file);
  if (unwritten_ != written_ || now() - written_at_ >= kBetweenWrites) write();
}

void LogReport::write() {
  if (unwritten_.empty()) return;
  write_file(unwritten_, json::dump(json::Value(log_), 4));
  written_ = std::exchange(unwritten_, {});
  written_at_ = now();
}

void LogReport::serialize(Serializer& s) {
  options_.trigger.serialize(*s.child("_trigger"));
  // An incomplete interval is stored also. Chainer's reader accepts these keys; files written by it may lack them.
  if (!s.is_loading() || s.contains("_summary/_names")) summary_.serialize(*s.child("_summary"));
  std::string log = json::dump(json::Value(log_));
  s("_log", log);
  if (!s.is_loading()) return;
  json::Value v = json::parse(log);
  if (!v.list()) throw ValueError("LogReport: the stored log is not a JSON list");
  log_ = std::move(*v.list());
}

}  // namespace chainer::training::extensions
