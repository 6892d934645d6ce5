// SPDX-License-Identifier: MIT
// A folder of results: runs, which are folders with a file `log` or `progress`, with their entries, pictures and
// arguments.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "chainer/core/json.h"
#include "chainer/viewing/live/log_index.h"

namespace chainer::live {

/// Returns JSON for browsers: null for numbers that are not finite, and \\xff for a byte of a text that is no UTF-8.
json::Value for_browsers(json::Value v);

/// Reads files below one folder; names that are no UTF-8 are given and taken as by for_browsers(). Throws ValueError
/// for names with "..", absolute names and symbolic links. Files that another program has not finished are marked as
/// such. Thread-safe.
class Results {
 public:
  explicit Results(const std::filesystem::path& folder);
  /// Returns the runs, at most 2000, four folders deep: [{path, state, told, foreign, modified, args, last, before,
  /// progress, curves, color}]. If the program reports its state (`told`, see progress.h), the state is "running",
  /// "paused", "finished", "failed", "stopped" or "idle". Otherwise it is derived from the log: "running" (written
  /// within five intervals between entries), "idle", "empty", "half-written", or "a link". modified is the age in
  /// seconds, last the newest entry, before the elapsed_time of the entry before it; curves changes with the file
  /// `curves`; color is the position in the cycle of colors. Reads only the ends of logs.
  json::List runs() const;
  /// Sets the state of the run in the folder itself; "" for the state derived from its files.
  void set_own_state(const std::string& state);
  /// Returns a part of a run's log; see LogIndex::read().
  LogPart log(const std::string& run, std::size_t from, std::size_t most);
  /// Returns the values of each iteration of a run with few epochs, see progress.h; null if there are none.
  json::Value curves(const std::string& run) const;
  /// Returns a JSON file of a run (args, commands, hyperparams); null if it is missing or incomplete.
  json::Value document(const std::string& run, const std::string& name) const;
  /// Returns a run's pictures, newest first, at most 60: [{name, stamp}]. The stamp changes with the picture.
  json::List pictures(const std::string& run) const;
  /// Returns the path of an existing regular file of a run. Throws ValueError for paths outside the folder and links.
  std::filesystem::path file(const std::string& run, const std::string& name) const;
  /// Returns the bytes of such a file of at most `largest` bytes. Does not follow links, also if files are replaced by
  /// links during the call.
  std::string read(const std::string& run, const std::string& name, uint64_t largest) const;
  /// Returns the folder of a run.
  std::filesystem::path run_folder(const std::string& run) const;

 private:
  /// Returns the name of a file as it is, with the bytes that browsers got as \\xff.
  std::string real(const std::string& name) const;
  std::filesystem::path inside(const std::string& name) const;
  json::Object about(const std::filesystem::path& folder) const;
  std::filesystem::path root_;
  mutable std::mutex mutex_;
  std::string own_state_;
  std::map<std::string, std::shared_ptr<LogIndex>> logs_;
};

}  // namespace chainer::live
