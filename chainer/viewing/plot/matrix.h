// SPDX-License-Identifier: MIT
// Matrices as pictures: one cell per element with its number, darker for larger shares of its row.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "chainer/array/array.h"

namespace chainer::plot {

/// A matrix of counts, with names of its rows and columns (numbers by default).
struct Matrix {
  Array counts;  ///< (C, C), not negative
  std::vector<std::string> labels = {};
  std::string title = "confusion matrix", ylabel = "true label", xlabel = "predicted label";
};
/// Draws to a file, through a temporary file: SVG if the name ends in .svg, else PNG. Throws RuntimeError for PNG
/// without a drawing library, DimensionError unless the matrix is square with as many names.
void save(const Matrix& matrix, const std::filesystem::path& file);

}  // namespace chainer::plot
