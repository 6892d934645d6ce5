// SPDX-License-Identifier: MIT
// Conversion of weights of other frameworks' layers: tables by the class of the link.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "chainer/links/link.h"
#include "chainer/serializers/safetensors.h"

namespace chainer::serializers {

/// One value of a link, and its sources.
struct WeightRow {
  std::string path;                  ///< the path below the link: "W", "upward/W"
  std::vector<std::string> sources;  ///< names below the name of the layer in the file: "weight", "bias_ih_l0"
  /// Computes the value from the sources; none if the value is the only source.
  std::function<Array(const std::vector<Array>&)> convert = nullptr;
};

/// A layer for which there are tables. Recurrent layers of n steps have children 0, 1, ..., one for each layer and
/// direction, each with `gates` matrices of the input and of the state.
struct WeightLayer {
  enum class Kind {
    none,
    linear,
    convolution,
    deconvolution,
    embedding,
    normalization,
    batch_normalization,
    lstm,
    n_step
  };
  Kind kind = Kind::none;
  int64_t layers = 1, children = 0, gates = 0;
};
/// A link of another language, which says what it is.
class ForeignLayer {
 public:
  virtual ~ForeignLayer() = default;
  virtual WeightLayer weight_layer() const = 0;
};

/// Returns the rows of a link, which cover all values below it; none for classes without a table.
std::vector<WeightRow> weight_rows(const Link& link, WeightNames from);
/// Returns true if an unused array is bookkeeping of the other framework.
bool is_bookkeeping(const std::string& name, WeightNames from);

}  // namespace chainer::serializers
