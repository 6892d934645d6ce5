// SPDX-License-Identifier: MIT
// A file that later calls append to.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace chainer {

/// A file that is written from its start, or appended to. Symbolic links are not followed, because the name is
/// predictable. Throws FileError with the path and the reason.
class GrowingFile {
 public:
  GrowingFile(const std::filesystem::path& path, bool append);
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;
  ~GrowingFile();
  int64_t size() const { return size_; }
  void clear();
  /// Appends bytes. Returns false on failure; check() then throws FileError with the reason.
  bool add(std::string_view bytes) noexcept;
  void check() const;
  void close();

 private:
  [[noreturn]] void failed(int why) const;
  std::string path_;
  int fd_ = -1, why_ = 0;
  int64_t size_ = 0;
};

}  // namespace chainer
