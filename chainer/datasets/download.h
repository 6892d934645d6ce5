// The dataset cache and what fills it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "chainer/datasets/md5.h"

namespace chainer::dataset {

/// $CHAINER_DATASET_ROOT, else $HOME/.chainer/dataset; set_dataset_root() overrides both.
std::filesystem::path get_dataset_root();
void set_dataset_root(const std::filesystem::path& path);
/// A folder below the root, made if wanted.
std::filesystem::path get_dataset_directory(const std::string& name, bool create_directory = true);

/// How many bytes a download may have unless something else is said: 16 GiB.
inline constexpr int64_t kLargestDownload = int64_t(1) << 34;

/// The local path of a download, which is kept as _dl_cache/<md5 of the URL> below the root. Where
/// $CHAINER_DATASET_MIRROR is set and `mirror_path` given, the file comes from there, under the name of the original
/// URL. Addresses may start with http(s):// or file://. Progress goes to standard error. A FileError says why nothing
/// could be had; no half-written file stays. A file of more than `largest` bytes is refused, at the latest when so many
/// have come.
std::filesystem::path cached_download(const std::string& url, const std::string& mirror_path = {},
                                      int64_t largest = kLargestDownload);
/// A file whose content is known.
struct KnownFile {
  std::string url;
  std::string mirror_path;             ///< below $CHAINER_DATASET_MIRROR
  std::string md5;                     ///< of the file as it is downloaded
  int64_t largest = int64_t(1) << 31;  ///< how many bytes may come
};
/// cached_download() of a known file: its checksum is verified, and a file that fails is downloaded once more. An
/// interrupted download goes on where it stopped the next time. FileError when the checksum differs again.
std::filesystem::path known_download(const KnownFile& file);
/// Forgets a cached download, so that a damaged one is fetched again.
void forget_download(const std::string& url);

/// loader(path) if the file exists; else creator(temporary path), which is then moved to `path`, and loader(path).
void cache_or_load_file(const std::filesystem::path& path,
                        const std::function<void(const std::filesystem::path&)>& creator,
                        const std::function<void(const std::filesystem::path&)>& loader);

/// Fetches a URL into a file, with progress on standard error; throws FileError. With `resume`, what the file holds
/// already is kept and only the rest is asked for. One of two sources is built: with libcurl, or without.
void fetch(const std::string& url, const std::filesystem::path& to, bool resume, int64_t largest = kLargestDownload);

}  // namespace chainer::dataset
