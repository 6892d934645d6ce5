// SPDX-License-Identifier: MIT
#include "chainer/datasets/cached_npz.h"

#include "chainer/datasets/download.h"

namespace chainer::dataset {

std::map<std::string, Array> cached_npz(const std::string& name, const std::vector<std::string>& keys,
                                        const std::function<ArraysByName()>& create,
                                        const std::function<void(const std::map<std::string, Array>&)>& check) {
  const auto path = get_dataset_root() / "pfnet" / "chainer" / name;
  std::map<std::string, Array> out;
  bool tried = false, made = false;
  const auto make = [&] {
    tried = true;
    const ArraysByName arrays = create();
    for (const std::string& key : keys) out[key] = std::get<Array>(arrays.at(key));
    made = true;
    return arrays;
  };
  const auto write = [&](const std::filesystem::path& to) { serializers::write_npz(to, make()); };
  const auto read = [&](const std::filesystem::path& from) {
    const serializers::NpzFile file(from);
    for (const std::string& key : keys) out[key] = file.array(key);
    if (check) check(out);
  };
  const auto from_cache = [&] {
    try {
      cache_or_load_file(path, write, read);
      return true;
    } catch (const Error& e) {
      if (tried && !made) throw;
      if (made) warn(text("the dataset cache cannot be written: ", e.what()));
      return made;
    }
  };
  if (from_cache()) return out;
  // Either the cached file is damaged and is made again, or the cache is read-only and only its downloads are used.
  std::error_code ignored;
  if (!std::filesystem::remove(path, ignored) || !from_cache()) (void)make();
  return out;
}

}  // namespace chainer::dataset
