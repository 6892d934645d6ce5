// SPDX-License-Identifier: MIT
// The processor's treatment of denormal numbers in this thread; one source file per processor.
#pragma once

namespace chainer::cpu {

/// The bits of the floating-point mode that flush denormal operands and results to zero; 0 if there are none.
extern const unsigned long kFlushDenormals;
/// Returns the bits of kFlushDenormals that are set in this thread.
unsigned long float_mode();
void set_float_mode(unsigned long mode);
/// Tells the processor that this thread is spinning.
void pause();

}  // namespace chainer::cpu
