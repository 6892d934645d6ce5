// SPDX-License-Identifier: MIT
// The program `chainer` with all its subcommands, on files of any kind.
#include <chainer/chainer.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "../targets.h"
#include "chainer/core/system/file.h"
#include "command.h"

using namespace chainer;
namespace fs = std::filesystem;

namespace fuzz {
namespace {

// Discards the output of the program during its lifetime.
class Quiet {
 public:
  Quiet() {
    std::fflush(nullptr);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (int fd : {1, 2}) saved_[fd - 1] = ::fcntl(fd, F_DUPFD_CLOEXEC, 3), ::dup2(nowhere, fd);
    ::close(nowhere);
  }
  Quiet(const Quiet&) = delete;
  ~Quiet() {
    std::fflush(nullptr);
    for (int fd : {1, 2}) ::dup2(saved_[fd - 1], fd), ::close(saved_[fd - 1]);
  }

 private:
  int saved_[2];
};

// Returns 0 or 1, or -1 for an error.
int run(const std::vector<std::string>& words) {
  const Quiet quiet;
  try {
    return tool::run(words);
  } catch (const Error&) { return -1; }
}

const fs::path& folder() {
  static const fs::path f = [] {
    const fs::path p = fs::temp_directory_path() / text("chainer-fuzz-tool-", ::getpid());
    fs::create_directories(p);
    std::atexit([] {
      std::error_code ignored;
      fs::remove_all(fs::temp_directory_path() / text("chainer-fuzz-tool-", ::getpid()), ignored);
    });
    return p;
  }();
  return f;
}

}  // namespace

void tool(std::string_view bytes) {
  if (bytes.size() < 3) return;
  // Some formats are recognized by the extension only.
  const char* const endings[] = {"", ".onnx", ".caffemodel", ".safetensors"};
  const std::string ending = endings[static_cast<unsigned char>(bytes[0]) % 4];
  const std::size_t length = static_cast<unsigned char>(bytes[1]) | std::size_t(static_cast<unsigned char>(bytes[2]))
                                                                        << 8;
  bytes.remove_prefix(3);
  const std::string a = (folder() / ("a" + ending)).string(), b = (folder() / ("b" + ending)).string();
  write_file(a, bytes.substr(0, length));
  write_file(b, bytes.substr(std::min(length, bytes.size())));
  const int shown = run({"inspect", a}), listed = run({"inspect", "--json", a});
  if (shown != listed) std::abort();
  (void)run({"inspect", "--no-stats", b});
  if (run({"diff", a, a}) == 0 && shown != 0) std::abort();  // unreadable files are not equal to themselves
  (void)run({"diff", "--json", "--atol=1e-3", a, b});
  (void)run({"diff", "--any-dtype", b, a});
  for (const char* to : {"out.npz", "out.h5", "out.safetensors", "out.npy"}) {
    const std::string out = (folder() / to).string();
    if (run({"convert", a, out}) == 0 && run({"inspect", out}) != 0) std::abort();
    (void)run({"convert", "--stored", a, out});
  }
}

}  // namespace fuzz
