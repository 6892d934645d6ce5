// SPDX-License-Identifier: MIT
// HDF5 files with links: data/links.h5 and links_latest.h5 (see interop/make_hdf5.py).
#include <chainer/chainer.h>

#include <filesystem>

#include "chainer/core/system/file.h"
#include "chainer/serializers/hdf5.h"
#include "folder.h"
#include "test.h"

using namespace chainer;
using namespace chainer::serializers;
namespace fs = std::filesystem;

TEST(hdf5_links_lead_to_their_objects_behind_a_user_block) {
  for (const char* file : {TEST_DATA "links.h5", TEST_DATA "links_latest.h5"}) {
    const auto f = HDF5Group::open(file);
    using Names = std::vector<std::string>;
    EXPECT(f->names() == (Names{"compound", "g", "named", "soft", "type", "x"}));  // without dangling links
    const Array x = array({1.f, 2.f, 3.f, 4.f});
    for (const char* name : {"x", "soft", "g/hard", "g/relative", "/x", "g/root/g/root/x", "named"}) {
      EXPECT(f->contains(name));
      EXPECT_CLOSE(f->read(name).array, x, {.atol = 0, .rtol = 0});
    }
    EXPECT(f->group("g", false)->names() == (Names{"hard", "relative", "root"}));
    EXPECT_CLOSE(f->group("g", false)->read("/g/hard").array, x);
    for (const char* name : {"dangling", "external", "type", "g", "g/nothing"}) EXPECT(!f->contains(name));
    EXPECT(!f->group("type", false) && !f->group("dangling", false));
    const HDF5Object o = f->describe("soft");
    EXPECT(o.kind == HDF5Object::array && o.dtype == float32 && o.shape == (Shape{4}));
    EXPECT(o.place == f->describe("x").place && o.place != f->describe("named").place);
    EXPECT(f->describe("g/root").place == f->describe("/").place && f->describe("g").kind == HDF5Object::group);
    EXPECT(f->describe("type").kind == HDF5Object::other && f->describe("type").why == "a named datatype");
    EXPECT(f->describe("compound").kind == HDF5Object::other);
    EXPECT_THROW(KeyError, "no entry named 'dangling'", f->describe("dangling"));
  }
}

TEST(an_hdf5_file_is_whole_or_the_old_one_and_errors_name_it) {
  const test::Folder place;
  const fs::path path = place.path / "a.h5";
  try {
    (void)HDF5Group::create(path);
  } catch (const MissingPartError&) { return std::printf("  without libhdf5: left out\n"), EXPECT(true); }
  L::Linear l(3, 2);
  save_hdf5(path, l);
  const std::string good = read_file(path);
  struct Thrower {
    void serialize(Serializer& s) {
      Array a = zeros({100});
      s("a", a);
      throw ValueError("in the middle");
    }
  } thrower;
  EXPECT_THROW(ValueError, "in the middle", save_hdf5(path, thrower));
  EXPECT(read_file(path) == good);
  struct Twice {
    void serialize(Serializer& s) {
      Array a = zeros({2});
      s("a", a), s("a", a);
    }
  } twice;
  EXPECT_THROW(FileError, path.string() + ": cannot create the dataset 'a'", save_hdf5(path, twice));
  EXPECT(read_file(path) == good);
  EXPECT_THROW(FileError, "cannot write /dev/full: No space left", save_hdf5("/dev/full", l));
  EXPECT_THROW(FileError, "cannot write /no/folder/a.h5: No such file", save_hdf5("/no/folder/a.h5", l));
  {  // two open files with the same name, and one that is never flushed
    const auto one = HDF5Group::create(place.path / "b.h5"), two = HDF5Group::create(place.path / "b.h5");
    HDF5Serializer(one).save(l);
    two->write("x", arange(3), {});
    two->flush();
    EXPECT_CLOSE(HDF5Group::open(place.path / "b.h5")->read("x").array, arange(3));
    two->group("g", true)->write("y", arange(4), {});
  }
  EXPECT(HDF5Group::open(place.path / "b.h5")->contains("W"));  // the one that was destroyed last
  for (const auto& e : fs::directory_iterator(place.path)) EXPECT(!e.path().filename().string().starts_with("tmp-"));
}
