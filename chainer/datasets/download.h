// The dataset cache and what fills it.
#pragma once
#include <filesystem>
#include <functional>
#include <string>

namespace chainer::dataset {

/// $CHAINER_DATASET_ROOT, else $HOME/.chainer/dataset; set_dataset_root() overrides both.
std::filesystem::path get_dataset_root();
void set_dataset_root(const std::filesystem::path& path);
/// A folder below the root, made if wanted.
std::filesystem::path get_dataset_directory(const std::string& name, bool create_directory = true);

/// The local path of a download, which is kept as _dl_cache/<md5 of the URL> below the root. Where
/// $CHAINER_DATASET_MIRROR is set and `mirror_path` given, the file comes from there, under the name of the original
/// URL. Addresses may start with http(s):// or file://. Progress goes to standard error. A FileError says why nothing
/// could be had; no half-written file stays.
std::filesystem::path cached_download(const std::string& url, const std::string& mirror_path = {});
/// Forgets a cached download, so that a damaged one is fetched again.
void forget_download(const std::string& url);

/// loader(path) if the file exists; else creator(temporary path), which is then moved to `path`, and loader(path).
void cache_or_load_file(const std::filesystem::path& path,
                        const std::function<void(const std::filesystem::path&)>& creator,
                        const std::function<void(const std::filesystem::path&)>& loader);

/// The hexadecimal MD5 of some bytes (RFC 1321).
std::string md5(std::string_view bytes);

/// Fetches a URL into a file; throws FileError. One of two sources is built: with libcurl, or without.
void fetch(const std::string& url, const std::filesystem::path& to);

}  // namespace chainer::dataset
