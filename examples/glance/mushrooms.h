// SPDX-License-Identifier: MIT
// The mushroom data set as arrays.
#pragma once
#include <string>
#include <utility>

#include "chainer/array/array.h"

/// Reads the file's columns of letters: each value is converted to its index among the column's sorted values. The
/// first column is the label (0 edible, 1 poisonous): x is float32 (n, 22), y int32 (n, 1). Throws a FileError for a
/// file in another format.
std::pair<chainer::Array, chainer::Array> load_mushrooms(const std::string& path);
