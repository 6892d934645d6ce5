#include "chainer/datasets/download.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "chainer/core/error.h"
#include "chainer/core/file.h"

namespace chainer::dataset {
namespace {

std::filesystem::path& chosen_root() {
  static std::filesystem::path root;
  return root;
}

// One process at a time fills the cache.
class Lock {
 public:
  explicit Lock(const std::filesystem::path& folder)
      : fd_(::open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (fd_ < 0 || ::flock(fd_, LOCK_EX) != 0)
      throw FileError("cannot lock the dataset cache ", folder.string(), ": ", std::strerror(errno));
  }
  Lock(const Lock&) = delete;
  ~Lock() { ::close(fd_); }

 private:
  int fd_;
};

void make_folder(const std::filesystem::path& p) {
  std::error_code error;
  std::filesystem::create_directories(p, error);
  if (error) throw FileError("cannot make the folder ", p.string(), ": ", error.message());
}

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

std::filesystem::path cached_download(const std::string& url, const std::string& mirror_path) {
  const auto folder = cache_folder();
  const auto path = folder / md5(url);
  if (std::filesystem::exists(path)) return path;  // whole once it has its name; the cache may be read-only
  make_folder(folder);
  const Lock lock(folder);
  if (std::filesystem::exists(path)) return path;
  std::string from = url;
  if (const char* mirror = std::getenv("CHAINER_DATASET_MIRROR"); mirror && *mirror && !mirror_path.empty())
    from = std::string(mirror) + "/" + mirror_path;
  if (from.find("://") == from.npos) from = "file://" + from;  // a mirror given as a plain folder
  std::fprintf(stderr, "Downloading from %s...\n", from.c_str());
  const auto temporary = temporary_beside(path);
  try {
    if (from.rfind("file://", 0) == 0)
      write_file(temporary, read_file(from.substr(7)));
    else
      fetch(from, temporary);
    std::filesystem::rename(temporary, path);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
  return path;
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
      const auto temporary = temporary_beside(path);
      try {
        creator(temporary);
        std::filesystem::rename(temporary, path);
      } catch (...) {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
        throw;
      }
    }
  }
  loader(path);
}

std::string md5(std::string_view input) {
  static const auto table = [] {
    std::array<uint32_t, 64> t{};
    for (std::size_t i = 0; i < 64; ++i)
      t[i] = static_cast<uint32_t>(std::floor(std::abs(std::sin(static_cast<double>(i + 1))) * 0x1p32));
    return t;
  }();
  constexpr int shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  std::string s(input);
  const uint64_t bits = uint64_t(s.size()) * 8;
  s += '\x80';
  while (s.size() % 64 != 56) s += '\0';
  for (int i = 0; i < 8; ++i) s += static_cast<char>(bits >> (8 * i) & 0xff);
  uint32_t h[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (std::size_t at = 0; at < s.size(); at += 64) {
    uint32_t m[16], a = h[0], b = h[1], c = h[2], d = h[3];
    for (std::size_t i = 0; i < 16; ++i) std::memcpy(&m[i], s.data() + at + 4 * i, 4);
    for (uint32_t i = 0; i < 64; ++i) {
      const uint32_t round = i / 16;
      const uint32_t f = round == 0   ? (b & c) | (~b & d)
                         : round == 1 ? (d & b) | (~d & c)
                         : round == 2 ? b ^ c ^ d
                                      : c ^ (b | ~d);
      const uint32_t g = round == 0 ? i : round == 1 ? (5 * i + 1) % 16 : round == 2 ? (3 * i + 5) % 16 : (7 * i) % 16;
      const uint32_t sum = a + f + table[i] + m[g];
      a = d;
      d = c;
      c = b;
      b += std::rotl(sum, shifts[round][i % 4]);
    }
    h[0] += a, h[1] += b, h[2] += c, h[3] += d;
  }
  std::string out;
  for (uint32_t v : h)
    for (int i = 0; i < 4; ++i) {
      constexpr char hex[] = "0123456789abcdef";
      out += hex[v >> (8 * i + 4) & 15];
      out += hex[v >> (8 * i) & 15];
    }
  return out;
}

}  // namespace chainer::dataset
