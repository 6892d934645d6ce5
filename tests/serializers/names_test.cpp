// SPDX-License-Identifier: MIT
// Names and strings beyond ASCII, and small files that claim large arrays.
#include <chainer/chainer.h>

#include <filesystem>

#include "chainer/core/system/file.h"
#include "chainer/core/little_endian.h"
#include "chainer/serializers/hdf5.h"
#include "chainer/serializers/safetensors.h"
#include "chainer/serializers/zip.h"
#include "folder.h"
#include "test.h"

using namespace chainer;
using namespace chainer::serializers;
using namespace std::string_literals;
namespace fs = std::filesystem;

TEST(names_of_members_say_that_they_are_utf8) {
  // Bit 11 of the flags (UTF-8) in the member's header (at 6) and in the directory (at 8); without it, names are in
  // code page 437.
  const auto flags = [](const std::string& name) {
    zip::Writer w(false);
    w.add(name, "x");
    const std::string bytes = w.finish();
    const std::size_t directory = bytes.find("PK\1\2");
    const uint64_t here = little_endian(std::string_view(bytes).substr(6, 2));
    EXPECT_EQ(here, little_endian(std::string_view(bytes).substr(directory + 8, 2)));
    EXPECT_EQ(zip::Reader(bytes, "memory").read(name), "x");
    return here;
  };
  EXPECT_EQ(flags("plain"), 0u);
  EXPECT_EQ(flags("gr\u00fc\u00dfe \u2713"), 0x800u);
  EXPECT_EQ(flags("\xff\xfe"), 0u);  // not valid UTF-8
}

namespace {
struct Text {
  std::string value;
  void serialize(Serializer& s) { s("value", value); }
};
}  // namespace

TEST(texts_keep_what_is_in_them) {
  const test::Folder place;
  for (const std::string& value :
       {"a\0b"s, "\0\0x"s, "gr\u00fc\u00dfe\0\u2713"s, "bytes \xff\xc3( that are no UTF-8"s, "\U0001f600"s}) {
    Text saved{value}, npz, hdf5;
    save_npz(place.path / "t.npz", saved);
    load_npz(place.path / "t.npz", npz);
    EXPECT(npz.value == value);
    try {
      save_hdf5(place.path / "t.h5", saved);
      load_hdf5(place.path / "t.h5", hdf5);
      EXPECT(hdf5.value == value);
    } catch (const MissingPartError&) {}
    write_safetensors(place.path / "t.safetensors", {{"x", ones({1})}}, {{"value", value}});
    if (value.find('\xff') == value.npos)
      EXPECT(SafetensorsFile(place.path / "t.safetensors").metadata().at("value") == value);
  }
}

TEST(a_small_file_is_not_unpacked_for_a_model_that_it_does_not_fit) {
  const test::Folder place;
  // 80 MB of zeros, compressed to 0.08 MB.
  constexpr int64_t kMany = 20'000'000;
  {
    const Array zero = broadcast_to(zeros({}, float32), {kMany});
    write_npz(place.path / "bomb.npz", {{"W", zero}, {"b", zeros({2}, float32)}});
  }
  EXPECT(fs::file_size(place.path / "bomb.npz") < 1'000'000);
  memory::empty_cache();
  const int64_t before = memory::statistics().allocated_total;
  L::Linear l(3, 2);
  EXPECT_THROW(ValueError, text("'W': shape (", kMany, ",) does not fit the target's (2, 3)"),
               load_npz(place.path / "bomb.npz", l));
  struct Number {
    double W = 0;
    void serialize(Serializer& s) { s("W", W); }
  } number;
  EXPECT_THROW(ValueError, "expected one value", load_npz(place.path / "bomb.npz", number));
  EXPECT(memory::statistics().allocated_total - before < 1'000'000);
  // Reading in pieces takes little memory.
  const NpzFile file(place.path / "bomb.npz");
  int64_t count = 0, longest = 0;
  file.runs("W", [&](const Array& run) { count += run.size(), longest = std::max(longest, run.size()); });
  EXPECT(count == kMany && longest <= 1 << 20);
  EXPECT(file.shape("W") == Shape{kMany});
}

TEST(a_flipped_byte_is_found_where_somebody_looks) {
  const test::Folder place;
  const Array a = arange(3000);
  write_npz(place.path / "a.npz", {{"a", a}, {"b", a}}, false);
  std::string bytes = read_file(place.path / "a.npz");
  const std::string two("\2\0\0\0\0\0\0\0", 8);
  bytes[bytes.find(two)] ^= 4;  // in the first member
  const NpzFile file(bytes, "a.npz");
  for (const char* way : {"array", "check", "runs"}) {
    EXPECT_THROW(FileError, "a.npz: member 'a.npy' is damaged: its checksum does not match", [&] {
      const std::string_view w = way;
      if (w == "array") (void)file.array("a");
      if (w == "check") file.check("a");
      if (w == "runs") file.runs("a", [](const Array&) {});
    }());
  }
  EXPECT_CLOSE(file.array("b"), a);
  int64_t total = 0;
  file.runs("b", [&](const Array& run) { total += sum(run).item<int64_t>(); });
  EXPECT_EQ(total, 2999 * 3000 / 2);
}
