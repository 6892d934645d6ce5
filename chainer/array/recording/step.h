// Work on the host as a step of a recording: what loops do with elements is repeated in a replay only if it is said
// here.
#pragma once
#include <functional>
#include <span>

#include "chainer/array/array.h"
#include "chainer/array/recording/watch.h"

namespace chainer::recording {

/// Reads the elements of `in` and writes those of `out`; it keeps no arrays and no values that it found in them.
using HostStep = std::function<void(std::span<const Array> in, std::span<Array> out)>;

/// Whether this thread records, and is not inside of a step.
bool here();
/// Runs f and records it.
void record_step(const char* name, std::span<const Array> in, std::span<Array> out, HostStep f, bool pure);

/// f(in, out), and a step of the recording if this thread records. A step is `pure` that does nothing but compute `out`
/// from `in`.
template <class F>
void step(const char* name, std::span<const Array> in, std::span<Array> out, F&& f, bool pure = false) {
  if (any() && here()) [[unlikely]]
    return record_step(name, in, out, std::forward<F>(f), pure);
  f(in, out);
}

}  // namespace chainer::recording
