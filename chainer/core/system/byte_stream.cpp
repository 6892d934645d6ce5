// SPDX-License-Identifier: MIT
#include "chainer/core/system/byte_stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "chainer/core/error.h"

namespace chainer {

bool ByteStream::send(int socket) {
  while (has_output()) {
    const ssize_t n = ::send(socket, out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == ENOMEM)) break;
    if (n <= 0) {
      out_.clear();
      sent_ = 0;
      return false;
    }
    sent_ += static_cast<std::size_t>(n);
  }
  // The sent part is erased once it is the larger one, so that each byte is moved at most once.
  if (2 * sent_ >= out_.size()) {
    out_.erase(0, sent_);
    sent_ = 0;
  }
  return true;
}

bool ByteStream::receive(int socket) {
  in_.erase(0, taken_);
  taken_ = 0;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::recv(socket, buffer, sizeof buffer, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOMEM)) return true;
    if (n <= 0) return false;
    in_.append(buffer, static_cast<std::size_t>(n));
    received_ += static_cast<uint64_t>(n);
  }
}

namespace {
short events_of(const ByteStream& s) { return s.has_output() ? POLLIN | POLLOUT : POLLIN; }
}  // namespace

void ByteStream::wait(int socket, int milliseconds) const {
  pollfd p{socket, events_of(*this), 0};
  (void)::poll(&p, 1, milliseconds);
}

void wait_for_any(std::vector<AwaitedSocket>& sockets, int milliseconds, const char* who) {
  std::vector<pollfd> polled;
  for (const AwaitedSocket& s : sockets) polled.push_back({s.socket, events_of(*s.stream), 0});
  if (::poll(polled.data(), polled.size(), milliseconds) < 0 && errno != EINTR)
    throw RuntimeError(who, ": waiting for workers: ", std::strerror(errno));
  for (std::size_t i = 0; i < sockets.size(); ++i) sockets[i].ready = polled[i].revents != 0;
}

bool ByteStream::peek(void* bytes, std::size_t size) const {
  if (available() < size) return false;
  std::memcpy(bytes, in_.data() + taken_, size);
  return true;
}

std::string_view ByteStream::take(std::size_t size) {
  taken_ += size;
  return std::string_view(in_).substr(taken_ - size, size);
}

}  // namespace chainer
