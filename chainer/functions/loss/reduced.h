// What losses with a choice of reduction share.
#pragma once
#include <initializer_list>

#include "chainer/functions/loss.h"

namespace chainer::functions {

/// The losses of a batch as `reduce` says; ValueError for a reduction that is not in `valid`.
Variable reduced(const Variable& loss, Reduction reduce, std::string_view name, std::initializer_list<Reduction> valid);

}  // namespace chainer::functions
