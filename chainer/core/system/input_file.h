// SPDX-License-Identifier: MIT
// A file that is read sequentially.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace chainer {

/// Throws "cannot read PATH: ..." for an errno: FileError if the path names no readable file, FileAccessError if
/// another attempt may succeed.
[[noreturn]] void cannot_read(const std::string& path, int why);

/// A file open for reading. Throws FileError with the path and the reason.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);
  /// Opens a regular file below a folder. No symbolic link below the folder is followed, even if names are replaced
  /// while the file is being opened: links and ".." are errors.
  InputFile(const std::filesystem::path& folder, const std::filesystem::path& below);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();
  /// Returns the size in bytes. Throws for files without a size, such as pipes. Call it before the first read().
  int64_t size();
  /// Reads up to `most` bytes; returns how many were read, 0 at the end.
  std::size_t read(void* bytes, std::size_t most);
  /// Returns the bytes [at, at + most), or fewer at the end of the file.
  std::string read_at(uint64_t at, std::size_t most) const;

 private:
  [[noreturn]] void failed(int why) const;
  std::string path_;
  int fd_;
};

}  // namespace chainer
