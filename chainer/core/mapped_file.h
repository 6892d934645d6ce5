// A file's bytes without reading all of them.
#pragma once
#include <filesystem>
#include <string_view>

namespace chainer {

/// A file mapped into memory, for reading at random places by several threads. The file must not shrink meanwhile.
class MappedFile {
 public:
  /// FileError with the reason.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();
  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

}  // namespace chainer
