// SPDX-License-Identifier: MIT
// Ctrl-C and --resume for programs with a custom loop. (A Trainer implements both.)
#pragma once
#include <chainer/chainer.h>
#include <chainer/core/system/signals.h>

#include <cstdio>
#include <functional>
#include <string>

#include "options.h"

namespace examples {

/// The first Ctrl-C or SIGTERM ends the loop after its iteration, with a snapshot; the second ends the program at once.
class OwnLoop {
 public:
  /// f(serializer) saves or loads the contents of a snapshot.
  explicit OwnLoop(std::function<void(chainer::Serializer&)> f) : state_{std::move(f)}, signals_(true) {}
  void resume(const std::string& file) {
    if (file.empty()) return;
    chainer::serializers::load_npz(file, state_);
    std::printf("resumed from %s\n", file.c_str());
  }
  /// Must be called after each iteration.
  void end_if_asked(const std::string& out) {
    const int signal = signals_.received();
    if (!signal) return;
    const std::string file = out + "/interrupted.npz";
    chainer::serializers::save_npz(file, state_);
    std::fprintf(stderr, "%s: the run has ended. To resume: --resume %s\n", chainer::signal_name(signal), file.c_str());
    chainer::end_by(signal);
  }

 private:
  struct State {
    std::function<void(chainer::Serializer&)> f;
    void serialize(chainer::Serializer& s) { f(s); }
  };
  State state_;
  chainer::SignalWatch signals_;
};

}  // namespace examples
