// A computation on arrays that is recorded once for each layout of its arguments, and replayed from then on.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "chainer/array/array.h"

namespace chainer::recording {

/// Recordings of one function of arrays. Arrays that it reads beside its arguments (weights) are taken to stay as they
/// are: clear() forgets all recordings, and is called when that is no longer so. A replay takes its memory from one
/// block, which is kept for the next one. Several threads may call at once; each has a recording of its own. A function
/// that cannot be recorded (recorder.h says when) runs itself at each call.
class Replays {
 public:
  using Function = std::function<Arrays(const Arrays&)>;
  /// Recordings of at most `most` layouts are kept, those that were used last.
  explicit Replays(std::size_t most = 8);
  Replays(const Replays&) = delete;
  Replays& operator=(const Replays&) = delete;
  ~Replays();

  /// f(inputs), which is the same function at each call. The first call of a layout runs f; the second one runs and
  /// records it, for by then whatever f prepares for itself is there; later ones replay.
  Arrays operator()(const Function& f, const Arrays& inputs);
  void clear();

  /// How often f ran, was recorded, and was replayed.
  struct Counts {
    int64_t run = 0, recorded = 0, replayed = 0;
  };
  Counts counts() const;
  /// Why f runs itself; empty where it is replayed.
  std::string refused() const;

 private:
  struct Recording;
  struct Layout;
  std::unique_ptr<Recording> take(const std::vector<int64_t>& layout, bool& record);
  void give_back(std::unique_ptr<Recording> r);
  static Arrays record(const Function& f, const Arrays& inputs, Recording& r);

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Recording>> idle_;
  std::vector<std::vector<int64_t>> seen_;  // layouts of calls, the last one last
  uint64_t generation_ = 0;                 // counts clear()
  Counts counts_;
  std::string refused_;
};

}  // namespace chainer::recording
