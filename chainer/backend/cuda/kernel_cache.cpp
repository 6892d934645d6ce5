// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/kernel_cache.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "chainer/core/error.h"
#include "chainer/core/system/file.h"

namespace chainer::cuda {
namespace {

constexpr uint64_t kLargest = 64 << 20;  // of a file, in bytes

// Returns nothing if the variable is empty, or if there is no home folder.
std::optional<std::filesystem::path> folder_of_kernels() {
  if (const char* chosen = std::getenv("CHAINER_KERNEL_CACHE"))
    return *chosen ? std::optional<std::filesystem::path>(chosen) : std::nullopt;
  const char* home = std::getenv("HOME");
  if (!home || !*home) return {};
  return std::filesystem::path(home) / ".chainer" / "kernels";
}

std::optional<std::filesystem::path> path_of(std::string_view key) {
  auto folder = folder_of_kernels();
  if (folder) *folder /= digest_text(key) + ".kernel";
  return folder;
}
// A file has the digest of the rest, the key, a zero byte, and the image.
std::string content(std::string_view key, std::string_view image) {
  std::string rest(key);
  rest += '\0';
  rest += image;
  return digest_text(rest) + rest;
}

}  // namespace

std::optional<std::string> read_kept_kernel(std::string_view key) {
  const auto path = path_of(key);
  std::error_code none;
  if (!path || !std::filesystem::exists(*path, none) || is_of_another_user(*path)) return {};
  try {
    const std::string all = read_file(*path, kLargest);
    const std::size_t begin = content(key, {}).size();
    if (all.size() <= begin) return {};
    std::string image = all.substr(begin);
    return all == content(key, image) ? std::optional(std::move(image)) : std::nullopt;
  } catch (const FileError&) { return {}; }
}

void keep_kernel(std::string_view key, std::string_view image) {
  try {
    if (const auto path = path_of(key)) {
      make_folder(path->parent_path());
      write_file(*path, content(key, image));
    }
  } catch (const FileError&) {}  // only costs time later
}

std::string digest_text(std::string_view text) {
  uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  std::string out;
  for (int k = 0; k < 16; ++k, h <<= 4) out += "0123456789abcdef"[h >> 60];
  return out;
}

}  // namespace chainer::cuda
