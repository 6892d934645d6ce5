// How a static graph is made.
#pragma once

namespace chainer {

/// Options of static_graph(), in the manual's order.
struct StaticGraphOptions {
  /// In test mode the code itself runs every time.
  bool force_test_define_by_run = false;
  /// Schedules go when config().train changes, and few are kept for other shapes.
  bool minimize_cache_size = true;
  /// 0: warnings; 1: what is recorded, and why something cannot be; 2: every call.
  int verbosity_level = 0;
  /// The code itself runs wherever a gradient is wanted, so that gradients can have a graph of their own.
  bool enable_double_backprop = false;
};

}  // namespace chainer
