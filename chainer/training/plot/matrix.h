// Matrices as pictures: a cell an element, darker for larger shares of its row, with the number in it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "chainer/array/array.h"

namespace chainer::plot {

/// A matrix of counts, with names of its rows and columns (numbers where none are given).
struct Matrix {
  Array counts;  ///< (C, C), none negative
  std::vector<std::string> labels = {};
  std::string title = "confusion matrix", ylabel = "true label", xlabel = "predicted label";
};
/// Draws into a file, through a temporary one: SVG if the name ends in .svg, else PNG. RuntimeError without a drawing
/// library, DimensionError for what is no square matrix or has another number of names.
void save(const Matrix& matrix, const std::filesystem::path& file);

}  // namespace chainer::plot
