// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include <sys/wait.h>

#include <filesystem>

#include "chainer/core/system/file.h"
#include "folder.h"
#include "mlp.h"
#include "test.h"

using namespace chainer;
using namespace chainer::serializers;
namespace fs = std::filesystem;

namespace {

struct ManyKinds {
  Array a = array({{1.f, 2.f}}), none, big = arange(300000).reshape({3, 100000}), empty = zeros({0, 3});
  Array half = array({0.5f, 2.f}).astype(float16), flags = array({true, false}), zero_d = array(2.5);
  int64_t i = -7;
  double d = 0.25;
  bool b = true;
  std::string s = "grüße ✓", no_text;
  void serialize(Serializer& z) {
    z("a", a), z("none", none), z("big", big), z("empty", empty), z("half", half), z("flags", flags),
        z("zero_d", zero_d);
    z("i", i), z("d", d), z("b", b), z("s", s), z("no_text", no_text);
    const auto child = z.child("/inner/deep/");
    (*child)("i", i);
    (*child)("a/b", a);
  }
};

using test::folder;

// Without libhdf5, files can only be read; writing throws an error.
bool has_hdf5() {
  static const bool has = [] {
    try {
      (void)HDF5Group::create(folder / "probe");
      return true;
    } catch (const MissingPartError& e) {
      EXPECT(std::string(e.what()).find("libhdf5-dev") != std::string::npos);
      std::printf("  without libhdf5: left out\n");
      return false;
    }
  }();
  return has;
}

}  // namespace

TEST(hdf5_values_round_trip) {
  if (!has_hdf5()) return;
  for (std::optional<int> compression : {std::optional<int>(4), std::optional<int>(9), std::optional<int>()}) {
    ManyKinds e, back;
    save_hdf5(folder / "all.h5", e, compression);
    back.a = zeros({1, 2}), back.big = zeros({3, 100000}, int64), back.half = zeros({2}, float16),
    back.zero_d = array(0.0);
    back.flags = array({false, false});
    back.i = 0, back.d = 0, back.b = false, back.s = "", back.no_text = "x";
    load_hdf5(folder / "all.h5", back);
    EXPECT_CLOSE(back.a, e.a);
    EXPECT_CLOSE(back.big, e.big);
    EXPECT_CLOSE(back.half, e.half);
    EXPECT_CLOSE(back.flags, e.flags);
    EXPECT(back.zero_d.item<double>() == 2.5 && back.empty.shape() == (Shape{0, 3}) && !back.none);
    EXPECT(back.i == -7 && back.d == 0.25 && back.b && back.s == "grüße ✓" && back.no_text.empty());
  }
  const auto root = HDF5Group::open(folder / "all.h5");
  EXPECT(root->group("inner", false)->names() == std::vector<std::string>{"deep"});
  EXPECT(root->contains("inner/deep/a/b") && !root->contains("inner") && !root->contains("x/y"));
  EXPECT_THROW(ValueError, "from 0 to 9 or none, not 10", HDF5Serializer(HDF5Group::create(folder / "x"), 10));
  for (const auto& f : fs::directory_iterator(folder)) EXPECT(f.path().filename().string().rfind("tmp-", 0) != 0);
}

TEST(hdf5_missing_and_wrong_values) {
  if (!has_hdf5()) return;
  L::Linear l(3, 2), narrow(4, 2);
  save_hdf5(folder / "l.h5", l);
  const auto root = HDF5Group::open(folder / "l.h5");
  HDF5Deserializer strict(root), loose(root, false);
  EXPECT_THROW(ValueError, "shape (2, 3) does not fit the target's (2, 4)", narrow.serialize(strict));
  EXPECT_THROW(KeyError, "l.h5: no entry named 'c'", [&] {
    double c = 0;
    strict("c", c);
  }());
  double c = 5;
  loose("c", c);
  (*loose.child("none")->child("deeper"))("c", c);
  EXPECT_EQ(c, 5.0);
  EXPECT_THROW(ValueError, "group 'none'/deeper does not exist", (*strict.child("none")->child("deeper"))("c", c));
  EXPECT(strict.contains("W") && !strict.contains("c"));
  Array integers = zeros({2, 3}, int32);
  EXPECT_THROW(TypeError, "float32 cannot be loaded into int32", strict.array("W", integers));
  std::string s;
  EXPECT_THROW(TypeError, "'W' is an array, expected text", strict.string("W", s));
  EXPECT_THROW(ValueError, "expected one value", strict.number("W", c));
}

TEST(hdf5_files_of_the_release) {
  L::Classifier model(MLP(8, 10)), same(MLP(8, 10));
  auto optimizer = optimizers::MomentumSGD().setup(model);
  load_hdf5(TEST_DATA "release_model.h5", model);
  load_npz(TEST_DATA "release_model.npz", same);
  const auto a = model.namedparams(), b = same.namedparams();
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_CLOSE(a[i].second.array(), b[i].second.array(), {.atol = 0, .rtol = 0});
  load_hdf5(TEST_DATA "release_optimizer.h5", optimizer);
  EXPECT(optimizer.t == 8 && optimizer.epoch == 2);
  MLP uninitialized(8, 10);
  load_hdf5(TEST_DATA "release_uninitialized.h5", uninitialized);
  EXPECT(!uninitialized.l1.W.is_initialized() && uninitialized.l1.b->is_initialized());
  const auto f = HDF5Group::open(TEST_DATA "values.h5");
  EXPECT(f->read("flag").array.item<bool>() && f->read("flag").array.dtype() == Dtype::bool_);
  EXPECT(f->read("half").array.dtype() == float16 && f->read("half").array.shape() == (Shape{2, 3}));
  EXPECT(f->read("number").array.item<double>() == 0.25 && f->read("integer").array.dtype() == int64);
  EXPECT(!f->read("none").array && !f->read("none").text);
  EXPECT_CLOSE(f->read("inner/deep/big").array, arange(3));
  EXPECT_CLOSE(f->read("flags").array, array({true, false}));
  EXPECT_EQ(f->read("words").array.item<int>(), 65535);
  EXPECT_EQ(*f->read("text").text + *f->read("fixed").text, "grüßabc");
  EXPECT_THROW(FileError, "values.h5: 'complex' is damaged or of a kind", f->read("complex"));
  EXPECT_CLOSE(f->read("shuffled").array, arange(60).reshape({6, 10}));
  EXPECT_EQ(f->read("shuffled").array.dtype(), int16);
  Array part = full({4, 5}, 0.5, float32);
  part.set({Slice(0, 2), Slice(0, 2)}, 1.f);
  EXPECT_CLOSE(f->read("part").array, part);
  EXPECT_CLOSE(f->read("unwritten").array, full({3}, 2.5));
  EXPECT_THROW(FileError, "element 0 is 18446744073709551615, which does not fit int64", f->read("unsigned"));
  EXPECT_THROW(FileError, "'checked' is damaged or of a kind that is not supported: filter 3 is not supported",
               f->read("checked"));
  EXPECT(f->contains("linked") && !f->contains("inner") && f->group("inner", false));
  EXPECT_CLOSE(f->read("linked").array, f->read("half").array);
  EXPECT_THROW(RuntimeError, "the file was opened for reading", f->group("new", true));
}

// Object headers and groups of the newest format, an option of h5py.
TEST(hdf5_files_of_the_newest_format) {
  const auto f = HDF5Group::open(TEST_DATA "values_latest.h5");
  EXPECT_CLOSE(f->read("array").array, arange(6).reshape({2, 3}).astype(float32));
  EXPECT_EQ(*f->read("text").text, "grüß");
  EXPECT_EQ(f->read("inner/deep/number").array.item<int>(), 7);
  EXPECT(!f->read("inner/none").array && !f->read("inner/none").text);
  EXPECT_THROW(FileError, "layout 2 of version 4", f->read("packed"));
  EXPECT_EQ(f->group("many", false)->names().size(), std::size_t(20));
  EXPECT_EQ(f->read("many/17").array.item<int>(), 17);
}

// A group whose links are in a heap and a tree, as written by HDF5 2 for nine or more links.
TEST(hdf5_groups_of_many_links) {
  const auto f = HDF5Group::open(TEST_DATA "many_links.h5");
  const auto many = f->group("many", false);
  EXPECT_EQ(many->names().size(), std::size_t(302));
  const std::string names[] = {"hard0", "hard150", "hard299", "soft", "l" + std::string(600, 'o') + "ng"};
  for (const std::string& name : names)
    EXPECT_CLOSE(many->read(name).array, f->read("x").array, {.atol = 0, .rtol = 0});
  EXPECT(!many->contains("hard300"));
}

// Enumerations are read as h5py reads them, and arrays of which little or nothing was written.
TEST(hdf5_enumerations_and_unwritten_arrays) {
  const auto f = HDF5Group::open(TEST_DATA "kinds.h5");
  EXPECT(f->describe("enum").dtype == Dtype::int8 && f->describe("wide").dtype == int32);
  EXPECT_CLOSE(f->read("enum").array, array({0, 1, 42, 42}));
  EXPECT_CLOSE(f->read("wide").array, array({-5, 300}));
  EXPECT(f->read("two").array.dtype() == Dtype::int8 && f->read("bool").array.dtype() == Dtype::bool_);
  EXPECT_CLOSE(f->read("bool").array, array({true, false, true}));
  EXPECT_CLOSE(f->read("never").array, full({300, 100}, 1.5, float32));
  Array sparse = zeros({300, 100}, float64);
  sparse.set({299, 99}, 7.);
  EXPECT_CLOSE(f->read("sparse").array, sparse);
  EXPECT_THROW(FileError, "it claims 4294967296 bytes, more than the 0", f->read("huge"));
}

TEST(hdf5_links_that_lead_nowhere) {
  using Names = std::vector<std::string>;
  for (const char* file : {TEST_DATA "links.h5", TEST_DATA "links_latest.h5"}) {
    const auto f = HDF5Group::open(file);
    EXPECT(f->dangling() == (Names{"dangling", "external"}));
    EXPECT(f->names() == (Names{"compound", "g", "named", "soft", "type", "x"}));
    EXPECT(!f->contains("external") && !f->group("external", false) && !f->group("dangling", false));
    EXPECT_THROW(KeyError, "no entry named 'external'", f->read("external"));
    EXPECT_THROW(KeyError, "no entry named 'external'", f->describe("external"));
  }
}

TEST(hostile_hdf5_files) {
  EXPECT_THROW(FileError, "cannot read", HDF5Group::open(folder / "missing.h5"));
  write_file(folder / "foreign.h5", "no HDF5 at all");
  EXPECT_THROW(FileError, "foreign.h5 is damaged or not an HDF5 file", HDF5Group::open(folder / "foreign.h5"));
  const std::string good = read_file(TEST_DATA "release_uninitialized.h5");
  const auto try_all = [](const fs::path& path) {
    try {
      const auto f = HDF5Group::open(path);
      for (const std::string& child : f->names())
        if (const auto g = f->group(child, false))
          for (const std::string& name : g->names())
            if (g->contains(name)) (void)g->read(name);
    } catch (const Error&) {}
  };
  for (std::size_t n = 0; n < good.size(); n += 97) {
    write_file(folder / "cut.h5", std::string_view(good).substr(0, n));
    EXPECT_THROW(FileError, "cut.h5", HDF5Group::open(folder / "cut.h5"));
  }
  random::RandomState r(0);
  for (const std::string& whole : {good, read_file(TEST_DATA "values.h5"), read_file(TEST_DATA "values_latest.h5"),
                                   read_file(TEST_DATA "many_links.h5")})
    for (int i = 0; i < 1000; ++i) {
      std::string bad = whole;
      for (int k = 0; k < 3; ++k) bad[r.next_interval(bad.size() - 1)] = static_cast<char>(r.next_uint32());
      write_file(folder / "flipped.h5", bad);
      try_all(folder / "flipped.h5");
    }
}
