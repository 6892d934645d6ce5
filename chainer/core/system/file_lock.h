// SPDX-License-Identifier: MIT
// A lock between processes.
#pragma once
#include <cmath>
#include <filesystem>
#include <string>

namespace chainer {

/// An exclusive lock among all processes of the machine; the system releases it when the process ends. The lock file is
/// created if missing, and is kept. Throws FileError "cannot lock WHAT: " followed by the reason, or if another process
/// has held the lock for more than `seconds`.
class FileLock {
 public:
  [[nodiscard]] FileLock(const std::filesystem::path& file, const std::string& what, double seconds = HUGE_VAL);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  int fd_;
};

}  // namespace chainer
