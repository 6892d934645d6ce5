// SPDX-License-Identifier: MIT
// Groups of channels as matrices, for decorrelated batch normalization.
#pragma once
#include "chainer/functions/array.h"

namespace chainer::functions {

/// Throws ValueError unless `groups` is positive and divides the channels of x (N, C, ...).
void check_groups(std::string_view name, const Variable& x, int64_t groups);
/// Returns x (N, C, ...) as (groups, C / groups, N * ...).
Variable to_groups(const Variable& x, int64_t groups);
/// Returns the groups in `shape`, that of x.
Variable from_groups(const Variable& rows, const Shape& shape);

}  // namespace chainer::functions
