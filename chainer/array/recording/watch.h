// SPDX-License-Identifier: MIT
// Notifications of a recording (recorder.h). While no thread records, each of them costs the load of one counter.
#pragma once
#include <atomic>
#include <string_view>

namespace chainer {

class Backend;
struct ArrayBody;

namespace recording {

class Recorder;

/// The number of threads that currently record.
inline constinit std::atomic<int> running{0};
inline bool any() { return running.load(std::memory_order_relaxed) != 0; }

// To be called only if any() is true. These functions do nothing on a thread that does not record, and inside of a step
// that is being recorded.

/// Returns the backend that receives calls: `real`, or the recorder in front of it.
Backend& active_backend(Backend& real);
/// Elements are about to be accessed through a pointer.
void host_reads(const ArrayBody& body);
void host_writes(ArrayBody& body);
/// An array that owns its memory was created.
void made(ArrayBody& body);
/// Refuses the recording for this reason: the current operation cannot be replayed.
void refuse(std::string_view why);

/// An array that was created during a recording is being destroyed.
void gone(const ArrayBody& body);

/// During its lifetime, this thread computes an array; if that was begun (deferred) outside of the thread's recording,
/// the thread does not record.
class Computing {
 public:
  explicit Computing(const ArrayBody& body) : paused_(any() ? pause(body) : nullptr) {}
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;
  ~Computing() {
    if (paused_) go_on();
  }

 private:
  static Recorder* pause(const ArrayBody& body);
  void go_on();
  Recorder* paused_;
};

}  // namespace recording
}  // namespace chainer
