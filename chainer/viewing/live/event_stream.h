// SPDX-License-Identifier: MIT
// A text that many readers follow as it grows.
#pragma once
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace chainer::live {

/// Keeps a buffer of unread text for each reader, so that send() never waits for a reader. Thread-safe. Must outlive
/// its readers.
class EventStream {
 public:
  /// The position of a reader in the stream.
  class Reader {
   public:
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader();
    /// Copies at most `size` bytes and returns their number. If nothing is unread, calls `sleep`, which precedes the
    /// next `wake`, and returns 0. Returns -1 at the end of the stream, and if the reader was dropped.
    std::ptrdiff_t take(char* to, std::size_t size);

   private:
    friend class EventStream;
    Reader(EventStream& stream, std::string_view greeting, std::function<void()> sleep, std::function<void()> wake);
    EventStream& stream_;
    std::list<Reader*>::iterator place_;
    std::function<void()> sleep_, wake_;
    std::string waiting_;
    std::size_t taken_ = 0;  // of waiting_
    bool asleep_ = false, behind_ = false;
  };

  /// Adds a reader that receives the greeting, then every later text. After each `sleep`, `wake` is called when there
  /// is unread text. Neither function may call the stream.
  std::unique_ptr<Reader> join(std::string_view greeting, std::function<void()> sleep, std::function<void()> wake);
  /// Sends a text to all readers. Drops readers with more than one MiB of unread text.
  void send(std::string_view text);
  /// Ends the stream for all present and future readers.
  void end();
  std::size_t readers() const;

 private:
  void wake(Reader& reader);
  mutable std::mutex mutex_;
  std::list<Reader*> readers_;
  bool ended_ = false;
};

}  // namespace chainer::live
