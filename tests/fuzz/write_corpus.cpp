// SPDX-License-Identifier: MIT
// Writes initial inputs of the targets `snapshot`, `optimizer` and `hdf5` from files saved by the library:
// fuzz_corpus FOLDER. Run it again when the saved members change.
#include <cstdio>
#include <filesystem>
#include <utility>

#include "chainer/core/system/file.h"
#include "members.h"

namespace {

using namespace chainer;

// One of each kind of value.
struct Values {
  Array a = array({{1.f, 2.f}}), none, half = array({0.5f, 2.f}).astype(float16), flags = array({true, false});
  std::string s = "gr\u00fc\u00dfe";
  int64_t i = -7;
  void serialize(Serializer& z) {
    z("a", a), z("none", none), z("half", half), z("flags", flags), z("s", s);
    (*z.child("inner/deep"))("i", i);
  }
};

void write_hdf5(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  Values values;
  serializers::save_hdf5(folder / "values", values, std::nullopt);
  L::Linear linear(3, 2);
  Array w = linear.W.array();
  w.fill(0.5f);
  serializers::save_hdf5(folder / "linear", linear, std::nullopt);
  serializers::save_hdf5(folder / "packed", linear, 9);
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "tests/fuzz/corpus";
  int files = 0;
  const auto write = [&](const char* target, const std::string& bytes) {
    std::filesystem::create_directories(folder / target);
    chainer::write_file(folder / target / chainer::text("saved-", files++), bytes);
  };
  // A few members each, so that mutations affect several; the key of the generator is too long for a small input.
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
  try {
    write_hdf5(folder / "hdf5");
  } catch (const MissingPartError& e) { std::fprintf(stderr, "%s\n", e.what()); }
}
