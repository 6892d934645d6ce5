// A file that another call may go on with.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace chainer {

/// A file that is written from its start, or behind what an earlier call left in it. No link is followed to it, for a
/// name that goes on in the next call can be guessed. Every error is a FileError that names it and the reason.
class GrowingFile {
 public:
  GrowingFile(const std::filesystem::path& path, bool append);
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;
  ~GrowingFile();
  int64_t size() const { return size_; }
  void clear();
  /// Whether the bytes were taken; check() throws the reason.
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
