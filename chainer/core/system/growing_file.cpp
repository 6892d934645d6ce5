// SPDX-License-Identifier: MIT
#include "chainer/core/system/growing_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "chainer/core/error.h"

namespace chainer {

GrowingFile::GrowingFile(const std::filesystem::path& path, bool append) : path_(path.string()) {
  const int begin = append ? O_APPEND : O_TRUNC;
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | begin, 0666);
  if (fd_ < 0) failed(errno);
  struct ::stat info {};
  if (::fstat(fd_, &info) != 0) {
    const int why = errno;
    ::close(fd_);
    failed(why);
  }
  size_ = info.st_size;
}
GrowingFile::~GrowingFile() {
  if (fd_ >= 0) ::close(fd_);
}

void GrowingFile::failed(int why) const { throw FileError("cannot write ", path_, ": ", std::strerror(why)); }

void GrowingFile::clear() {
  if (::ftruncate(fd_, 0) != 0) failed(errno);
  size_ = 0;
}

bool GrowingFile::add(std::string_view bytes) noexcept {
  for (std::string_view left = bytes; !left.empty();) {
    const ssize_t n = ::write(fd_, left.data(), left.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      why_ = n < 0 ? errno : ENOSPC;
      return false;
    }
    left.remove_prefix(static_cast<std::size_t>(n));
    size_ += n;
  }
  return true;
}

void GrowingFile::check() const {
  if (why_) failed(why_);
}

void GrowingFile::close() {
  if (::close(std::exchange(fd_, -1)) != 0 && errno != EINTR) failed(errno);
}

}  // namespace chainer
