// SPDX-License-Identifier: MIT
// The pragma for loops without dependences between iterations, in each compiler's spelling.
#pragma once

#if defined(__clang__)
#define CHAINER_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define CHAINER_IVDEP _Pragma("GCC ivdep")
#endif
