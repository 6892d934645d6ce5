#include "chainer/core/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "chainer/core/error.h"

namespace chainer {

FileLock::FileLock(const std::filesystem::path& file, const std::string& what)
    : fd_(::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666)) {
  if (fd_ >= 0 && ::flock(fd_, LOCK_EX) == 0) return;
  const int why = errno;
  if (fd_ >= 0) ::close(fd_);
  throw FileError("cannot lock ", what, ": ", std::strerror(why));
}
FileLock::~FileLock() { ::close(fd_); }

}  // namespace chainer
