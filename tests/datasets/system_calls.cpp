// SPDX-License-Identifier: MIT
#include "system_calls.h"

#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <initializer_list>

namespace test {

SystemCalls system_calls;

namespace {
std::size_t part_of(std::size_t n) {
  if (system_calls.largest_part == 0 || n < 2) return n;
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  const std::size_t part = 1 + (state >> 33) % system_calls.largest_part;
  return part < n ? part : n;
}
bool exhausted(int& left) { return left >= 0 && left-- == 0; }
}  // namespace

}  // namespace test

// Definitions in the program take precedence over those of the C library.
extern "C" {

ssize_t send(int fd, const void* bytes, size_t n, int flags) {
  return ::syscall(SYS_sendto, fd, bytes, test::part_of(n), flags, nullptr, 0);
}
ssize_t recv(int fd, void* bytes, size_t n, int flags) {
  return ::syscall(SYS_recvfrom, fd, bytes, test::part_of(n), flags, nullptr, nullptr);
}
int socketpair(int domain, int type, int protocol, int* ends) noexcept {
  if (test::exhausted(test::system_calls.sockets_left)) return errno = EMFILE, -1;
  const int out = static_cast<int>(::syscall(SYS_socketpair, domain, type, protocol, ends));
  const int size = 1;  // the system rounds it up
  if (out == 0 && test::system_calls.tiny_buffers)
    for (int i = 0; i < 2; ++i)
      for (const int option : {SO_SNDBUF, SO_RCVBUF}) ::setsockopt(ends[i], SOL_SOCKET, option, &size, sizeof size);
  return out;
}
pid_t fork() noexcept {
  if (test::exhausted(test::system_calls.forks_left)) return errno = EAGAIN, -1;
  static const auto real = reinterpret_cast<pid_t (*)()>(::dlsym(RTLD_NEXT, "fork"));
  return real();
}
}
