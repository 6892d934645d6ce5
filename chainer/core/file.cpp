#include "chainer/core/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "chainer/core/error.h"

namespace chainer {
namespace {

std::string reason() { return std::strerror(errno); }

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) throw FileError("cannot read ", path.string(), ": ", reason());
  std::string out;
  std::error_code error;
  if (const auto size = std::filesystem::file_size(path, error); !error) out.reserve(size);
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(file.fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw FileError("cannot read ", path.string(), ": ", reason());
    if (n == 0) return out;
    out.append(buffer, static_cast<std::size_t>(n));
  }
}

namespace {
std::atomic<int> temporaries{0};  // made by this process so far

// Whether a name is a temporary file's whose writer has ended.
bool is_orphan(std::string_view name) {
  if (name.substr(0, 4) != "tmp-") return false;
  const char *at = name.data() + 4, *end = name.data() + name.size();
  int process = 0, number = 0;
  auto r = std::from_chars(at, end, process);
  if (r.ec != std::errc() || process <= 0 || r.ptr == end || *r.ptr != '-') return false;
  r = std::from_chars(r.ptr + 1, end, number);
  if (r.ec != std::errc() || r.ptr == end || *r.ptr != '-') return false;
  // A process number comes again: one of our own number that we did not make is a predecessor's.
  if (process == ::getpid()) return number >= temporaries;
  return ::kill(process, 0) != 0 && errno == ESRCH;
}
}  // namespace

std::filesystem::path temporary_beside(const std::filesystem::path& path) {
  return path.parent_path() / text("tmp-", ::getpid(), "-", temporaries++, "-", path.filename().string());
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
  const std::filesystem::path temporary = temporary_beside(path);
  const auto fail = [&](const char* what) {
    const std::string why = reason();
    ::unlink(temporary.c_str());
    throw FileError("cannot ", what, " ", path.string(), ": ", why);
  };
  {
    Descriptor file{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    if (file.fd < 0) fail("write");
    while (!bytes.empty()) {
      const ssize_t n = ::write(file.fd, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail("write");
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    // The new name must not reach the disk before the bytes do; file systems that cannot promise it are left be.
    if (::fsync(file.fd) != 0 && errno != EINVAL && errno != EROFS) fail("write");
    const int fd = std::exchange(file.fd, -1);
    if (::close(fd) != 0) fail("write");
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) fail("replace");
}

}  // namespace chainer
