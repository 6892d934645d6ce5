// Where the library was built without kissfft: an error that says so.
#include "chainer/core/error.h"
#include "chainer/routines/fft.h"

namespace chainer {

Arrays fft(const Array&, const Array&, bool) {
  throw MissingPartError("fft: this build has no kissfft (package libkissfft-dev)");
}

}  // namespace chainer
