// F: noise injections (manual: "Noise injections").
#pragma once
#include "chainer/autograd/variable.h"

namespace chainer {
namespace functions {

/// Options of dropout().
struct DropoutOptions {
  Array mask = {};               ///< use this mask (of factors) instead of drawing one
  Array* return_mask = nullptr;  ///< where to put the mask that was used
};
/// In training: each element is zero with probability `ratio`, else divided by 1 - ratio. In test mode: x.
/// Hinton et al., arXiv:1207.0580.
///   F::dropout(array({1.f, 2.f}), 0.5)
inline constexpr struct Dropout {
  static constexpr std::string_view name = "dropout";
  Variable operator()(const Variable& x, double ratio = 0.5, const DropoutOptions& options = {}) const;
} dropout{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
