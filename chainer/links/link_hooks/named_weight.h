// SPDX-License-Identifier: MIT
// The weight that a hook is for.
#pragma once
#include <string>

#include "chainer/links/link.h"

namespace chainer::link_hooks {

/// Returns a link's parameter. Throws ValueError, which names the operation, unless there is an initialized one of this
/// name with two axes or more.
const Parameter& named_weight(const char* operation, Link& link, const std::string& name);
/// Returns 1 for deconvolutions, whose weight has output channels on axis 1, else 0.
int output_axis(const Link& link);
/// Returns a weight as a matrix whose rows are output channels.
Variable as_rows(const Variable& w, int axis);

}  // namespace chainer::link_hooks
