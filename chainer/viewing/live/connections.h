// SPDX-License-Identifier: MIT
// The connections of a server and their time limits.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <thread>

namespace chainer::live {

/// Closes connections that exceed their time limit, in a thread of its own. Thread-safe.
class Connections {
 public:
  using Clock = std::chrono::steady_clock;
  /// reading: the request is incomplete; answering: the client has not read the answer; ended: the socket is shut down.
  enum class State { reading, answering, streaming, ended };
  struct Connection {
    int socket;
    Clock::time_point limit;
    State state = State::reading;
  };
  using Place = std::list<Connection>::iterator;

  /// From nine tenths of `most` connections on, each new one ends the oldest that is reading, or, if none is, the
  /// oldest that is answering.
  explicit Connections(std::size_t most);
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;
  ~Connections();
  /// Adds a connection, whose request must be complete within 10 seconds.
  Place add(int socket);
  /// Called when the request is complete, with an answer of `bytes` bytes that the client must read in time.
  void answer(Place place, std::size_t bytes);
  /// Called when the request is complete, with an answer without a time limit.
  void stream(Place place);
  /// Called before the socket is closed.
  void remove(Place place);

 private:
  void watch();
  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Connection> all_;  // oldest first
  bool ending_ = false;
  std::thread watcher_;
};

}  // namespace chainer::live
