// SPDX-License-Identifier: MIT
// Memory shared by processes of one machine, with waiting and waking.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace chainer {

/// Shared memory without a name in a file system, so that nothing remains when processes end. One process creates the
/// memory; others open it through that process.
class SharedMemory {
 public:
  /// Identifies the memory by the process that created it and its file descriptor; `file` is -1 if the creation failed.
  struct Address {
    int64_t process = 0, file = -1;
  };
  /// Creates zeroed memory, allocated at once.
  explicit SharedMemory(std::size_t bytes);
  SharedMemory(Address address, std::size_t bytes);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();
  /// Returns nullptr if the memory could not be created or opened.
  char* data() const { return data_; }
  Address address() const;
  /// Closes the descriptor, after all processes have opened the memory; no other process can open it then.
  void close();

 private:
  void map();
  char* data_ = nullptr;
  std::size_t bytes_;
  int file_ = -1;
};

/// Waits until wake_all(word) is called, if the word equals `value`; at most for `microseconds`.
void wait_while(std::atomic<uint32_t>& word, uint32_t value, int microseconds);
void wake_all(std::atomic<uint32_t>& word);

}  // namespace chainer
