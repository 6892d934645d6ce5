// SPDX-License-Identifier: MIT
// The NPZ files that downloads are converted into, at the paths of the release.
#pragma once
#include <functional>
#include <string>

#include "chainer/serializers/serializers.h"

namespace chainer::dataset {

using ArraysByName = serializers::DictionarySerializer::Target;

/// Returns the arrays of the NPZ file pfnet/chainer/<name> below the dataset root. Creates the file by `create` if it
/// is missing, does not hold every array of `keys`, or `check` throws. If the cache is read-only, returns the result of
/// `create` without storing it.
std::map<std::string, Array> cached_npz(const std::string& name, const std::vector<std::string>& keys,
                                        const std::function<ArraysByName()>& create,
                                        const std::function<void(const std::map<std::string, Array>&)>& check = {});

}  // namespace chainer::dataset
