#include "chainer/core/input_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "chainer/core/error.h"

namespace chainer {

InputFile::InputFile(const std::filesystem::path& path)
    : path_(path.string()), fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (fd_ < 0) failed(errno);
}
InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

void InputFile::failed(int why) const { throw FileError("cannot read ", path_, ": ", std::strerror(why)); }

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

}  // namespace chainer
