// SPDX-License-Identifier: MIT
// Files mapped into memory.
#pragma once
#include <filesystem>
#include <string_view>

namespace chainer {

/// A file mapped into memory, for random access by several threads. The file must not shrink meanwhile.
class MappedFile {
 public:
  /// copy_on_write makes the bytes writable; changes stay in this process's memory.
  enum class Mode { read, copy_on_write };
  /// Maps a file. Throws FileError with the reason.
  explicit MappedFile(const std::filesystem::path& path, Mode mode = Mode::read);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();
  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

}  // namespace chainer
