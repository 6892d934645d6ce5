// SPDX-License-Identifier: MIT
#include "chainer/training/extensions/missing_keys.h"

#include "chainer/training/extensions.h"

namespace chainer::training::extensions {

void warn_of_missing_keys(const std::string& extension, const std::vector<std::string>& wanted,
                          const std::set<std::string>& reported) {
  const std::vector<std::string> keys(reported.begin(), reported.end());
  std::string list;
  for (const std::string& k : keys) list += (list.empty() ? "" : ", ") + k;
  for (const std::string& k : wanted)
    if (!reported.count(k))
      warn(text(extension, ": '", k, "' has not been reported yet", did_you_mean(k, keys),
                "; available: ", list.empty() ? "none" : list));
}

}  // namespace chainer::training::extensions
