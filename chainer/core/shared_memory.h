// Memory that processes of one machine share, and waiting for each other in it.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace chainer {

/// Memory without a name in any file system, so that nothing is left behind whenever a process ends. One process makes
/// it, others open it through that process.
class SharedMemory {
 public:
  /// Where the process that made it keeps it; `file` is -1 where it could not.
  struct Address {
    int64_t process = 0, file = -1;
  };
  /// Zero bytes, which the machine has.
  explicit SharedMemory(std::size_t bytes);
  SharedMemory(Address address, std::size_t bytes);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();
  /// nullptr where there is none.
  char* data() const { return data_; }
  Address address() const;
  /// When all have opened it: nobody else can then.
  void close();

 private:
  void map();
  char* data_ = nullptr;
  std::size_t bytes_;
  int file_ = -1;
};

/// Waits until wake_all() is called on a word of shared memory, if it still is `value`; or for some time.
void wait_while(std::atomic<uint32_t>& word, uint32_t value, int microseconds);
void wake_all(std::atomic<uint32_t>& word);

}  // namespace chainer
