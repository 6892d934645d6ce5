// Stretches of time for a timeline, told to whoever records one; where nobody does, a stretch is one look at a pointer.
#pragma once
#include <atomic>
#include <mutex>
#include <string>

#include "chainer/core/clock.h"

namespace chainer::timeline {

/// Hears of stretches, from any thread.
class Recorder {
 public:
  virtual ~Recorder() = default;
  /// `begin` and `end` are results of now().
  virtual void span(const std::string& what, const std::string& category, double begin, double end) = 0;
};

namespace detail {
inline constinit std::atomic<Recorder*> recorder{nullptr};
inline std::mutex mutex;  // a recorder stays until what it is being told is told
}  // namespace detail

/// Whether somebody records.
inline bool on() { return detail::recorder.load(std::memory_order_relaxed) != nullptr; }

/// Tells of a stretch that is over.
inline void tell(const std::string& what, const std::string& category, double begin, double end) {
  const std::lock_guard lock(detail::mutex);
  if (Recorder* r = detail::recorder.load(std::memory_order_relaxed)) r->span(what, category, begin, end);
}

/// While it lives, `recorder` hears of all threads; the one before it does afterwards.
class RecordingScope {
 public:
  explicit RecordingScope(Recorder& recorder) {
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

/// The stretch from here to the end of the block. `what` must live as long.
class Stretch {
 public:
  Stretch(const char* what, const char* category) {
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
