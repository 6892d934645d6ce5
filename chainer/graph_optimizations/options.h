// SPDX-License-Identifier: MIT
// Options of static graphs.
#pragma once

namespace chainer {

/// Options of static_graph(), in the manual's order.
struct StaticGraphOptions {
  /// In test mode, always runs the code itself.
  bool force_test_define_by_run = false;
  /// Limits unused schedules to 32 MB, dropping the least recently used; false keeps all.
  bool minimize_cache_size = true;
  /// 0: warnings; 1: what is recorded, and why recording is refused; 2: every call.
  int verbosity_level = 0;
  /// Runs the code itself if a gradient is required, so that gradients can have a graph.
  bool enable_double_backprop = false;
};

}  // namespace chainer
