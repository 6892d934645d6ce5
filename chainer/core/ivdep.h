// The pragma for loops whose iterations do not depend on each other, as each compiler spells it.
#pragma once

#if defined(__clang__)
#define CHAINER_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define CHAINER_IVDEP _Pragma("GCC ivdep")
#endif
