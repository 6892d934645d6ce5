// F: evaluation functions, without gradient (manual: "Evaluation functions").
#pragma once
#include <optional>

#include "chainer/autograd/variable.h"

namespace chainer {
namespace functions {

/// Options of accuracy().
struct AccuracyOptions {
  std::optional<int64_t> ignore_label = {};  ///< elements with this label do not count; 0 if none is left
};
/// The share of labels t (N, d1, ...) equal to the argmax of y (N, C, d1, ...) along axis 1.
///   F::accuracy(array({{0.f, 1.f}, {1.f, 0.f}}), array({1, 1}))  // 0.5
inline constexpr struct Accuracy {
  static constexpr std::string_view name = "accuracy";
  Variable operator()(const Variable& y, const Variable& t, const AccuracyOptions& options = {}) const;
} accuracy{};

/// The share of labels t in {0, 1} equal to y >= 0; labels of -1 do not count.
///   F::binary_accuracy(array({0.5f, -1.f}), array({1, 1}))  // 0.5
inline constexpr struct BinaryAccuracy {
  static constexpr std::string_view name = "binary_accuracy";
  Variable operator()(const Variable& y, const Variable& t) const;
} binary_accuracy{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
