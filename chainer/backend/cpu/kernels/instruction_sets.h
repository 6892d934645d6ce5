// SPDX-License-Identifier: MIT
// Declarations of functions that are compiled once per instruction set.
#pragma once

/// Declares FILL(TABLE&) for each instruction set; it fills a table, or a part of it.
#define CHAINER_DECLARE_FILL(FILL, TABLE) \
  namespace baseline {                    \
  void FILL(TABLE& k);                    \
  }                                       \
  namespace avx2 {                        \
  void FILL(TABLE& k);                    \
  }                                       \
  namespace avx512 {                      \
  void FILL(TABLE& k);                    \
  }
