// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <limits>

#include "chainer/core/system/file.h"
#include "chainer/routines/npy.h"
#include "folder.h"
#include "mlp.h"
#include "test.h"

using namespace chainer;
using namespace chainer::serializers;
namespace fs = std::filesystem;

namespace {

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

using test::folder;

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
  EXPECT_THROW(KeyError, "no entry named 'c'", more.serialize(strict));
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
  // Simulates a full disk by a limit on the size of files.
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
  int errors = 0, same = 0;
  for (int i = 0; i < 3000; ++i) {  // flipped bytes: an error or the same values, never anything else
    std::string bad = good;
    for (int k = 0; k < 3; ++k) bad[r.next_interval(bad.size() - 1)] = static_cast<char>(r.next_uint32());
    try {
      const NpzFile f(bad, "flipped");
      for (const std::string& key : f.keys()) {
        const Array a = f.array(key);
        const auto it = s.target().find(key);
        if (it == s.target().end())
          test::fail(__FILE__, __LINE__, text("round ", i, ": a key '", key, "' that was never written"));
        else
          EXPECT_CLOSE(a, std::get<Array>(it->second), {.atol = 0, .rtol = 0});
      }
      ++same;
    } catch (const FileError&) { ++errors; }
  }
  std::printf("  flipped bytes: %d errors, %d times the same values\n", errors, same);
  EXPECT(errors > 1000 && same > 20);
  zip::Writer pickle(true);
  pickle.add("x.npy", make_npy_header("|O", {}) + "\x80\x03cos\nsystem\nq\x00X\x02\x00\x00\x00lsq\x01\x85q\x02Rq\x03.");
  const NpzFile f(pickle.finish(), "pickled");
  EXPECT_THROW(FileError, "never executed", f.array("x"));
  EXPECT_THROW(FileError, "not a valid zip archive", NpzFile("PK\3\4 but nothing else of a zip file", "foreign"));
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

namespace {
// Runs one step of Adam on a layer and saves its state with another shape or dtype.
using Change = std::function<Array(const Array&)>;
std::shared_ptr<const NpzFile> optimizer_file(const Optimizer& optimizer, const Change& change) {
  DictionarySerializer s;
  const_cast<Optimizer&>(optimizer).serialize(s);
  DictionarySerializer::Target target = s.target();
  for (auto& [key, value] : target)
    if (key == "W/m" || key == "W/v") value = change(std::get<Array>(value));
  return std::make_shared<const NpzFile>(npz_bytes(target), "file");
}
}  // namespace

TEST(an_optimizers_state_is_checked_and_cast) {
  const auto train = [](L::Linear& l, Optimizer& o, int steps) {
    for (int i = 0; i < steps; ++i) o.update([&] { return F::sum(F::square(l(ones({4, 3})))); });
  };
  random::seed(2);
  L::Linear original(3, 2);
  auto adam = optimizers::Adam().setup(original);
  train(original, adam, 3);
  const auto resumed = [&](const Change& change) {
    auto l = std::make_unique<L::Linear>(3, 2);
    l->copyparams(original);
    auto o = optimizers::Adam().setup(*l);
    NpzDeserializer d(optimizer_file(adam, change));
    o.serialize(d);
    const auto& rule = dynamic_cast<UpdateRule&>(*l->W.update_rule());
    EXPECT(rule.state.at(0).second.dtype() == float32 && rule.state.at(0).second.shape() == Shape({2, 3}));
    train(*l, o, 3);
    return l->W.array().copy();
  };
  const Array straight = resumed([](const Array& a) { return a; });
  EXPECT_CLOSE(resumed([](const Array& a) { return a.astype(float64); }), straight, {.atol = 0, .rtol = 0});
  EXPECT_CLOSE(resumed([](const Array& a) { return a.astype(float16); }), straight, {.atol = 2e-3});
  EXPECT(all(isfinite(resumed([](const Array& a) { return a.astype(int32); }))).item<bool>());
  EXPECT_THROW(ValueError, "file, 'W/m': shape (3, 2) does not fit the target's (2, 3)",
               resumed([](const Array& a) { return a.T().copy(); }));
  EXPECT_THROW(ValueError, "file, 'W/m': shape (1,) does not fit", resumed([](const Array&) { return zeros({1}); }));

  // A state that is loaded before its parameter has a shape is checked by the first update.
  L::Linear late(2);
  auto o = optimizers::Adam().setup(late);
  NpzDeserializer d(optimizer_file(adam, [](const Array& a) { return a.T().copy(); }));
  o.serialize(d);
  EXPECT_THROW(ValueError, "the state 'm' has shape (3, 2), its parameter (2, 3)", train(late, o, 1));
  // A 16-bit parameter with a float32 master copy has float32 states.
  L::Linear half(3, 2);
  half.W.set_array(original.W.array().astype(float16));
  auto master = optimizers::Adam().setup(half);
  master.use_fp32_update();
  NpzDeserializer again(optimizer_file(adam, [](const Array& a) { return a.astype(float64); }));
  master.serialize(again);
  EXPECT_EQ(dynamic_cast<UpdateRule&>(*half.W.update_rule()).state.at(0).second.dtype(), float32);
}

TEST(counts_in_files_are_checked) {
  L::Linear l(3, 2);
  auto o = optimizers::SGD().setup(l);
  DictionarySerializer s;
  o.serialize(s);
  DictionarySerializer::Target target = s.target();
  for (int64_t bad : {int64_t(-1), std::numeric_limits<int64_t>::max()}) {
    target["t"] = array(bad);
    NpzDeserializer d(std::make_shared<const NpzFile>(npz_bytes(target), "file"));
    EXPECT_THROW(ValueError, "is out of range", o.serialize(d));
  }
  target["t"] = array(std::nan(""));
  NpzDeserializer d(std::make_shared<const NpzFile>(npz_bytes(target), "file"));
  EXPECT_THROW(ValueError, "'t': nan is not a 64-bit integer", o.serialize(d));
}

TEST(npy_headers_are_read_strictly) {
  const auto file = [](const std::string& dictionary, const std::string& data) {
    std::string out("\x93NUMPY\x01\0", 8);
    out += static_cast<char>(dictionary.size() & 0xff);
    out += static_cast<char>(dictionary.size() >> 8);
    return out + dictionary + data;
  };
  const auto of_type = [&](const std::string& descr, const std::string& shape, std::size_t bytes) {
    return file("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n",
                std::string(bytes, 1));
  };
  for (const char* bad : {"<u3", "<f3", "<i5", "<i0", "<f1", "|b2", "<c8", "<f", "f4", "<i16", "<b8", "<u6"})
    EXPECT_THROW(FileError, "cannot be read", from_npy(of_type(bad, "(4,)", 64)));
  for (const char* bad : {"(2.5,)", "(1e3,)", "(True,)", "(-1,)", "(3)", "(,)", "(2 3,)", "(2,,3)", "(02,)", "(0x2,)",
                          "()3", "[2]", "2", "(2", "('2',)", "(99999999999999999999,)"})
    EXPECT_THROW(FileError, "npy header is damaged", from_npy(of_type("<f4", bad, 64)));
  for (const char* good : {"(2,3)", "(2, 3)", "( 2 , 3 , )", "(2L, 3L)"})
    EXPECT_EQ(from_npy(of_type("<f4", good, 24)).shape(), (Shape{2, 3}));
  EXPECT_EQ(from_npy(of_type("<f4", "()", 4)).shape(), Shape{});
  EXPECT_THROW(FileError, "more than 10 axes", from_npy(of_type("<f4", "(1,1,1,1,1,1,1,1,1,1,1)", 4)));
  // Lengths whose product overflows to 0 in 64 bits.
  EXPECT_THROW(FileError, "is too large", from_npy(of_type("<f4", "(4294967296, 4294967296)", 0)));
  EXPECT_THROW(FileError, "is too large", from_npy(of_type("<f4", "(0, 4294967296, 4294967296)", 0)));
  EXPECT_THROW(FileError, "truncated: shape (1000,)", from_npy(of_type("<f8", "(1000,)", 64)));
  EXPECT_THROW(FileError, "which does not fit int64", from_npy(of_type("<u8", "(1,)", 0) + std::string(8, '\xff')));
  const std::string order = "'fortran_order': False, ", shape = "'shape': (1,), ", descr = "'descr': '<f4', ";
  EXPECT_EQ(from_npy(file("{" + shape + order + descr + "}", "abcd")).shape(), Shape{1});
  EXPECT_THROW(FileError, "'shape' is missing", from_npy(file("{" + order + descr + "}", "abcd")));
  EXPECT_THROW(FileError, "occurs twice", from_npy(file("{" + shape + order + descr + shape + "}", "abcd")));
  EXPECT_THROW(FileError, "unexpected text after", from_npy(file("{" + shape + order + descr + "} x", "abcd")));
  EXPECT_THROW(FileError, "True or False", from_npy(file("{" + shape + descr + "'fortran_order': 0}", "abcd")));
  EXPECT_THROW(FileError, "structured", from_npy(file("{'descr': [('a', '<f4')], " + order + shape + "}", "abcd")));
  // Booleans are 0 or 1, regardless of the bytes in the file.
  const Array truth = from_npy(of_type("|b1", "(4,)", 0) + std::string("\x00\x01\x02\xff", 4));
  EXPECT_EQ(count_nonzero(truth).item<int64_t>(), 3);
  EXPECT_EQ(sum(truth.astype(int32)).item<int64_t>(), 3);
}

TEST(a_zip_members_size_is_not_believed) {
  // 2 MB of deflated data that decompress to a few bytes, in a directory that claims nearly 2 GB.
  std::string noise;
  random::RandomState r(1);
  while (noise.size() < 2000000) noise += static_cast<char>(r.next_uint32());
  zip::Writer writer(true);
  writer.add("x", noise);
  std::string bytes = writer.finish();
  const std::size_t central = bytes.rfind("PK\x01\x02");
  const uint32_t claimed = 1900u << 20;
  for (std::size_t i = 0; i < 4; ++i) bytes[central + 24 + i] = static_cast<char>(claimed >> (8 * i) & 0xff);
  const zip::Reader reader(bytes, "file");
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  EXPECT_THROW(FileError, "is damaged", reader.read("x"));
  getrusage(RUSAGE_SELF, &after);
  EXPECT(after.ru_maxrss - before.ru_maxrss < 200000);  // KiB
  bytes[central + 46] = 'y';
  EXPECT_THROW(FileError, "name of a member differs from the directory", zip::Reader(bytes, "file").read("y"));
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
  // Characters beyond 16 bits are surrogate pairs; unpaired surrogates are errors.
  EXPECT_EQ(*json::parse(R"("\ud83d\ude00 \uD834\uDD1E")").string(), "\xf0\x9f\x98\x80 \xf0\x9d\x84\x9e");
  for (const char* bad :
       {R"("\ud83d")", R"("\ude00")", R"("\ud83d\ud83d")", R"("\ud83dx")", R"("\ud83d\n")", "\"a\nb\""})
    EXPECT_THROW(ValueError, "JSON", json::parse(bad));
  // Numbers follow the grammar of JSON.
  for (const char* bad :
       {"01", "-01", ".5", "5.", "+1", "1e", "1e+", "-", "0x10", "1_0", "00", "inf", "nan", "- 1", "1.e3"})
    EXPECT_THROW(ValueError, "JSON", json::parse(bad));
  const auto number = [](const char* t) { return json::parse(t).number(); };
  EXPECT(number("1e999") == HUGE_VAL && number("-1e999") == -HUGE_VAL && number("1e-999") == 0);
  EXPECT(number("0.00001e400") == HUGE_VAL && number("-100000e-400") == 0 && std::signbit(number("-100000e-400")));
  EXPECT(number("1e99999999999999999999") == HUGE_VAL && number("0e999") == 0 && number("-0") == 0);
  EXPECT(number("0.5") == 0.5 && number("10") == 10 && number("1E+2") == 100 &&
         number("12345678901234567890") > 1.2e19);
}

TEST(streams_and_the_three_names) {
  L::Linear a(3, 2), b(3, 2), c(3, 2);
  std::stringstream stream;
  save_npz(stream, a);
  load_npz(stream, b);
  EXPECT_CLOSE(b.W.array(), a.W.array(), {.atol = 0, .rtol = 0});
  std::istringstream foreign("nothing of the kind");
  EXPECT_THROW(FileError, "stream: not a valid zip archive", load_npz(foreign, b));
  std::ofstream full("/dev/full");
  EXPECT_THROW(FileError, "the stream cannot be written", save_npz(full, a));
  DictionarySerializer writer;
  writer.save(a);
  EXPECT(!static_cast<AbstractSerializer&>(writer).is_loading());
  NpzDeserializer reader(std::make_shared<const NpzFile>(npz_bytes(writer.target()), "memory"));
  reader.load(c);
  EXPECT(static_cast<Deserializer&>(reader).is_loading());
  EXPECT_CLOSE(c.W.array(), a.W.array(), {.atol = 0, .rtol = 0});
}
