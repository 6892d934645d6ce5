// SPDX-License-Identifier: MIT
// Asynchronous copies from host memory.
#pragma once
#include <array>
#include <vector>

#include "chainer/backend/cuda/driver.h"

namespace chainer::cuda {

/// A ring of pinned memory through which data is copied to the device, so that the caller's memory can be reused at
/// once. A part of the ring is reused when the copies from it have run.
class PinnedRing {
 public:
  static constexpr std::size_t kPart = std::size_t(4) << 20;
  static constexpr std::size_t kParts = 4;

  PinnedRing(Driver& driver, int device) : driver_(driver), device_(device) {}
  PinnedRing(const PinnedRing&) = delete;
  PinnedRing& operator=(const PinnedRing&) = delete;
  ~PinnedRing();
  /// All copies of a ring are in one stream.
  void copy_to_device(Stream stream, void* to, const void* from, std::size_t bytes);

 private:
  struct Part {
    char* memory = nullptr;
    Event event = nullptr;
    bool recorded = false;
  };
  Part& part_for(std::size_t bytes, Stream stream);

  Driver& driver_;
  int device_;
  std::array<Part, kParts> parts_;
  std::size_t current_ = 0, used_ = 0;
};

/// Copies from host memory to a device. Up to kSmall bytes are copied in the stream of the device's work. More are
/// copied in a stream of their own, while earlier work runs, to a part of a landing zone in the device's memory; the
/// stream of the work waits for them there and copies them to their place, which earlier work may still use. The zone
/// grows to `most` parts; then a copy waits until the work has taken the contents of the oldest part. Without memory
/// for the zone, all copies are in the stream of the work.
class Staging {
 public:
  static constexpr std::size_t kSmall = std::size_t(512) << 10;
  static constexpr std::size_t kMostParts = 64;

  Staging(Driver& driver, int device, std::size_t most = kMostParts)
      : driver_(driver), device_(device), most_(most), small_(driver, device), large_(driver, device) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging();
  void copy_to_device(Stream work, void* to, const void* from, std::size_t bytes);
  /// Returns the landing zone to the driver, after the work of the stream. Returns false if there is none.
  bool release_zone(Stream work);
  /// Returns the number of parts of the landing zone.
  std::size_t parts() const { return zone_.size(); }

 private:
  struct Part {
    void* memory;
    Event event;  ///< the contents have arrived; then: the work has taken them
  };
  Part* next_part();
  void end_zone() noexcept;

  Driver& driver_;
  int device_;
  std::size_t most_;
  PinnedRing small_, large_;
  Stream copies_ = nullptr;
  std::vector<Part> zone_;
  std::size_t oldest_ = 0;  // of the zone, whose parts are used in turns
};

}  // namespace chainer::cuda
