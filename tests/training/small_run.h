// SPDX-License-Identifier: MIT
// Shared by the tests of training: a folder for files, a small model and its data.
#pragma once
#include <chainer/chainer.h>

#include <filesystem>
#include <string>

#include "folder.h"
#include "mlp.h"

using namespace chainer;
using namespace chainer::training;
namespace fs = std::filesystem;

using test::folder;
inline std::string out(const std::string& name) { return (folder / name).string(); }

// Inputs of 784 numbers, with labels computed by a random matrix.
inline AnyDataset teacher_data(int64_t n) {
  random::RandomState r(7);
  Array x = r.rand({n, 784}, float32);
  x = where(x < 0.2, x * 5, zeros({}));
  return datasets::TupleDataset(x, argmax(matmul(x.astype(float64) - 0.1, r.randn({784, 10})), 1).astype(int32));
}
