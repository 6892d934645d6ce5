// SPDX-License-Identifier: MIT
// State of links other than parameters, persistent values and other links: numbers and options that a call reads.
#pragma once
#include <cstdint>
#include <vector>

#include "chainer/graph_optimizations/members.h"

namespace chainer::static_graphs {

/// The bytes of link objects at the time of a recording, which contain members such as BatchNormalization::decay.
/// Memory that a member owns outside of the object, as a std::vector does, is not included.
class PlainState {
 public:
  PlainState() = default;
  explicit PlainState(const Members& members);
  /// Ignores bits that differ from `after`, because the recorded call itself changed them, as it does a counter.
  void leave_out_changes(const PlainState& after);
  /// Returns true if the links currently hold the same state.
  bool holds(const Members& members) const;

 private:
  struct Object {
    std::vector<uint64_t> words, mask;  ///< only bits set in the mask are compared
  };
  std::vector<Object> objects_;
};

}  // namespace chainer::static_graphs
