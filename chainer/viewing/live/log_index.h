// SPDX-License-Identifier: MIT
// A run's log for browsers, in parts.
#pragma once
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "chainer/viewing/log_file.h"

namespace chainer::live {

/// A part of a log.
struct LogPart {
  std::size_t from = 0, total = 0;  ///< number of its first entry, and of the entries of the whole log
  std::vector<std::string> entries = {};
};

/// Reads a log in parts. May be used by several threads.
class LogIndex {
 public:
  /// A file below a folder, where no links are followed.
  LogIndex(std::filesystem::path folder, std::filesystem::path file) : log_(std::move(folder), std::move(file)) {}
  /// The entries from `from` on, as JSON texts for browsers: those that fit into `most` bytes, one at least. All from 0
  /// if the log has fewer than `from`, since another run has replaced it. Elements that are not objects are left out.
  /// Throws FileError if the file cannot be read, ValueError if it is not a whole list.
  LogPart read(std::size_t from, std::size_t most);

 private:
  std::mutex mutex_;
  viewing::LogFile log_;
};

}  // namespace chainer::live
