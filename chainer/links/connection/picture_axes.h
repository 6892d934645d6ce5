// SPDX-License-Identifier: MIT
// Shared by convolutions and deconvolutions.
#pragma once
#include "chainer/autograd/variable.h"

namespace chainer::links {

/// Throws DimensionError, with the name of the link, unless x has a batch, channels and `ndim` spatial axes.
inline void check_picture_axes(const std::string& link, const Variable& x, int ndim) {
  if (x.ndim() == ndim + 2) return;
  throw DimensionError(link, ": x must have ", ndim + 2, " axes (batch, channels, and ", ndim, " in space), not shape ",
                       x.shape(),
                       x.ndim() == ndim + 1 ? "; a single picture becomes a batch of one by F::expand_dims(x, 0)" : "");
}

}  // namespace chainer::links
