// SPDX-License-Identifier: MIT
#include "chainer/core/system/sockets.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "chainer/core/error.h"

namespace chainer {
namespace {
constexpr int kBacklog = 512;  // connections that may wait to be accepted
}

ListeningSocket::ListeningSocket(const std::string& host, int asked) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  const int unknown = ::getaddrinfo(host.c_str(), std::to_string(asked).c_str(), &hints, &found);
  if (unknown) throw RuntimeError("cannot listen at ", host, ":", asked, ": ", ::gai_strerror(unknown));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, ::freeaddrinfo);
  int why = 0;
  for (const addrinfo* a = found; a && descriptor < 0; a = a->ai_next) {
    const int s = ::socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
    // Allows a port whose previous connections are still in TIME_WAIT, but not one where another program listens.
    const int yes = 1;
    if (s >= 0) ::setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_storage bound{};
    socklen_t length = sizeof bound;
    if (s < 0 || ::bind(s, a->ai_addr, a->ai_addrlen) || ::listen(s, kBacklog) ||
        ::getsockname(s, reinterpret_cast<sockaddr*>(&bound), &length)) {
      why = errno;
      if (s >= 0) ::close(s);
      continue;
    }
    descriptor = s;
    is_ipv6 = bound.ss_family == AF_INET6;
    port = ntohs(is_ipv6 ? reinterpret_cast<const sockaddr_in6&>(bound).sin6_port
                         : reinterpret_cast<const sockaddr_in&>(bound).sin_port);
  }
  if (descriptor >= 0) return;
  throw RuntimeError("cannot listen at ", host, ":", asked, ": ",
                     why == EADDRINUSE ? "the address is in use" : std::strerror(why));
}

void close_socket(int descriptor) { ::close(descriptor); }

void end_connection(int descriptor) { ::shutdown(descriptor, SHUT_RDWR); }

std::string host_number(const sockaddr* address) {
  const socklen_t size = address->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  char name[64];
  return ::getnameinfo(address, size, name, sizeof name, nullptr, 0, NI_NUMERICHOST) ? "" : name;
}

std::size_t most_open_files() {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  return files.rlim_cur;
}

}  // namespace chainer
