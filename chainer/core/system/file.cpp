// SPDX-License-Identifier: MIT
#include "chainer/core/system/file.h"

#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <vector>

#include "chainer/core/error.h"
#include "chainer/core/system/file_writer.h"
#include "chainer/core/system/input_file.h"
#include "chainer/core/system/process.h"

namespace chainer {
void read_pieces(const std::filesystem::path& path, const std::function<void(std::string_view)>& f) {
  InputFile file(path);
  char buffer[1 << 16];
  while (const std::size_t n = file.read(buffer, sizeof buffer)) f({buffer, n});
}

std::string read_file(const std::filesystem::path& path, uint64_t largest) {
  std::string out;
  std::error_code error;
  if (const auto size = std::filesystem::file_size(path, error); !error) out.reserve(std::min<uint64_t>(size, largest));
  read_pieces(path, [&](std::string_view piece) {
    if (piece.size() > largest - out.size())
      throw FileError("cannot read ", path.string(), ": it has more than ", largest, " bytes");
    out += piece;
  });
  return out;
}

std::string read_file_below(const std::filesystem::path& folder, const std::filesystem::path& below, uint64_t largest) {
  InputFile file(folder, below);
  const auto size = static_cast<uint64_t>(file.size());
  if (size > largest)
    throw FileError("cannot read ", (folder / below).string(), ": it has more than ", largest, " bytes");
  return file.read_at(0, static_cast<std::size_t>(size));
}

bool is_of_another_user(const std::filesystem::path& path) {
  struct stat about {};
  return ::lstat(path.c_str(), &about) == 0 && about.st_uid != ::geteuid();
}

namespace {
std::atomic<int> temporaries{0};  // made by this process so far

// Returns true if the name is that of a temporary file whose writer has ended.
bool is_orphan(std::string_view name) {
  return name.substr(0, 4) == "tmp-" && begins_with_tag_of_ended_process(name.substr(4));
}
}  // namespace

std::filesystem::path temporary_next_to(const std::filesystem::path& path) {
  // File systems allow names of 255 bytes, some of 143. The user's name is cut at a boundary of UTF-8 characters.
  constexpr std::size_t kKept = 96;
  std::string name = path.filename().string();
  if (name.size() > kKept) {
    std::size_t end = kKept;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
    name.resize(end);
  }
  // Unpredictable, so that no other program can create the file first.
  uint64_t random = 0;
  if (::getrandom(&random, sizeof random, GRND_NONBLOCK) < 0) random = reinterpret_cast<std::uintptr_t>(&random);
  char number[17];
  std::snprintf(number, sizeof number, "%016llx", static_cast<unsigned long long>(random));
  return path.parent_path() / text("tmp-", process_tag(), "-", temporaries++, "-", number, "-", name);
}

int remove_orphaned_temporaries(const std::filesystem::path& folder) {
  int removed = 0;
  std::error_code error;
  std::vector<std::filesystem::path> orphans;
  for (const auto& e : std::filesystem::directory_iterator(folder, error))
    if (is_orphan(e.path().filename().string())) orphans.push_back(e.path());
  for (const auto& path : orphans) removed += std::filesystem::remove(path, error);
  return removed;
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  FileWriter file(path);
  file.write(bytes);
  file.commit();
}

void make_folder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw FileError("cannot create the folder ", path.string(), ": ", error.message());
}

}  // namespace chainer
