// SPDX-License-Identifier: MIT
#include "guide.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "chainer/testing/helpers.h"

namespace guide {
namespace {

// The next word or number of a text, where a number includes its sign, fraction and exponent.
std::string next_token(const char*& p) {
  while (std::isspace(static_cast<unsigned char>(*p))) ++p;
  const char* const begin = p;
  char* end = nullptr;
  const bool signed_number = (*p == '-' || *p == '+') && std::isdigit(static_cast<unsigned char>(p[1]));
  if (signed_number || std::isdigit(static_cast<unsigned char>(*p))) {
    (void)std::strtod(p, &end);
    p = end;
  } else if (*p) {
    ++p;
  }
  return {begin, p};
}

bool is_number(const std::string& token) { return token.size() > 1 && token.find('.') != token.npos; }

bool same(const std::string& seen, const std::string& expected) {
  const char *a = seen.c_str(), *b = expected.c_str();
  while (true) {
    const std::string x = next_token(a), y = next_token(b);
    if (x.empty() || y.empty()) return x.empty() && y.empty();
    if (x == y) continue;
    if (!is_number(x) || !is_number(y)) return false;
    const double v = std::stod(x), w = std::stod(y);
    if (!(std::abs(v - w) <= std::max(0.002, 0.01 * std::abs(w)))) return false;
  }
}

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

constexpr int kLeftOut = 77;

[[noreturn]] void run_child(void (*program)(), const std::filesystem::path& folder) {
  int status = 1;
  try {
    const int failures = test::failures;
    std::filesystem::current_path(folder);
    const int file = ::open("output.txt", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || ::dup2(file, STDOUT_FILENO) < 0) throw chainer::FileError("guide: cannot redirect the output");
    program();
    status = test::failures != failures;
  } catch (const chainer::MissingPartError& e) {  // of a build without an optional library
    std::fprintf(stderr, "left out: %s\n", e.what());
    status = kLeftOut;
  } catch (const std::exception& e) { std::fprintf(stderr, "  exception: %s\n", e.what()); }
  std::fflush(stdout);
  std::fflush(stderr);
  ::_exit(status);
}

}  // namespace

void run(void (*program)(), const char* name, const char* output) {
  std::optional<chainer::testing::TemporaryFolder> temporary;
  std::filesystem::path folder;
  if (const char* kept = std::getenv("GUIDE_OUT")) {
    folder = std::filesystem::path(kept) / name;
    std::filesystem::create_directories(folder);
  } else {
    folder = temporary.emplace().path();
  }
  std::fflush(stdout);
  std::fflush(stderr);
  const pid_t child = ::fork();
  if (child == 0) run_child(program, folder);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) throw chainer::RuntimeError("guide: cannot start a process");
  if (WIFEXITED(status) && WEXITSTATUS(status) == kLeftOut) return;
  EXPECT_EQ(status, 0);
  const std::string seen = read(folder / "output.txt");
  if (status != 0) std::printf("%s", seen.c_str());
  if (!output || status != 0) return;
  EXPECT(same(seen, output));
  if (!same(seen, output)) std::printf("  the program prints\n%s  the page says\n%s", seen.c_str(), output);
}

}  // namespace guide
