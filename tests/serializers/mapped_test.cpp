// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include <filesystem>

#include "chainer/core/system/file.h"
#include "chainer/routines/npy.h"
#include "folder.h"
#include "test.h"

using namespace chainer;
using namespace chainer::serializers;
namespace fs = std::filesystem;

namespace {

using test::folder;

}  // namespace

TEST(stored_members_of_an_npz_file_are_its_pages) {
  const fs::path path = folder / "stored.npz";
  const Array big = arange(3000).astype(float32).reshape({30, 100});
  write_npz(path, {{"a", array({true, false})}, {"big", big}, {"c/d", arange(700)}, {"e", array(2.5)}}, false);
  Array mapped;
  {
    const NpzFile file(path);
    const int64_t before = memory::statistics().in_use;
    mapped = file.mapped("big");
    EXPECT_EQ(memory::statistics().in_use, before);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mapped.raw()) % 64, 0u);
    EXPECT_CLOSE(file.mapped("c/d"), arange(700));
    EXPECT_CLOSE(file.mapped("a"), array({true, false}));
    EXPECT_EQ(file.mapped("e").item<double>(), 2.5);
    EXPECT_CLOSE(file.array("big"), big);
    EXPECT_THROW(KeyError, "no entry named 'x'", (void)file.mapped("x"));
  }
  EXPECT_CLOSE(mapped, big);
  mapped += 1.0;  // does not change the file
  EXPECT_CLOSE(NpzFile(path).mapped("big"), big);
}

TEST(other_members_are_copied_as_ever) {
  const fs::path path = folder / "packed.npz";
  write_npz(path, {{"a", arange(3000)}, {"none", std::string()}}, true);
  EXPECT_CLOSE(NpzFile(path).mapped("a"), arange(3000));
  zip::Writer zip(false);
  zip.add("big.npy", make_npy_header(">i4", {2}) + std::string("\0\0\0\1\0\0\0\2", 8));
  zip.add("fortran.npy", "\x93NUMPY\x01" + std::string(1, '\0') + std::string("\x47\0", 2) +
                             "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }            \n" +
                             to_npy(array({1.f, 2.f, 3.f, 4.f})).substr(128));
  zip.add("pickle.npy", make_npy_header("|O", {}) + "x");
  const NpzFile file(zip.finish(), "memory");
  EXPECT(file.mapped("big").to_vector<int>() == (std::vector<int>{1, 2}));
  EXPECT(file.mapped("fortran").to_vector<float>() == (std::vector<float>{1, 3, 2, 4}));
  EXPECT_THROW(FileError, "pickle", (void)file.mapped("pickle"));
  zip::Writer unnamed(false);
  unnamed.add(".npy", to_npy(arange(3)));
  EXPECT(NpzFile(unnamed.finish(), "memory").keys() == std::vector<std::string>{""});
}

TEST(an_npy_file_is_mapped) {
  const fs::path path = folder / "a.npy";
  save_npy(path, arange(2000).astype(float64));
  const int64_t before = memory::statistics().in_use;
  const Array a = map_npy(path);
  EXPECT_EQ(memory::statistics().in_use, before);
  EXPECT_CLOSE(a, load_npy(path));
  save_npy(path, array({true, true}));  // replaces the file; the mapping keeps the old one
  EXPECT_EQ(a[1999].item<double>(), 1999.0);
  EXPECT_CLOSE(map_npy(path), array({true, true}));
  write_file(path, to_npy(arange(10)).substr(0, 140));
  EXPECT_THROW(FileError, "truncated", (void)map_npy(path));
  EXPECT_THROW(FileError, "cannot read", (void)map_npy(folder / "absent.npy"));
}
