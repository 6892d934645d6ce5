// A lock between processes.
#pragma once
#include <filesystem>
#include <string>

namespace chainer {

/// Held by one object of all processes of the machine at a time; the system ends it with the process. The file is made
/// where it is missing, and stays. FileError "cannot lock WHAT: " and the reason.
class FileLock {
 public:
  FileLock(const std::filesystem::path& file, const std::string& what);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  int fd_;
};

}  // namespace chainer
