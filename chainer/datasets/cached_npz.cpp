#include "chainer/datasets/cached_npz.h"

#include "chainer/datasets/download.h"

namespace chainer::dataset {

std::map<std::string, Array> cached_npz(const std::string& name, const std::vector<std::string>& keys,
                                        const std::function<ArraysByName()>& create) {
  const auto path = get_dataset_root() / "pfnet" / "chainer" / name;
  std::map<std::string, Array> out;
  const auto write = [&](const std::filesystem::path& to) { serializers::write_npz(to, create()); };
  const auto read = [&](const std::filesystem::path& from) {
    const serializers::NpzFile file(from);
    for (const std::string& key : keys) out[key] = file.array(key);
  };
  try {
    cache_or_load_file(path, write, read);
  } catch (const Error&) {
    if (!std::filesystem::exists(path)) throw;
    std::filesystem::remove(path);  // a damaged cache is made anew
    cache_or_load_file(path, write, read);
  }
  return out;
}

}  // namespace chainer::dataset
