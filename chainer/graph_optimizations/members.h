// The arrays and numbers of links that a schedule reads anew at each call.
#pragma once
#include <string>
#include <vector>

#include "chainer/links/link.h"

namespace chainer::static_graphs {

/// What a walk over the members of links found.
struct Members {
  std::vector<Parameter> parameters;
  std::vector<Array*> arrays;   ///< persistent ones
  std::vector<double> numbers;  ///< persistent numbers and texts, as far as it takes to see that one changed
  bool complete = true;         ///< every parameter and array is there

  static Members of(const std::vector<Link*>& links);
  /// The array of each: parameters, then persistent arrays.
  Arrays all() const;
};

/// Whether a link of these, or one inside, has hooks of its own.
bool have_hooks(const std::vector<Link*>& links);

}  // namespace chainer::static_graphs
