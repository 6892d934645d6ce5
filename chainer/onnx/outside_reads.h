// SPDX-License-Identifier: MIT
// Detects programs that read numbers outside of functions.
#pragma once
#include <optional>
#include <string>

#include "chainer/onnx/trace.h"

namespace chainer::onnx {

/// Runs f on these inputs in test mode. Returns the shape of an array that depends on the inputs and whose elements are
/// read outside of functions (by item(), a loop over raw()), if there is one: a branch may depend on these elements.
/// Detects nothing on devices other than the host.
std::optional<std::string> outside_read(const Computation& f, const Variables& inputs);

}  // namespace chainer::onnx
