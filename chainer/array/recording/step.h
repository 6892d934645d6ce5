// SPDX-License-Identifier: MIT
// Host loops as steps of a recording: a replay repeats only loops that are declared here.
#pragma once
#include <functional>
#include <span>

#include "chainer/array/array.h"
#include "chainer/array/recording/watch.h"

namespace chainer::recording {

/// Reads the elements of `in` and writes those of `out`. Must not keep arrays or values that it read.
using HostStep = std::function<void(std::span<const Array> in, std::span<Array> out)>;

/// Returns true if this thread records and is not inside of a step.
bool here();
/// Runs f and records it.
void record_step(const char* name, std::span<const Array> in, std::span<Array> out, HostStep f, bool pure);

/// Calls f(in, out), and records it if this thread records. `pure` means that f does nothing but compute `out` from
/// `in`.
template <class F>
void step(const char* name, std::span<const Array> in, std::span<Array> out, F&& f, bool pure = false) {
  if (any() && here()) [[unlikely]]
    return record_step(name, in, out, std::forward<F>(f), pure);
  f(in, out);
}

}  // namespace chainer::recording
