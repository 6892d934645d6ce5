#include <chainer/chainer.h>

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "chainer/core/file.h"
#include "chainer/routines/npy.h"
#include "test.h"

using namespace chainer;
using namespace chainer::serializers;
namespace fs = std::filesystem;

namespace {

struct MLP : Chain {
  L::Linear l1, l2, l3;
  MLP(int64_t n_units, int64_t n_out) : l1(n_units), l2(n_units), l3(n_out) {}
  CHAINER_MEMBERS(MLP, l1, l2, l3);
  Variable forward(const Variable& x) { return l3(F::relu(l2(F::relu(l1(x))))); }
};

struct More : Link {
  Parameter W{1.0, Shape{2, 3}}, c{5.0, Shape{1}};
  CHAINER_MEMBERS(More, W, c);
};

struct Everything {
  Array a = array({{1.f, 2.f}}), none;
  int64_t i = 7;
  double d = 0.25;
  bool b = true;
  std::string s = "grüße ✓";
  void serialize(Serializer& z) {
    z("a", a);
    z("none", none);
    z("i", i);
    z("d", d);
    z("b", b);
    z("s", s);
    const auto child = z.child("inner/");
    (*child)("i", i);
  }
};

std::shared_ptr<const NpzFile> npz_of(auto& object) {
  DictionarySerializer s;
  object.serialize(s);
  return std::make_shared<const NpzFile>(npz_bytes(s.target()), "memory");
}

const fs::path folder = fs::temp_directory_path() / text("chainer-serializers-", ::getpid());
struct Clean {
  Clean() { fs::create_directories(folder); }
  ~Clean() { fs::remove_all(folder); }
} clean;

}  // namespace

TEST(all_kinds_of_values_round_trip) {
  Everything e;
  const auto npz = npz_of(e);
  Everything back;
  back.a = zeros({1, 2});
  back.i = 0, back.d = 0, back.b = false, back.s = "";
  NpzDeserializer d(npz);
  back.serialize(d);
  EXPECT_CLOSE(back.a, e.a);
  EXPECT(!back.none && back.i == 7 && back.d == 0.25 && back.b && back.s == "grüße ✓");
  EXPECT(npz->contains("inner/i"));
  EXPECT_EQ(npz->array("i").dtype(), int64);
}

TEST(missing_wrong_and_ignored_keys) {
  L::Linear l(3, 2), other(3, 2);
  const auto npz = npz_of(l);
  More more;
  NpzDeserializer strict(npz);
  EXPECT_THROW(KeyError, "there is no 'c'", more.serialize(strict));
  NpzDeserializer loose(npz, {.strict = false});
  more.serialize(loose);
  EXPECT_CLOSE(more.W.array(), l.W.array());
  EXPECT_EQ(more.c.array().item<float>(), 5.f);
  const Array before = other.W.array().copy();
  NpzDeserializer ignoring(npz, {.ignore_names = {IgnoreName("W")}});
  other.serialize(ignoring);
  EXPECT_CLOSE(other.W.array(), before);
  L::Linear narrow(4, 2);
  EXPECT_THROW(ValueError, "shape (2, 3) does not fit the target's (2, 4)", narrow.serialize(strict));
  Array integer = zeros({2, 3}, int32);
  EXPECT_THROW(TypeError, "float32 cannot be loaded into int32", strict.array("W", integer));
  Array wide = zeros({2, 3}, float64);
  strict.array("W", wide);
  EXPECT_CLOSE(wide, l.W.array());
}

TEST(files_are_written_whole_or_not_at_all) {
  const fs::path file = folder / "model";
  L::Linear l(30, 20);
  save_npz(file, l);
  L::Linear back(20);
  load_npz(file, back);
  EXPECT_CLOSE(back.W.array(), l.W.array(), {.atol = 0, .rtol = 0});
  const std::string old = read_file(file);
  // A full disk, as the process sees it: no file may grow past this size.
  rlimit limit{}, small{};
  getrlimit(RLIMIT_FSIZE, &limit);
  small = limit;
  small.rlim_cur = 500;
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(FileError, "cannot write", save_npz(file, l));
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_EQ(read_file(file) == old, true);
  for (const auto& e : fs::directory_iterator(folder)) EXPECT(e.path().filename().string().rfind("tmp-", 0) != 0);
  EXPECT_THROW(FileError, "cannot write", save_npz("/no/such/folder/model", l));
  EXPECT_THROW(FileError, "cannot read", load_npz(folder / "missing", l));
  save_npz(folder / "stored", l, false);
  EXPECT(fs::file_size(folder / "stored") > fs::file_size(file));
  load_npz(folder / "stored", back);
}

TEST(hostile_files_are_refused) {
  L::Linear l(3, 2);
  DictionarySerializer s;
  l.serialize(s);
  const std::string good = npz_bytes(s.target());
  int refused = 0, tried = 0;
  for (std::size_t n = 0; n < good.size(); n += 3) {  // every truncation
    ++tried;
    try {
      (void)NpzFile(good.substr(0, n), "cut");
    } catch (const FileError&) { ++refused; }
  }
  EXPECT_EQ(refused, tried);
  random::RandomState r(0);
  for (int i = 0; i < 3000; ++i) {  // flipped bytes: an error or the same values, never anything else
    std::string bad = good;
    for (int k = 0; k < 3; ++k) bad[r.next_interval(bad.size() - 1)] = static_cast<char>(r.next_uint32());
    try {
      const NpzFile f(bad, "flipped");
      for (const std::string& key : f.keys()) (void)f.array(key);
    } catch (const Error&) {}
  }
  zip::Writer pickle(true);
  pickle.add("x.npy", make_npy_header("|O", {}) + "\x80\x03cos\nsystem\nq\x00X\x02\x00\x00\x00lsq\x01\x85q\x02Rq\x03.");
  const NpzFile f(pickle.finish(), "pickled");
  EXPECT_THROW(FileError, "never executed", f.array("x"));
  EXPECT_THROW(FileError, "not a whole zip archive", NpzFile("PK\3\4 but nothing else of a zip file", "foreign"));
}

TEST(files_of_the_release_load) {
  MLP predictor(8, 10);
  L::Classifier model(std::move(predictor));
  auto optimizer = optimizers::MomentumSGD().setup(model);
  load_npz(TEST_DATA "release_model.npz", model);
  EXPECT_EQ(model.count_params(), 784 * 8 + 8 + 72 + 90);
  load_npz(TEST_DATA "release_optimizer.npz", optimizer);
  EXPECT_EQ(optimizer.t, 8);
  EXPECT_EQ(optimizer.epoch, 2);
  const NpzFile f(TEST_DATA "release_optimizer.npz");
  const auto& rule = dynamic_cast<UpdateRule&>(*model.namedparams()[1].second.update_rule());
  EXPECT_CLOSE(rule.state.at(0).second, f.array("predictor/l1/b/v"), {.atol = 0, .rtol = 0});
  MLP uninitialized(8, 10);
  load_npz(TEST_DATA "release_uninitialized.npz", uninitialized);
  EXPECT(!uninitialized.l1.W.is_initialized() && uninitialized.l1.b->is_initialized());
}

TEST(what_is_written_has_the_releases_keys) {
  L::Classifier model(MLP(8, 10));
  auto optimizer = optimizers::MomentumSGD().setup(model);
  load_npz(TEST_DATA "release_model.npz", model);
  load_npz(TEST_DATA "release_optimizer.npz", optimizer);
  EXPECT(npz_of(model)->keys() == NpzFile(TEST_DATA "release_model.npz").keys());
  EXPECT(npz_of(optimizer)->keys() == NpzFile(TEST_DATA "release_optimizer.npz").keys());
  MLP uninitialized(8, 10);
  const auto npz = npz_of(uninitialized);
  EXPECT(!npz->array("l1/W"));
}

TEST(json) {
  const json::Value v = json::parse(R"({"a": [1, 2.5, NaN, -Infinity, true, null], "b": {"c": "x\"\u00e9\n"}})");
  EXPECT_EQ(v.find("a")->list()->size(), std::size_t(6));
  EXPECT_EQ(*v.find("b")->find("c")->string(), "x\"é\n");
  EXPECT_EQ(json::dump(v), "{\"a\": [1, 2.5, NaN, -Infinity, true, null], \"b\": {\"c\": \"x\\\"é\\n\"}}");
  EXPECT_EQ(json::dump(json::parse(json::dump(v, 4))), json::dump(v));
  EXPECT_EQ(json::dump(json::Value(1.0)), "1.0");
  for (const char* bad : {"", "{", "[1,", "{\"a\" 1}", "tru", "\"x", "[1] 2", "{a: 1}", "\"\\u12\""})
    EXPECT_THROW(ValueError, "JSON", json::parse(bad));
  EXPECT_THROW(ValueError, "nested too deeply", json::parse(std::string(100000, '[')));
}
