// Writes first inputs of the targets `snapshot` and `optimizer`, which are made of what the library saves:
// fuzz_corpus FOLDER. To be run again when the saved members change.
#include <filesystem>
#include <utility>

#include "chainer/core/file.h"
#include "members.h"

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "tests/fuzz/corpus";
  int files = 0;
  const auto write = [&](const char* target, const std::string& bytes) {
    std::filesystem::create_directories(folder / target);
    chainer::write_file(folder / target / chainer::text("saved-", files++), bytes);
  };
  // A few members each, so that changes meet several at once; the generator's key is too long for a small input.
  std::string some;
  for (const auto& [name, content] : fuzz::snapshot_members()) {
    if (content.size() > 2000) continue;
    some += fuzz::replacement(fuzz::snapshot_members(), name);
    if (some.size() > 1000) write("snapshot", std::exchange(some, ""));
  }
  write("snapshot", some);
  files = 0;
  for (std::size_t number = 0; number < 11; ++number) {
    std::string all{static_cast<char>(number)};
    for (const auto& [name, content] : fuzz::optimizer_members(number))
      if (name.find("/t.") == name.npos) all += fuzz::replacement(fuzz::optimizer_members(number), name);
    write("optimizer", all);
  }
}
