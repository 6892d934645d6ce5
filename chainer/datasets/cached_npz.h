// The NPZ files that downloads are converted into, in the release's places.
#pragma once
#include <functional>
#include <string>

#include "chainer/serializers/serializers.h"

namespace chainer::dataset {

using ArraysByName = serializers::DictionarySerializer::Target;

/// The NPZ file pfnet/chainer/<name> below the dataset root: made by `create` where it is missing, and once more where
/// what is there does not hold every array of `keys`, or `check` throws. Where the cache is read-only, what `create`
/// gives is returned and not stored.
std::map<std::string, Array> cached_npz(const std::string& name, const std::vector<std::string>& keys,
                                        const std::function<ArraysByName()>& create,
                                        const std::function<void(const std::map<std::string, Array>&)>& check = {});

}  // namespace chainer::dataset
