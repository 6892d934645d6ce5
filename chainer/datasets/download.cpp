// SPDX-License-Identifier: MIT
#include "chainer/datasets/download.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>

#include "chainer/core/error.h"
#include "chainer/core/system/file.h"
#include "chainer/core/system/file_lock.h"
#include "chainer/core/system/file_writer.h"
#include "chainer/datasets/md5.h"

namespace chainer::dataset {
namespace {

std::filesystem::path& chosen_root() {
  static std::filesystem::path root;
  return root;
}

// Lets one process at a time write to a folder of the cache. The same thread may lock a folder repeatedly, because
// making one file may need another one of the same folder.
class Lock {
 public:
  explicit Lock(const std::filesystem::path& folder) : folder_(folder.string()) {
    if (held()[folder_]++ > 0) return;
    try {
      file_.emplace(folder / ".lock", "the dataset cache " + folder_);
    } catch (...) {
      release();
      throw;
    }
  }
  Lock(const Lock&) = delete;
  ~Lock() { release(); }

 private:
  static std::map<std::string, int>& held() {
    // Through a pointer: the Python module has little room for memory of threads.
    thread_local const auto folders = std::make_unique<std::map<std::string, int>>();
    return *folders;
  }
  void release() {
    if (--held()[folder_] == 0) held().erase(folder_);
  }
  std::string folder_;
  std::optional<FileLock> file_;
};

std::filesystem::path cache_folder() { return get_dataset_root() / "_dl_cache"; }

}  // namespace

std::filesystem::path get_dataset_root() {
  if (!chosen_root().empty()) return chosen_root();
  if (const char* root = std::getenv("CHAINER_DATASET_ROOT"); root && *root) return root;
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home ? home : ".") / ".chainer" / "dataset";
}
void set_dataset_root(const std::filesystem::path& path) { chosen_root() = path; }

std::filesystem::path get_dataset_directory(const std::string& name, bool create_directory) {
  const auto path = get_dataset_root() / name;
  if (create_directory) make_folder(path);
  return path;
}

namespace {

std::filesystem::path download(const std::string& url, const std::string& mirror_path, bool resume, int64_t largest) {
  const auto folder = cache_folder();
  const auto path = folder / md5(url);
  if (std::filesystem::exists(path)) return path;  // complete files only get this name; the cache may be read-only
  make_folder(folder);
  const Lock lock(folder);
  if (std::filesystem::exists(path)) return path;
  std::string from = url;
  if (const char* mirror = std::getenv("CHAINER_DATASET_MIRROR"); mirror && *mirror && !mirror_path.empty())
    from = std::string(mirror) + "/" + mirror_path;
  if (from.find("://") == from.npos) from = "file://" + from;  // the mirror is a folder without file://
  std::fprintf(stderr, "Downloading from %s...\n", from.c_str());
  const bool local = from.rfind("file://", 0) == 0;
  // A download that can be continued has a fixed name, so that the next call finds it.
  const auto part = resume && !local ? folder / (path.filename().string() + ".part") : temporary_next_to(path);
  try {
    if (local) {
      write_file(path, read_file(from.substr(7), static_cast<uint64_t>(largest)));
    } else {
      fetch(from, part, resume, largest);
      FileWriter::publish(part, path);
    }
  } catch (const std::exception& e) {
    std::error_code ignored;
    const bool nothing = std::filesystem::file_size(part, ignored) == 0;
    if (!resume || local || nothing) std::filesystem::remove(part, ignored);
    throw FileError("cannot get ", url, ": ", e.what(), "\nThe cache is ", get_dataset_root().string(),
                    " (CHAINER_DATASET_ROOT). Without a network, store the file in a folder of your own as ",
                    mirror_path.empty() ? std::string("its name") : mirror_path,
                    " and set CHAINER_DATASET_MIRROR to that folder.");
  }
  return path;
}

}  // namespace

std::filesystem::path cached_download(const std::string& url, const std::string& mirror_path, int64_t largest) {
  return download(url, mirror_path, false, largest);
}

std::filesystem::path known_download(const KnownFile& file) {
  for (int attempt = 0;; ++attempt) {
    const auto path = download(file.url, file.mirror_path, true, file.largest);
    const std::string found = md5_of_file(path);
    if (found == file.md5) return path;
    forget_download(file.url);  // perhaps damaged on the way, or continued from another version: try again
    if (attempt == 1)
      throw FileError(file.url, " is not the expected file: its checksum (MD5) is ", found, ", not ", file.md5);
  }
}

void forget_download(const std::string& url) {
  std::error_code ignored;
  std::filesystem::remove(cache_folder() / md5(url), ignored);
}

void cache_or_load_file(const std::filesystem::path& path,
                        const std::function<void(const std::filesystem::path&)>& creator,
                        const std::function<void(const std::filesystem::path&)>& loader) {
  if (!std::filesystem::exists(path)) {
    make_folder(path.parent_path());
    const Lock lock(path.parent_path());
    if (!std::filesystem::exists(path)) {
      const auto temporary = temporary_next_to(path);
      const auto remove = [&] {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
      };
      try {
        creator(temporary);
        FileWriter::publish(temporary, path);
      } catch (const FileError& e) {
        remove();
        std::string why = e.what();  // replace the temporary path, which the user does not know
        if (const auto at = why.find(temporary.string()); at != why.npos)
          why.replace(at, temporary.string().size(), path.string());
        throw FileError(why);
      } catch (...) {
        remove();
        throw;
      }
    }
  }
  loader(path);
}

}  // namespace chainer::dataset
