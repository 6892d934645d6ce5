// Where the weights of other frameworks' layers go: tables by the class of the link.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "chainer/links/link.h"
#include "chainer/serializers/safetensors.h"

namespace chainer::serializers {

/// One value of a link, and what it is made of.
struct WeightRow {
  std::string path;                  ///< below the link: "W", "upward/W"
  std::vector<std::string> sources;  ///< below the layer's name in the file: "weight", "bias_ih_l0"
  /// The value from the sources; none where the only source is the value.
  std::function<Array(const std::vector<Array>&)> convert = nullptr;
};

/// The rows of a link, which cover everything below it; none for classes without a table.
std::vector<WeightRow> weight_rows(const Link& link, WeightNames from);
/// Whether an array that nothing takes is bookkeeping of the other framework.
bool is_bookkeeping(const std::string& name, WeightNames from);

}  // namespace chainer::serializers
