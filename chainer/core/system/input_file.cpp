// SPDX-License-Identifier: MIT
#include "chainer/core/system/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>

#include "chainer/core/error.h"

namespace chainer {

void cannot_read(const std::string& path, int why) {
  if (why == ENOENT || why == ENOTDIR || why == EISDIR || why == ENAMETOOLONG)
    throw FileError("cannot read ", path, ": ", std::strerror(why));
  throw FileAccessError("cannot read ", path, ": ", std::strerror(why));
}

InputFile::InputFile(const std::filesystem::path& path)
    : path_(path.string()), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (fd_ < 0) failed(errno);
}
InputFile::InputFile(const std::filesystem::path& folder, const std::filesystem::path& below)
    : path_((folder / below).string()), fd_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  const auto open = [this](const std::filesystem::path& part, int flags) {
    const int fd =
        part == ".." ? (errno = EACCES, -1) : ::openat(fd_, part.c_str(), flags | O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    const int why = errno;
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
    errno = why;
  };
  for (auto part = below.begin(); fd_ >= 0 && part != below.end(); ++part)
    open(*part, std::next(part) == below.end() ? O_NONBLOCK : O_DIRECTORY);
  struct ::stat info {};
  if (fd_ >= 0 && ::fstat(fd_, &info) == 0 && S_ISREG(info.st_mode)) return;
  const int why = fd_ < 0 ? errno : 0;
  if (fd_ >= 0) ::close(fd_);
  if (why == 0) throw FileError("cannot read ", path_, ": it is not a regular file");
  if (why == ELOOP)
    throw FileError("cannot read ", path_, ": the path contains a symbolic link, which is not followed");
  cannot_read(path_, why);
}
InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

void InputFile::failed(int why) const { cannot_read(path_, why); }

int64_t InputFile::size() {
  const off_t size = ::lseek(fd_, 0, SEEK_END);
  if (size < 0 || ::lseek(fd_, 0, SEEK_SET) < 0) failed(errno);
  return size;
}

std::size_t InputFile::read(void* bytes, std::size_t most) {
  for (;;) {
    const ssize_t n = ::read(fd_, bytes, most);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno != EINTR) failed(errno);
  }
}

std::string InputFile::read_at(uint64_t at, std::size_t most) const {
  std::string out(most, '\0');
  std::size_t done = 0;
  while (done < most) {
    const ssize_t n = ::pread(fd_, out.data() + done, most - done, static_cast<off_t>(at + done));
    if (n < 0 && errno != EINTR) failed(errno);
    if (n == 0) break;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  out.resize(done);
  return out;
}

}  // namespace chainer
