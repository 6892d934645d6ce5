// SPDX-License-Identifier: MIT
// Events for a timeline. Without a recorder, an event costs the load of one pointer.
#pragma once
#include <atomic>
#include <mutex>
#include <string>

#include "chainer/core/clock.h"

namespace chainer::timeline {

/// Receives events, from any thread.
class Recorder {
 public:
  virtual ~Recorder() = default;
  /// Called for each finished event. `begin` and `end` are results of now().
  virtual void span(const std::string& what, const std::string& category, double begin, double end) = 0;
};

namespace detail {
inline constinit std::atomic<Recorder*> recorder{nullptr};
inline std::mutex mutex;  // held during span(), so that a recorder is not destroyed meanwhile
}  // namespace detail

/// Returns true if a recorder is installed.
inline bool on() { return detail::recorder.load(std::memory_order_relaxed) != nullptr; }

/// Passes a finished event to the recorder.
inline void tell(const std::string& what, const std::string& category, double begin, double end) {
  const std::lock_guard lock(detail::mutex);
  if (Recorder* r = detail::recorder.load(std::memory_order_relaxed)) r->span(what, category, begin, end);
}

/// Installs `recorder` during its lifetime, for all threads; then restores the previous one.
class RecordingScope {
 public:
  [[nodiscard]] explicit RecordingScope(Recorder& recorder) {
    const std::lock_guard lock(detail::mutex);
    before_ = detail::recorder.exchange(&recorder);
  }
  RecordingScope(const RecordingScope&) = delete;
  RecordingScope& operator=(const RecordingScope&) = delete;
  ~RecordingScope() {
    const std::lock_guard lock(detail::mutex);
    detail::recorder.store(before_);
  }

 private:
  Recorder* before_ = nullptr;
};

/// An event from the construction of this object to the end of its scope. `what` and `category` must outlive it.
class Stretch {
 public:
  [[nodiscard]] Stretch(const char* what, const char* category) {
    if (on()) what_ = what, category_ = category, begin_ = now();
  }
  Stretch(const Stretch&) = delete;
  Stretch& operator=(const Stretch&) = delete;
  ~Stretch() {
    if (what_) tell(what_, category_, begin_, now());
  }

 private:
  const char* what_ = nullptr;
  const char* category_ = nullptr;
  double begin_ = 0;
};

}  // namespace chainer::timeline
