// SPDX-License-Identifier: MIT
// Defines the system calls, so that the dynamic linker resolves them here: for the library and the libraries that it
// uses (cairo, libhdf5, libpng, libcurl, the C++ library), but not for calls inside of the C library (fopen), which no
// writer of the library uses for this reason.
#include "faults.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

namespace faults {
namespace {

struct State {
  std::string folder;
  int at = -1;
  Fault fault;
  std::vector<Call> calls;
  std::map<int, bool> open;  // descriptors of files below the folder -> is writable
  int full = 0;              // errno of all following writes
};
thread_local State* state = nullptr;

bool is_below(const char* path) {
  return state && std::string_view(path).substr(0, state->folder.size()) == state->folder;
}
bool is_open(int fd) { return state && state->open.count(fd) != 0; }

// Returns the fault for this call.
Fault meet(const char* name, bool writes = false) {
  State* const s = std::exchange(state, nullptr);  // following calls of this test are not counted
  const bool now = static_cast<int>(s->calls.size()) == s->at;
  s->calls.push_back({name, writes});
  state = s;
  if (!now) return {};
  if (s->fault.kind == Fault::slow) ::usleep(300);
  return s->fault;
}
bool fails(const Fault& f) {
  if (f.kind == Fault::error) errno = f.number;
  if (f.kind == Fault::interrupted) errno = EINTR;
  return f.kind == Fault::error || f.kind == Fault::interrupted;
}

}  // namespace

std::vector<Call> run(const std::filesystem::path& folder, int at, Fault fault, const std::function<void()>& f) {
  State s;
  s.folder = folder.string();
  s.at = at;
  s.fault = fault;
  struct End {
    ~End() { state = nullptr; }
  } end;
  state = &s;
  f();
  state = nullptr;
  return std::move(s.calls);
}

std::vector<Fault> of(const Call& c) {
  const auto error = [](int n) { return Fault{Fault::error, n}; };
  const Fault interrupted{Fault::interrupted}, slow{Fault::slow};
  if (c.name == "open" && c.writes) return {error(EACCES), error(ENOSPC), error(EMFILE), slow};
  if (c.name == "open") return {error(EACCES), error(EMFILE), slow};
  if (c.name == "write")
    return {error(ENOSPC), error(EIO), interrupted, {Fault::partial}, {Fault::partial, ENOSPC}, slow};
  if (c.name == "read") return {error(EIO), interrupted, {Fault::partial}, slow};
  if (c.name.starts_with("fsync")) return {error(EIO), error(ENOSPC), interrupted};
  if (c.name == "close") return {error(EIO), error(ENOSPC), error(EDQUOT)};
  if (c.name == "rename") return {error(EACCES), error(ENOSPC), error(EXDEV)};
  if (c.name == "link") return {error(EPERM), error(EMLINK)};
  if (c.name == "mkdir") return {error(EACCES), error(ENOSPC)};
  if (c.name == "mmap") return {error(ENOMEM)};
  if (c.name == "fstat") return {error(EIO)};
  return {};
}

std::string describe(const Call& c, const Fault& f) {
  switch (f.kind) {
    case Fault::error: return c.name + " fails: " + std::strerror(f.number);
    case Fault::interrupted: return c.name + " is interrupted";
    case Fault::partial: return c.name + (f.number ? " does a part, then the disk is full" : " does a part");
    case Fault::slow: return c.name + " takes its time";
    default: return c.name;
  }
}

}  // namespace faults

namespace {
using namespace faults;

int open_at(int folder, const char* path, int flags, mode_t mode) {
  if (!is_below(path)) return static_cast<int>(::syscall(SYS_openat, folder, path, flags, mode));
  // Lock files are opened for writing, but never written.
  const bool writes = (flags & O_ACCMODE) != O_RDONLY && !std::string_view(path).ends_with(".lock");
  if (fails(meet("open", writes))) return -1;
  const auto fd = static_cast<int>(::syscall(SYS_openat, folder, path, flags, mode));
  if (fd >= 0) state->open[fd] = writes;
  return fd;
}
mode_t mode_of(int flags, va_list list) { return flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0; }
}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_at(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_at(folder, path, flags, mode);
}

ssize_t write(int fd, const void* data, size_t size) {
  if (is_open(fd)) {
    const Fault f = meet("write", true);
    if (state->full) {
      errno = ENOSPC;
      return -1;
    }
    if (fails(f)) return -1;
    if (f.kind == Fault::partial) {
      size = (size + 1) / 2;
      state->full = f.number;
    }
  }
  return ::syscall(SYS_write, fd, data, size);
}

ssize_t read(int fd, void* data, size_t size) {
  if (is_open(fd)) {
    const Fault f = meet("read");
    if (fails(f)) return -1;
    if (f.kind == Fault::partial) size = size / 2 + 1;
  }
  return ::syscall(SYS_read, fd, data, size);
}

int fsync(int fd) {
  if (is_open(fd) && fails(meet(state->open[fd] ? "fsync" : "fsync of a folder", true))) return -1;
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

int close(int fd) {
  Fault f;
  if (is_open(fd)) {
    f = meet("close", state->open[fd]);
    state->open.erase(fd);
  }
  const auto done = static_cast<int>(::syscall(SYS_close, fd));
  return fails(f) ? -1 : done;
}

int rename(const char* from, const char* to) {
  if (is_below(to) && fails(meet("rename", true))) return -1;
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int link(const char* from, const char* to) {
  if (is_below(to) && fails(meet("link"))) return -1;
  return static_cast<int>(::syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int mkdir(const char* path, mode_t mode) {
  if (is_below(path) && fails(meet("mkdir", true))) return -1;
  return static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}

int fstat(int fd, struct stat* to) {
  if (is_open(fd) && fails(meet("fstat"))) return -1;
  return static_cast<int>(::syscall(SYS_fstat, fd, to));
}

void* mmap(void* at, size_t size, int access, int flags, int fd, off_t offset) {
  if (is_open(fd) && fails(meet("mmap"))) return MAP_FAILED;
  return reinterpret_cast<void*>(::syscall(SYS_mmap, at, size, access, flags, fd, offset));
}

}  // extern "C"
