// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>
#include <random>

#include "chainer/routines/random.h"
#include "test.h"

namespace test {
namespace {

int main(int argc, char** argv) {
  std::vector<std::string_view> filters(argv + 1, argv + argc);
  if (!filters.empty() && filters[0].starts_with("--shuffle=")) {
    std::mt19937 engine(static_cast<unsigned>(std::atoi(filters[0].data() + 10)));
    std::shuffle(cases().begin(), cases().end(), engine);
    filters.erase(filters.begin());
  }
  const auto wanted = [&](std::string_view name) {
    bool any = false, none = true;  // parts of names to run
    for (const std::string_view f : filters) {
      const bool out = f.starts_with('-'), found = name.find(f.substr(out)) != name.npos;
      if (out && found) return false;
      if (!out) none = false, any = any || found;
    }
    return any || none;
  };
  int passed = 0, failed = 0, without = 0;
  for (const Case& c : cases()) {
    if (!wanted(c.name)) continue;
    const int before = failures, expected = expectations;
    chainer::random::seed(0);  // a test draws the same numbers alone and after others
    try {
      c.run();
    } catch (const std::exception& e) {
      std::printf("  exception: %s\n", e.what());
      ++failures;
    }
    without += expectations == expected;
    failures == before ? ++passed : ++failed;
    if (failures != before) std::printf("FAILED %s\n", c.name);
  }
  std::printf("%d passed, %d failed, %d expectations\n", passed, failed, expectations.load());
  if (without) std::printf("  (%d tests expect nothing but to end)\n", without);
  return failed != 0 || passed == 0 || std::fflush(stdout) != 0;
}

}  // namespace
}  // namespace test

int main(int argc, char** argv) { return test::main(argc, argv); }
