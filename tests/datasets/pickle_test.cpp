// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include <sys/resource.h>

#include <thread>

#include "chainer/core/system/file.h"
#include "chainer/core/little_endian.h"
#include "chainer/core/sanitizer.h"
#include "chainer/datasets/pickle.h"
#include "folder.h"
#include "test.h"

using namespace chainer;

TEST(records_come_back) {
  const test::Folder folder;
  const auto path = folder.path / "records";
  {
    auto w = datasets::open_pickle_dataset_writer(path);
    w.write({array({{1.f, 2.f}}), array(int32_t(3))});
    w.write(Example(array({true, false})));
    w.close();
    EXPECT_THROW(RuntimeError, "was closed", w.write({array(1)}));
  }
  {
    datasets::PickleDatasetWriter w(path, {.protocol = 3, .append = true});
    w.write(Example({{"x", arange(4).reshape({2, 2}).transpose()}, {"none", Array()}}));
    w.flush();
    EXPECT_EQ(datasets::open_pickle_dataset(path).size(), 3);
  }
  const datasets::PickleDataset d(path);
  EXPECT_CLOSE(d.get(0)[0], array({{1.f, 2.f}}));
  EXPECT(d.get(0)[1].dtype() == int32 && d.get(0)[1].ndim() == 0);
  EXPECT(d.get(1).is_single() && d.get(1)[0].dtype() == Dtype::bool_);
  EXPECT_CLOSE(d.get(2)["x"], array({{0, 2}, {1, 3}}));
  EXPECT(!d.get(2)["none"]);
  for (Dtype dtype : {int8, int16, int64, uint8, float16, float64}) {
    const Array a = arange(5).astype(dtype);
    const Array b = dataset::parse_pickle(dataset::make_pickle(Example(a)), "memory")[0];
    EXPECT_EQ(b.dtype(), dtype);
    EXPECT_CLOSE(b, a, {.atol = 0, .rtol = 0});
  }
  EXPECT_THROW(ValueError, "3, 4 or 5, not 9", datasets::PickleDatasetWriter(path, {.protocol = 9}).write({array(1)}));
  EXPECT_THROW(FileError, "cannot write", datasets::PickleDatasetWriter("/no/such/folder/file"));
}

TEST(records_of_the_release) {
  for (int protocol : {2, 3, 4, 5}) {
    const AnyDataset d = datasets::open_pickle_dataset(text(TEST_DATA "images/protocol", protocol, ".pkl"));
    EXPECT_EQ(d.size(), 7);
    const Array x = arange(6).reshape({2, 3}).astype(float32);
    EXPECT_CLOSE(d[0][0], x, {.atol = 0, .rtol = 0});
    EXPECT(d[0][1].dtype() == int32 && d[0][1].item<int>() == 3);
    EXPECT_CLOSE(d[1][0], x.transpose());
    EXPECT_EQ(d[1][1].item<int>(), 7);
    EXPECT(d[2]["x"].dtype() == float64 && d[2]["x"][{1, 2}].item<double>() == 5);
    EXPECT_EQ(datasets::utf8(d[2]["name"]), "grüß");
    EXPECT(d[3].is_single() && d[3][0].dtype() == Dtype::bool_);
    EXPECT_EQ(d[4][0].item<double>(), 2.5);
    EXPECT(!d[5][0] && d[5][1].dtype() == uint8 && d[5][2].item<int>() == -1);
    EXPECT(d[5][3].item<int64_t>() == int64_t(1) << 40 && d[5][4].item<bool>());
    EXPECT(d[6][0].shape() == (Shape{0, 3}) && d[6][0].dtype() == float16 && d[6][1].size() == 3);
  }
}

TEST(pickles_are_never_executed) {
  const auto refused = [](std::string_view pickle, std::string_view why) {
    EXPECT_THROW(FileError, why, dataset::parse_pickle(pickle, "bad.pkl, record 0"));
  };
  refused(std::string_view("\x80\x03"
                           "cos\nsystem\nX\x02\0\0\0ls\x85R.",
                           25),
          "it names 'os.system'");
  refused(std::string_view("\x80\x04\x8c\x08"
                           "builtins\x8c\x04"
                           "eval\x93\x8c\x01"
                           "1\x85R.",
                           27),
          "'builtins.eval'");
  refused("\x80\x02(i__main__\nA\n.", "the opcode 105 is not one for data");
  refused("\x80\x03N", "it ends early");
  refused("\x80\x03.", "a value is missing");
  refused(
      "\x80\x03]K\x01"
      "a.",
      "must be a plain array");
  refused("\x80\x03K\x01K\x02R.", "not a name");
  refused("\x80\x03)b.", "a state");
  refused("\x80\x03h\x05.", "memo entry is missing");
  refused("\x80\x03X\xff\xff\xff\xffx", "it ends early");
  const std::string good = dataset::make_pickle({arange(20).astype(float32), array(1)});
  for (std::size_t n = 0; n < good.size(); ++n) refused(std::string_view(good).substr(0, n), "bad.pkl, record 0");
  random::RandomState r(0);
  for (int i = 0; i < 5000; ++i) {  // flipped bytes must give an error or an example
    std::string bad = good;
    for (int k = 0; k < 2; ++k) bad[r.next_interval(bad.size() - 1)] = static_cast<char>(r.next_uint32());
    try {
      (void)dataset::parse_pickle(bad, "flipped");
    } catch (const FileError&) {}
  }
  const test::Folder folder;
  write_file(folder.path / "cut.pkl", good + good.substr(0, 40));
  EXPECT_THROW(FileError, "cut.pkl, record 1: ", datasets::PickleDataset(folder.path / "cut.pkl"));
}

TEST(a_small_pickle_stays_small) {
  const auto pickled = [](std::string_view body) { return "\x80\x04" + std::string(body); };
  // Memo numbers that are far apart take memory by their count, not by their size.
  std::string sparse = pickled("N");
  for (uint64_t i = 0; i < 100000; ++i) sparse += 'r', put_little_endian(sparse, 1000 * i, 4);
  // A text, and a tuple that repeats it: one array is made.
  std::string shared = pickled("(");
  shared += 'X', put_little_endian(shared, 100000, 4), shared += std::string(100000, 'x') + "q\x01";
  for (int i = 0; i < 50000; ++i) shared += "h\x01";
  // Converting the same text to bytes again and again is refused.
  std::string again = pickled("(X");
  put_little_endian(again, 100000, 4);
  again += std::string(100000, 'x') + "q\x01" + "0";
  for (int i = 0; i < 20000; ++i) again += "c_codecs\nencode\nh\x01X\x06" + std::string(3, '\0') + "latin1\x86R";
  const auto peak = [] {  // in kilobytes
    struct ::rusage u {};
    ::getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
  };
  const auto before = peak();
  EXPECT(!dataset::parse_pickle(sparse + ".", "sparse")[0]);
  const Example e = dataset::parse_pickle(shared + "t.", "shared");
  EXPECT(e.size() == 50001 && e[0].raw() == e[50000].raw() && e[0].size() == 100000);
  EXPECT_THROW(FileError, "the same bytes over and over", dataset::parse_pickle(again + "t.", "again"));
  EXPECT(kSanitized || peak() - before < 200'000);
}

TEST(a_writer_of_records_refuses_before_it_touches_the_file) {
  const test::Folder folder;
  const std::filesystem::path path = folder.path / "r";
  const auto write = [&](int64_t count, const datasets::PickleDatasetWriterOptions& o = {}) {
    datasets::PickleDatasetWriter w(path, o);
    for (int64_t i = 0; i < count; ++i) w.write({array(i)});
  };
  write(3);
  const std::string good = read_file(path);
  EXPECT_THROW(ValueError, "protocol must be 3, 4 or 5, not 9", write(1, {.protocol = 9}));
  EXPECT(read_file(path) == good);
  write(2, {.append = true});
  EXPECT_EQ(datasets::PickleDataset(path).size(), 5);
  datasets::PickleDatasetWriter w(path);
  w.write({array(1)});
  EXPECT_EQ(datasets::PickleDataset(path).size(), 5);  // the old file until the writer is flushed
  w.flush();
  EXPECT_EQ(datasets::PickleDataset(path).size(), 1);
  w.write({array(2)}), w.flush();
  EXPECT_EQ(datasets::PickleDataset(path).size(), 2);
  w.write({array(3)}), w.close();
  EXPECT_EQ(datasets::PickleDataset(path).size(), 3);
  EXPECT_THROW(RuntimeError, "was closed", w.write({array(4)}));
}

TEST(several_threads_read_records) {
  const test::Folder folder;
  datasets::PickleDatasetWriter w(folder.path / "r");
  for (int64_t i = 0; i < 500; ++i) w.write({array(i), full({3}, i)});
  w.close();
  const datasets::PickleDataset d(folder.path / "r");
  int64_t wrong[2] = {0, 0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (int64_t i = 0; i < 500; ++i) wrong[t] += d.get(i)[1][{2}].item<int64_t>() != i;
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong[0] + wrong[1], 0);
}
