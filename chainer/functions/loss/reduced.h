// SPDX-License-Identifier: MIT
// Shared by losses with a choice of reduction.
#pragma once
#include <initializer_list>

#include "chainer/functions/loss.h"

namespace chainer::functions {

/// Reduces the losses of a batch. Throws ValueError for a reduction that is not in `valid`.
Variable reduced(const Variable& loss, Reduction reduce, std::string_view name, std::initializer_list<Reduction> valid);
/// ValueError unless `reduce` is mean, sum or no.
void check_plain_reduction(Reduction reduce, std::string_view name);

}  // namespace chainer::functions
