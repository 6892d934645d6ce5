// SPDX-License-Identifier: MIT
#include "scratch.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace fuzz {

ScratchFile::ScratchFile(std::string_view bytes) : fd_(::memfd_create("fuzzed", MFD_CLOEXEC)) {
  while (fd_ >= 0 && !bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n <= 0) throw std::system_error(errno, std::generic_category(), "fuzzed");
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "fuzzed");
}
ScratchFile::~ScratchFile() { ::close(fd_); }
std::string ScratchFile::path() const { return "/proc/self/fd/" + std::to_string(fd_); }

}  // namespace fuzz
