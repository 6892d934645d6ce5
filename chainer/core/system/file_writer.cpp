// SPDX-License-Identifier: MIT
#include "chainer/core/system/file_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "chainer/core/clock.h"
#include "chainer/core/error.h"
#include "chainer/core/system/file.h"

namespace chainer {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kBuffer = 1 << 16;
constexpr double kWaitForReader = 5;  // seconds

[[noreturn]] void cannot(const char* what, const std::string& path, int why) {
  throw FileError("cannot ", what, " ", path, ": ", std::strerror(why));
}

// Returns true if all data is on the disk, or if the file cannot be synced at all (pipes, some file systems).
bool sync(int fd) {
  int status = 0;
  while ((status = ::fsync(fd)) != 0 && errno == EINTR) {}
  return status == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
}
// Returns true for a folder that may be written to but not read, because it cannot be synced.
bool sync_folder(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno == EACCES || errno == EPERM;
  const bool done = sync(fd);
  const int why = errno;
  ::close(fd);
  errno = why;
  return done;
}

// Follows all symbolic links to the file's own name; the file need not exist. Returns an empty path for links of /proc
// such as /dev/stdout, which refer to open files without a name.
fs::path behind_links(fs::path path) {
  for (int hops = 0; hops < 40; ++hops) {
    std::error_code error;
    const fs::path link = fs::read_symlink(path, error);
    if (error) return path;
    const std::string folder = fs::weakly_canonical(path.parent_path(), error).string();
    if (folder.starts_with("/proc/")) return {};
    path = path.parent_path() / link;
  }
  errno = ELOOP;
  return {};
}

}  // namespace

FileWriter::FileWriter(const fs::path& path, Mode mode) : path_(path.string()) {
  struct ::stat old {};
  const bool is_there = ::stat(path.c_str(), &old) == 0;
  if (!is_there && errno != ENOENT) cannot("write", path_, errno);
  if (is_there && S_ISDIR(old.st_mode)) cannot("write", path_, EISDIR);
  target_ = behind_links(path);
  if (mode == Mode::append || target_.empty() || (is_there && !S_ISREG(old.st_mode))) {
    if (is_there && S_ISFIFO(old.st_mode)) {
      open_pipe();
      return;
    }
    fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | (mode == Mode::append ? O_APPEND | O_CREAT : 0), 0666);
    if (fd_ < 0) cannot("write", path_, errno);
    return;
  }
  for (int attempt = 0; fd_ < 0 && attempt < 8; ++attempt) {
    temporary_ = temporary_next_to(target_);
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ < 0) {
    temporary_.clear();
    cannot("write", path_, errno);
  }
  if (is_there) {  // best effort: the same users can read the new file as the old one
    if (old.st_uid != ::geteuid() || old.st_gid != ::getegid()) (void)!::fchown(fd_, old.st_uid, old.st_gid);
    (void)::fchmod(fd_, old.st_mode & 07777);
  }
}

// Opening without O_NONBLOCK would wait forever for a reader.
void FileWriter::open_pipe() {
  const double end = now() + kWaitForReader;
  while ((fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK)) < 0) {
    if (errno != ENXIO) cannot("write", path_, errno);
    if (now() > end) throw FileError("cannot write ", path_, ": it is a pipe that no process reads");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ::fcntl(fd_, F_SETFL, ::fcntl(fd_, F_GETFL) & ~O_NONBLOCK);
}

FileWriter::FileWriter(FileWriter&& o) noexcept
    : path_(std::move(o.path_)),
      target_(std::move(o.target_)),
      temporary_(std::exchange(o.temporary_, {})),
      buffer_(std::exchange(o.buffer_, {})),
      fd_(std::exchange(o.fd_, -1)) {}
FileWriter& FileWriter::operator=(FileWriter&& o) noexcept {
  if (this == &o) return *this;
  abandon();
  path_ = std::move(o.path_), target_ = std::move(o.target_);
  temporary_ = std::exchange(o.temporary_, {});
  buffer_ = std::exchange(o.buffer_, {});
  fd_ = std::exchange(o.fd_, -1);
  return *this;
}

void FileWriter::abandon() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
  buffer_.clear();
}
void FileWriter::fail(const char* what, int why) {
  abandon();
  cannot(what, path_, why);
}

void FileWriter::write(std::string_view bytes) {
  if (fd_ < 0) throw RuntimeError("FileWriter: ", path_, " has been finished already");
  if (buffer_.size() + bytes.size() >= kBuffer) flush();
  if (bytes.size() >= kBuffer)
    put(bytes);
  else
    buffer_ += bytes;
}
void FileWriter::flush() {
  put(buffer_);
  buffer_.clear();
}

void FileWriter::put(std::string_view bytes) {
  for (std::string_view left = bytes; !left.empty();) {
    const ssize_t n = ::write(fd_, left.data(), left.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int why = n < 0 ? errno : ENOSPC;
      // Truncates an appended file to its old length.
      const auto done = static_cast<off_t>(bytes.size() - left.size());
      struct ::stat now {};
      if (temporary_.empty() && done > 0 && ::fstat(fd_, &now) == 0 && S_ISREG(now.st_mode) && now.st_size >= done)
        (void)!::ftruncate(fd_, now.st_size - done);
      fail("write", why);
    }
    left.remove_prefix(static_cast<std::size_t>(n));
  }
}

void FileWriter::finish() {
  if (fd_ < 0) return;
  flush();
  // The new name must not reach the disk before the bytes do.
  if (!sync(fd_)) fail("write", errno);
  if (::close(std::exchange(fd_, -1)) != 0 && errno != EINTR) fail("write", errno);
}

void FileWriter::commit() { commit_all({this}); }

void FileWriter::commit_all(std::initializer_list<FileWriter*> files) {
  for (FileWriter* f : files) {
    if (f->fd_ < 0) throw RuntimeError("FileWriter: ", f->path_, " has been finished already");
    f->finish();
  }
  struct Renamed {
    FileWriter* file;
    fs::path old;  // another name of the old file
    bool is_new;   // no old file existed
  };
  std::vector<Renamed> renamed;
  for (FileWriter* f : files) {
    if (f->temporary_.empty()) continue;
    fs::path old;
    bool is_new = false;
    if (files.size() > 1) {
      old = temporary_next_to(f->target_);
      if (::link(f->target_.c_str(), old.c_str()) != 0) {
        is_new = errno == ENOENT;
        old.clear();
      }
    }
    if (::rename(f->temporary_.c_str(), f->target_.c_str()) != 0) {
      const int why = errno;
      if (!old.empty()) ::unlink(old.c_str());
      for (; !renamed.empty(); renamed.pop_back()) {
        const Renamed& r = renamed.back();
        if (r.is_new) ::unlink(r.file->target_.c_str());
        if (!r.old.empty()) (void)::rename(r.old.c_str(), r.file->target_.c_str());
      }
      for (FileWriter* g : files) g->abandon();
      cannot("replace", f->path_, why);
    }
    renamed.push_back({f, old, is_new});
  }
  for (const Renamed& r : renamed) {
    r.file->temporary_.clear();
    if (!r.old.empty()) ::unlink(r.old.c_str());
  }
  for (const Renamed& r : renamed)
    if (!sync_folder(r.file->target_)) cannot("sync the folder of", r.file->path_, errno);
}

void FileWriter::publish(const fs::path& finished, const fs::path& path) {
  const int fd = ::open(finished.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) cannot("read", finished.string(), errno);
  const bool done = sync(fd);
  const int why = errno;
  ::close(fd);
  if (!done) cannot("write", path.string(), why);
  if (::rename(finished.c_str(), path.c_str()) != 0) cannot("replace", path.string(), errno);
  if (!sync_folder(path)) cannot("sync the folder of", path.string(), errno);
}

}  // namespace chainer
