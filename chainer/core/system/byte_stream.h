// SPDX-License-Identifier: MIT
// Non-blocking input and output on a socket.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chainer {

/// Buffers of bytes that a socket has not yet accepted, and of received bytes that were not yet taken.
class ByteStream {
 public:
  void put(const void* bytes, std::size_t size) { out_.append(static_cast<const char*>(bytes), size); }
  bool has_output() const { return sent_ < out_.size(); }
  /// Sends what the socket accepts without blocking. Returns false if the other end no longer reads.
  bool send(int socket);
  /// Receives what is available without blocking. Returns false if no more will arrive; bytes received before can still
  /// be taken.
  bool receive(int socket);
  /// Waits until the socket can send or receive, or for `milliseconds`; -1 waits forever.
  void wait(int socket, int milliseconds) const;

  /// Returns the number of received bytes that were not taken.
  std::size_t available() const { return in_.size() - taken_; }
  /// Copies the next bytes without taking them. Returns false if fewer are available.
  bool peek(void* bytes, std::size_t size) const;
  /// Takes `size` available bytes. The result is valid until the next receive().
  std::string_view take(std::size_t size);
  /// Returns the total number of bytes received.
  uint64_t received() const { return received_; }

 private:
  std::string out_, in_;
  std::size_t sent_ = 0, taken_ = 0;
  uint64_t received_ = 0;
};

/// A socket to wait for, with its stream; socket -1 is ignored.
struct AwaitedSocket {
  int socket;
  const ByteStream* stream;
  bool ready = false;  ///< true if it can send or receive, or if its other end was closed
};
/// Waits until one of the sockets is ready, or for `milliseconds`. Throws RuntimeError "who: waiting for workers: "
/// followed by the reason.
void wait_for_any(std::vector<AwaitedSocket>& sockets, int milliseconds, const char* who);

}  // namespace chainer
