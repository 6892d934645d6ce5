// SPDX-License-Identifier: MIT
#include "chainer/core/system/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "chainer/core/error.h"
#include "chainer/core/system/input_file.h"

namespace chainer {

MappedFile::MappedFile(const std::filesystem::path& path, Mode mode) {
  const auto failed = [&](int why) { cannot_read(path.string(), why); };
  // Non-blocking: opening a pipe would wait for a writer.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) failed(errno);
  struct ::stat info {};
  const int stated = ::fstat(fd, &info);
  if (stated != 0 || !S_ISREG(info.st_mode)) {
    const int why = stated != 0 ? errno : S_ISDIR(info.st_mode) ? EISDIR : 0;
    ::close(fd);
    if (why == 0) throw FileError("cannot read ", path.string(), ": it is not a regular file");
    failed(why);
  }
  if (info.st_size > 0) {
    const auto size = static_cast<std::size_t>(info.st_size);
    const int access = mode == Mode::read ? PROT_READ : PROT_READ | PROT_WRITE;
    void* p = ::mmap(nullptr, size, access, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
    const int why = errno;
    ::close(fd);
    if (p == MAP_FAILED) failed(why);
    bytes_ = std::string_view(static_cast<const char*>(p), size);
  } else {
    ::close(fd);
  }
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace chainer
