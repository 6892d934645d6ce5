// The backends beside the host's, each defined in its folder.
#pragma once
#include "chainer/array/backend.h"

namespace chainer {

/// "@reference": plain loops, memory that the host cannot reach (backend/reference).
Backend& reference_backend();

}  // namespace chainer
