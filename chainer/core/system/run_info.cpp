// SPDX-License-Identifier: MIT
#include "chainer/core/system/run_info.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>

namespace chainer {
namespace {

// Files below /proc report no size. Unreadable files give an empty string.
std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
std::string first_line(const std::filesystem::path& file) {
  const std::string all = content(file);
  return all.substr(0, all.find_first_of("\r\n"));
}

}  // namespace

std::string command_line() {
  std::string out;
  const std::string words = content("/proc/self/cmdline");
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find('\0', at), words.size());
    const std::string word = words.substr(at, end - at);
    const bool quote = word.empty() || word.find_first_of(" \t\n'\"$*?;&|<>") != word.npos;
    out += (out.empty() ? "" : " ") + (quote ? "'" + word + "'" : word);
    at = end + 1;
  }
  return out;
}

std::string git_commit(std::filesystem::path folder) {
  std::error_code error;
  for (folder = std::filesystem::absolute(folder, error); !error; folder = folder.parent_path()) {
    std::filesystem::path git = folder / ".git";
    if (std::filesystem::is_regular_file(git, error)) {  // a worktree: the file names its folder
      const std::string line = first_line(git);
      if (line.starts_with("gitdir: ")) git = folder / line.substr(8);
    }
    if (std::filesystem::is_directory(git, error)) {
      const std::string head = first_line(git / "HEAD");
      if (!head.starts_with("ref: ")) return head;
      const std::string name = head.substr(5), common = first_line(git / "commondir");
      const std::filesystem::path all = common.empty() ? git : git / common;
      if (std::string commit = first_line(all / name); !commit.empty()) return commit;
      const std::string packed = content(all / "packed-refs");
      const std::size_t at = packed.find(" " + name + "\n");
      return at != packed.npos && at >= 40 ? packed.substr(at - 40, 40) : "";
    }
    error.clear();
    if (folder == folder.parent_path()) break;
  }
  return "";
}

std::string utc_now() {
  const std::time_t t = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&t, &parts);
  char buffer[40];
  std::strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return buffer;
}

}  // namespace chainer
