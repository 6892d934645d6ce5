// SPDX-License-Identifier: MIT
#include "chainer/core/system/shared_memory.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>
#include <string>

namespace chainer {

SharedMemory::SharedMemory(std::size_t bytes) : bytes_(bytes), file_(::memfd_create("chainer gradients", MFD_CLOEXEC)) {
  if (file_ >= 0 && ::posix_fallocate(file_, 0, static_cast<off_t>(bytes)) != 0) close();
  map();
}

SharedMemory::SharedMemory(Address address, std::size_t bytes) : bytes_(bytes) {
  if (address.file < 0) return;
  const std::string path = "/proc/" + std::to_string(address.process) + "/fd/" + std::to_string(address.file);
  file_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  map();
}

SharedMemory::~SharedMemory() {
  close();
  if (data_) ::munmap(data_, bytes_);
}

void SharedMemory::map() {
  if (file_ < 0) return;
  void* p = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (p != MAP_FAILED) data_ = static_cast<char*>(p);
}

SharedMemory::Address SharedMemory::address() const { return {::getpid(), file_}; }

void SharedMemory::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

void wait_while(std::atomic<uint32_t>& word, uint32_t value, int microseconds) {
  timespec t{microseconds / 1000000, microseconds % 1000000 * 1000L};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &t, nullptr, 0);
}
void wake_all(std::atomic<uint32_t>& word) { ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); }

}  // namespace chainer
