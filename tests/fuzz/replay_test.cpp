// SPDX-License-Identifier: MIT
// Runs every input of the corpora, and random changes of it, through its target, with any compiler. This repeats the
// findings of fuzzing; libFuzzer searches for new ones (see run).
#include <algorithm>
#include <filesystem>

#include "chainer/core/system/file.h"
#include "chainer/routines/random.h"
#include "targets.h"
#include "test.h"

namespace {

namespace fs = std::filesystem;

std::vector<std::string> corpus(const std::string& target) {
  std::vector<fs::path> files;
  for (const auto& e : fs::directory_iterator(fs::path(SOURCE_DIR) / "tests/fuzz/corpus" / target))
    files.push_back(e.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> out;
  for (const fs::path& f : files) out.push_back(chainer::read_file(f));
  return out;
}

// One to four changes: a byte replaced, a bit flipped, a piece removed, repeated, or taken from another input.
std::string changed(std::string s, const std::string& other, chainer::random::RandomState& r) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(r.next_interval(n - 1)); };
  for (std::size_t i = 1 + below(4); i > 0; --i) {
    if (s.empty()) return other;
    const std::size_t at = below(s.size()), length = std::min(1 + below(8), s.size() - at);
    switch (below(5)) {
      case 0: s[at] = static_cast<char>(r.next_uint32()); break;
      case 1: s[at] = static_cast<char>(s[at] ^ 1 << below(8)); break;
      case 2: s.erase(at, length); break;
      case 3: s.insert(at, s.substr(at, length)); break;
      default: s.insert(at, other.substr(below(other.size()), length)); break;
    }
  }
  return s;
}

}  // namespace

TEST(the_corpora_and_changes_of_them) {
  for (const fuzz::Target& target : fuzz::targets()) {
    const std::vector<std::string> inputs = corpus(target.name);
    EXPECT(inputs.size() >= 3);
    target.run("");
    for (const std::string& s : inputs) target.run(s);
    chainer::random::RandomState r(7);
    const std::string_view name = target.name;
    const bool slow = name == "snapshot" || name == "picture" || name == "hdf5" || name == "zipped_pictures" ||
                      name == "request" || name == "tool";
    const int rounds = slow ? 500 : 5000;
    for (int i = 0; i < rounds; ++i) {
      const auto pick = [&]() -> const std::string& { return inputs[r.next_interval(inputs.size() - 1)]; };
      const std::string& one = pick();
      target.run(changed(one, pick(), r));
    }
    std::printf("  %s: %zu inputs, %d changes of them\n", target.name, inputs.size(), rounds);
  }
}
