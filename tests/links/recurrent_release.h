// Inputs and results of recurrent links in the reference release.
#pragma once
#include <chainer/chainer.h>

#include "test.h"

inline const chainer::serializers::NpzFile& release() {
  static const chainer::serializers::NpzFile f(TEST_DATA "../conformance/recurrent.npz");
  return f;
}
