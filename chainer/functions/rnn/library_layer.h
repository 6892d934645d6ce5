// SPDX-License-Identifier: MIT
// One recurrent layer in one direction by the library of a device, with its gradients.
#pragma once
#include <optional>
#include <span>

#include "chainer/array/backend.h"
#include "chainer/array/operations/recurrent_layer.h"

namespace chainer::functions {

/// What forward keeps for the gradients. Arrays of any floating dtype are computed in the layer's dtype.
class LibraryLayer {
 public:
  /// Computes a layer whose sizes may end in zeros, for the items x, the first states h and c (for LSTMs), which may
  /// have more rows than sizes[0], and the parameters as in RecurrentSpaces. Sets `out` to y, the last h, and the last
  /// c, in the layer's dtype. Returns nothing if the device has no library for the layer, or no memory for it.
  static std::optional<LibraryLayer> apply(RecurrentLayer layer, const Array& x, const Array& h, const Array& c,
                                           std::span<const Array> parameters, Arrays& out);

  struct Gradients {
    Array x, h, c;
    Arrays parameters;  ///< empty if not wanted
  };
  /// Returns the gradients for those of the outputs, of which that of y may be empty, after apply() of a layer that
  /// trains. May be called again. Returns nothing if the device has no memory for them.
  std::optional<Gradients> gradients(const Array& gy, const Array& gh, const Array& gc, bool of_parameters) const;

 private:
  Arrays parts_of(const Array& weights) const;

  RecurrentLayer layer_;
  RecurrentSpaces spaces_;
  std::vector<Shape> shapes_;  // of the parameters
  Array x_, weights_, h_, c_, y_, kept_;
};

}  // namespace chainer::functions
