// SPDX-License-Identifier: MIT
// Shared by the tests of the live page: requests by HTTP, and a folder with a run.
#pragma once
#include <chainer/core/system/file.h>
#include <chainer/viewing/live/site.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "small_run.h"

namespace live_pages {

inline void pause_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

inline sockaddr_in local_address(int port) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_port = htons(static_cast<uint16_t>(port));
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return a;
}

// Sends bytes to a port of this machine; reads until the other side closes the connection, or for a second.
inline std::string exchange(int port, const std::string& bytes, bool whole = true) {
  const int s = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval limit{1, 0};
  ::setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  const sockaddr_in to = local_address(port);
  std::string out;
  if (::connect(s, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t n = ::send(s, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (n <= 0) break;
      at += static_cast<std::size_t>(n);
    }
    if (!whole) ::shutdown(s, SHUT_WR);  // tells the server that the request is complete
    char buffer[4096];
    for (ssize_t n; (n = ::recv(s, buffer, sizeof buffer, 0)) > 0;) out.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(s);
  return out;
}
inline int port_of(const std::string& address) { return std::stoi(address.substr(address.rfind(':') + 1)); }
inline std::string get(const std::string& address, const std::string& path, const std::string& headers = "") {
  const std::string host = address.substr(7, address.size() - 8);
  return exchange(port_of(address),
                  "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" + headers + "\r\n");
}
inline std::string post(const std::string& address, const std::string& body, const std::string& headers) {
  const std::string host = address.substr(7, address.size() - 8);
  return exchange(port_of(address), text("POST /api/command HTTP/1.1\r\nHost: ", host,
                                         "\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ",
                                         body.size(), "\r\n", headers, "\r\n", body));
}
inline bool has_status(const std::string& answer, int status) {
  return answer.starts_with(text("HTTP/1.1 ", status, " "));
}
inline std::string body_of(const std::string& answer) {
  return answer.substr(std::min(answer.size(), answer.find("\r\n\r\n") + 4));
}

// A folder with one finished run.
inline std::string results(const std::string& name) {
  const std::string folder = out(name);
  fs::create_directories(folder + "/one");
  write_file(folder + "/one/log",
             "[\n {\"main/loss\": 2.0, \"epoch\": 1, \"iteration\": 10},\n {\"main/loss\": NaN, \"epoch\": 2, "
             "\"iteration\": 20}\n]");
  write_file(folder + "/one/args", "{\"lr\": 0.1}");
  return folder;
}

}  // namespace live_pages
