// A file's bytes without reading all of them.
#pragma once
#include <filesystem>
#include <string_view>

namespace chainer {

/// A file mapped into memory, for reading at random places by several threads. The file must not shrink meanwhile.
class MappedFile {
 public:
  /// Whether the bytes may be written to: what is written then stays in this process's memory.
  enum class Mode { read, copy_on_write };
  /// FileError with the reason.
  explicit MappedFile(const std::filesystem::path& path, Mode mode = Mode::read);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();
  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

}  // namespace chainer
