// A folder of results as a reader finds it: runs, which are folders with a file `log`, their entries, pictures,
// arguments.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "chainer/core/json.h"

namespace chainer::live {

/// JSON for browsers: numbers that are not finite are null.
json::Value for_browsers(json::Value v);

/// Reads below one folder only: names with "..", absolute ones and symbolic links are refused (ValueError), and files
/// that other programs are writing are told as such, never guessed. May be used by several threads.
class Results {
 public:
  explicit Results(const std::filesystem::path& folder);
  /// The runs, at most 2000, four folders deep: [{path, state, foreign, modified, args, last, before}]. The state is
  /// "running" (written within five intervals between entries), "idle", "empty", "half-written", or "a link"; modified
  /// is seconds ago, last is the newest entry, before the elapsed_time of the one before it. Only the ends of logs are
  /// read.
  json::List runs() const;
  /// The entries of a run's log as JSON texts; a ValueError for a log that is half-written.
  std::shared_ptr<const std::vector<std::string>> entries(const std::string& run);
  /// A JSON file of a run (args, commands, hyperparams); null where it is missing or half-written.
  json::Value document(const std::string& run, const std::string& name) const;
  /// A run's pictures, newest first, at most 60: [{name, stamp}], where another stamp is another picture.
  json::List pictures(const std::string& run) const;
  /// A regular file of a run that exists; ValueError for what leaves the folder and for links.
  std::filesystem::path file(const std::string& run, const std::string& name) const;
  /// The folder of a run.
  std::filesystem::path run_folder(const std::string& run) const;

 private:
  std::filesystem::path inside(const std::string& name) const;
  json::Object about(const std::filesystem::path& folder) const;
  std::filesystem::path root_;
  struct Log {
    std::filesystem::file_time_type time;
    uintmax_t size;
    std::shared_ptr<const std::vector<std::string>> entries;
  };
  std::mutex mutex_;
  std::map<std::string, Log> logs_;
};

}  // namespace chainer::live
