// SPDX-License-Identifier: MIT
// The dataset cache and downloads to it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "chainer/datasets/md5.h"

namespace chainer::dataset {

/// Returns the path of set_dataset_root(), else $CHAINER_DATASET_ROOT, else $HOME/.chainer/dataset.
std::filesystem::path get_dataset_root();
void set_dataset_root(const std::filesystem::path& path);
/// Returns a folder below the root; creates it with `create_directory`.
std::filesystem::path get_dataset_directory(const std::string& name, bool create_directory = true);

/// The default limit of the size of a download: 16 GiB.
inline constexpr int64_t kLargestDownload = int64_t(1) << 34;

/// Downloads a file, unless cached, and returns its path, _dl_cache/<md5 of the URL> below the root. If
/// $CHAINER_DATASET_MIRROR is set and `mirror_path` given, downloads from the mirror, still cached under the original
/// URL. URLs start with http(s):// or file://. Prints progress to standard error. Throws FileError, leaving no partial
/// file, if the download fails or has more than `largest` bytes.
std::filesystem::path cached_download(const std::string& url, const std::string& mirror_path = {},
                                      int64_t largest = kLargestDownload);
/// A file with a known checksum.
struct KnownFile {
  std::string url;
  std::string mirror_path;             ///< below $CHAINER_DATASET_MIRROR
  std::string md5;                     ///< MD5 of the downloaded file
  int64_t largest = int64_t(1) << 31;  ///< limit of the size in bytes
};
/// cached_download() that verifies the checksum and downloads a file that fails once more. An interrupted download is
/// resumed the next time. Throws FileError as cached_download(), and if the checksum differs again.
std::filesystem::path known_download(const KnownFile& file);
/// Removes a cached download, so that a damaged one is downloaded again.
void forget_download(const std::string& url);

/// Calls loader(path). If the file does not exist, first calls creator(temporary path) and moves the result to `path`.
void cache_or_load_file(const std::filesystem::path& path,
                        const std::function<void(const std::filesystem::path&)>& creator,
                        const std::function<void(const std::filesystem::path&)>& loader);

/// Downloads a URL to a file, with progress on standard error. With `resume`, keeps the content of the file and
/// requests the rest only. Throws FileError if the download fails, has more than `largest` bytes, or this build has no
/// libcurl.
void fetch(const std::string& url, const std::filesystem::path& to, bool resume, int64_t largest = kLargestDownload);

}  // namespace chainer::dataset
