// Both directions of a socket whose ends never wait for each other.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chainer {

/// Bytes on their way out that a socket did not take yet, and bytes that came in and were not taken yet.
class ByteStream {
 public:
  void put(const void* bytes, std::size_t size) { out_.append(static_cast<const char*>(bytes), size); }
  bool has_output() const { return sent_ < out_.size(); }
  /// Sends what the socket takes without waiting; false when nobody reads at its other end any more.
  bool send(int socket);
  /// Receives what is there without waiting; false when no more will come. What came before can be taken all the same.
  bool receive(int socket);
  /// Waits until something can be sent or received; -1 is for ever.
  void wait(int socket, int milliseconds) const;

  /// Bytes that came in and were not taken.
  std::size_t available() const { return in_.size() - taken_; }
  /// The next bytes, without taking them; false if fewer are there.
  bool peek(void* bytes, std::size_t size) const;
  /// Takes bytes that are there; they stay valid until receive().
  std::string_view take(std::size_t size);
  /// All bytes that ever came in.
  uint64_t received() const { return received_; }

 private:
  std::string out_, in_;
  std::size_t sent_ = 0, taken_ = 0;
  uint64_t received_ = 0;
};

/// A socket that is waited for, on behalf of its stream; -1 for none.
struct AwaitedSocket {
  int socket;
  const ByteStream* stream;
  bool ready = false;  ///< whether it can send or receive, or its other end is gone
};
/// Waits until one of them is ready, or for so long. RuntimeError "who: waiting for workers: " and the reason.
void wait_for_any(std::vector<AwaitedSocket>& sockets, int milliseconds, const char* who);

}  // namespace chainer
