// SPDX-License-Identifier: MIT
#include "chainer/core/system/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "chainer/core/clock.h"
#include "chainer/core/error.h"

namespace chainer {

FileLock::FileLock(const std::filesystem::path& file, const std::string& what, double seconds)
    : fd_(::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666)) {
  const double end = now() + seconds;
  const int how = std::isfinite(seconds) ? LOCK_EX | LOCK_NB : LOCK_EX;
  for (;;) {
    if (fd_ >= 0 && ::flock(fd_, how) == 0) return;
    if (fd_ < 0 || errno != EWOULDBLOCK || now() >= end) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const int why = errno;
  if (fd_ >= 0) ::close(fd_);
  if (why == EWOULDBLOCK) throw FileError("cannot lock ", what, ": another process holds ", file.string());
  throw FileError("cannot lock ", what, ": ", std::strerror(why));
}
FileLock::~FileLock() { ::close(fd_); }

}  // namespace chainer
