// SPDX-License-Identifier: MIT
// The arrays and numbers of links that a schedule reads at each call.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "chainer/links/link.h"

namespace chainer::static_graphs {

/// The members of links.
struct Members {
  std::vector<Parameter> parameters;
  std::vector<Array*> arrays;   ///< persistent arrays
  std::vector<double> numbers;  ///< persistent numbers, and hashes of persistent strings, to detect changes
  bool complete = true;         ///< true if every parameter and array is initialized
  std::vector<Link*> links;     ///< the links and all links inside
  std::vector<std::pair<const void*, std::size_t>> places;  ///< memory of parameters and persistent values, on request

  static Members of(const std::vector<Link*>& links, bool with_places = false);
  /// Returns the arrays of the parameters, then the persistent arrays.
  Arrays all() const;
};

/// Returns true if one of the links has hooks of its own.
bool have_hooks(const Members& members);

}  // namespace chainer::static_graphs
