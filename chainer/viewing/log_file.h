// SPDX-License-Identifier: MIT
// The log of a run, as LogReport writes it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/core/json.h"

namespace chainer {
class InputFile;
namespace viewing {

/// A file with a JSON list of objects. Keeps the positions of the entries, not their text, and reads only what was
/// appended. An entry may have any size. Elements that are not objects are left out.
class LogFile {
 public:
  enum class End { whole, half_written, no_list };

  explicit LogFile(std::filesystem::path file) : file_(std::move(file)) {}
  /// Reads a file below a folder, without following symbolic links below the folder.
  LogFile(std::filesystem::path folder, std::filesystem::path below)
      : folder_(std::move(folder)), file_(std::move(below)) {}

  /// Finds the present entries of the file; all of them again if another log has replaced it. Returns how the list
  /// ends. If the list is incomplete, the entries before the damage are available. Throws FileError if the file cannot
  /// be read.
  End update();
  std::size_t size() const { return entries_.size(); }
  uint64_t length(std::size_t i) const { return entries_[i].end - entries_[i].begin; }
  /// Calls f(i, text) for the entries from `from` on, until it returns false. Throws FileError as update().
  void each(std::size_t from, const std::function<bool(std::size_t, std::string_view)>& f) const;
  /// Makes the next update() read the whole file, also if its time and size are unchanged.
  void forget() { size_ = 0; }

 private:
  struct Entry {
    uint64_t begin, end;
  };
  InputFile open() const;
  bool goes_on(const InputFile& in) const;
  End scan(const InputFile& in);
  std::optional<std::filesystem::path> folder_;
  std::filesystem::path file_;
  std::filesystem::file_time_type time_ = {};
  uint64_t size_ = 0;
  End end_ = End::half_written;
  std::vector<Entry> entries_;
  std::string tail_;  // the last bytes of the last entry, to tell a log that has grown from another one
};

/// The newest entry of a log, and the time (elapsed_time) of the entry before it, NaN if unknown. Only the end of the
/// file is read. The entry is null if the file does not end as a log does.
struct NewestEntry {
  json::Value entry;
  double seconds_before;
};
NewestEntry newest_entry(InputFile& in);

/// Returns elapsed_time of an entry, or NaN.
double seconds_of(const json::Value& entry);

}  // namespace viewing
}  // namespace chainer
