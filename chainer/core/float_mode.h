// What this thread's processor does with denormal numbers: a source per processor.
#pragma once

namespace chainer::cpu {

/// The bits of the processor's mode that flush denormal operands and results to zero; 0 where it has none.
extern const unsigned long kFlushDenormals;
/// Those of them that are set in this thread.
unsigned long float_mode();
void set_float_mode(unsigned long mode);
/// Tells the processor that this thread waits in a loop.
void pause();

}  // namespace chainer::cpu
