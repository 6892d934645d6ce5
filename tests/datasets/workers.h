// SPDX-License-Identifier: MIT
// Shared by the tests of worker processes.
#pragma once
#include <chainer/chainer.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "test.h"

namespace test {

/// Runs a test in a new process with one thread, where workers can be forked: earlier tests may have started threads,
/// which cannot be undone. The program runs itself with the test's name in the environment.
inline bool in_fresh_process(const char* name) {
  if (const char* wanted = std::getenv("CHAINER_TEST_ALONE"); wanted && std::string(wanted) == name) return true;
  ::setenv("CHAINER_TEST_ALONE", name, 1);
  const std::string command =
      "OMP_NUM_THREADS=1 " + std::filesystem::read_symlink("/proc/self/exe").string() + " " + name;
  const int status = std::system(command.c_str());
  ::unsetenv("CHAINER_TEST_ALONE");
  EXPECT_EQ(status, 0);
  return false;
}

/// Files below /proc have no size, so they are read to their end.
inline std::string read_proc(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}
inline std::string children_of(pid_t parent) {
  return read_proc(chainer::text("/proc/", parent, "/task/", parent, "/children"));
}
inline std::size_t processes_below(pid_t parent) {
  const std::string children = children_of(parent);
  return static_cast<std::size_t>(std::count(children.begin(), children.end(), ' '));
}

inline bool same(const std::optional<chainer::Examples>& a, const std::optional<chainer::Examples>& b) {
  if (!a || !b) return !a && !b;
  if (a->size() != b->size()) return false;
  for (std::size_t i = 0; i < a->size(); ++i) {
    if ((*a)[i].size() != (*b)[i].size()) return false;
    for (std::size_t k = 0; k < (*a)[i].size(); ++k)
      if ((*a)[i][k].to_vector<double>() != (*b)[i][k].to_vector<double>()) return false;
  }
  return true;
}

}  // namespace test
