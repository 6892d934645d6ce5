// SPDX-License-Identifier: MIT
// Sockets of servers.
#pragma once
#include <cstddef>
#include <string>

struct sockaddr;

namespace chainer {

/// A non-blocking socket that listens at an address of a host (a name or a number), not inherited by started programs.
/// Port 0 chooses a free port. Throws RuntimeError with the reason.
struct ListeningSocket {
  ListeningSocket(const std::string& host, int port);
  int descriptor = -1, port = 0;
  bool is_ipv6 = false;
};
void close_socket(int descriptor);
/// Shuts a connection down in both directions; the socket stays open.
void end_connection(int descriptor);
/// Returns the numeric address of a host, for example "127.0.0.1"; empty for families other than IPv4 and IPv6.
std::string host_number(const sockaddr* address);
/// Returns how many files, including sockets, this process may have open.
std::size_t most_open_files();

}  // namespace chainer
