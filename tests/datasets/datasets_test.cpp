// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include <atomic>
#include <cstdlib>
#include <sys/resource.h>
#include <unistd.h>
#include <filesystem>
#include <limits>
#include <utility>

#include "chainer/core/system/file.h"
#include "chainer/datasets/download.h"
#include "chainer/datasets/cached_npz.h"
#include "chainer/datasets/idx.h"
#include "folder.h"
#include "test.h"

using namespace chainer;

namespace {
struct Squares : Dataset {
  int64_t size() const override { return 7; }
  Example get(int64_t i) const override { return {array(i), array(i * i)}; }
};
std::vector<int64_t> indices(const Examples& batch) {
  std::vector<int64_t> out;
  for (const Example& e : batch) out.push_back(e[0].item<int64_t>());
  return out;
}
using List = std::vector<int64_t>;
}  // namespace

TEST(general_datasets) {
  const AnyDataset d = Squares();
  EXPECT_EQ(d[-1][1].item<int>(), 36);
  EXPECT_THROW(IndexError, "out of range", d[7]);
  EXPECT(indices(d.slice(5, std::nullopt)) == (List{5, 6}) &&
         indices(d.slice(std::nullopt, std::nullopt, -3)) == (List{6, 3, 0}));
  const datasets::TupleDataset t(arange(3), arange(3) * 2, array({1.f, 2.f, 3.f}));
  EXPECT_EQ(t.get(2).size(), std::size_t(3));
  EXPECT_THROW(ValueError, "3 and 4", datasets::TupleDataset(arange(3), arange(4)));
  const datasets::DictDataset dict({{"x", arange(3)}, {"y", arange(3) * 2}});
  EXPECT_EQ(dict.get(1)["y"].item<int>(), 2);
  EXPECT_THROW(KeyError, "'z'", dict.get(1)["z"]);
  const AnyDataset joined = datasets::ConcatenatedDataset({arange(3), arange(2)});
  EXPECT_EQ(joined.size(), 5);
  EXPECT_EQ(joined[4][0].item<int>(), 1);
  const AnyDataset squared =
      datasets::TransformDataset(arange(4), [](const Example& e) { return Example(e[0] * e[0]); });
  EXPECT_EQ(squared[3][0].item<int>(), 9);
}

TEST(splits_and_folds) {
  const AnyDataset d = arange(7);
  const auto [a, b] = datasets::split_dataset(d, 3);
  EXPECT(a.size() == 3 && AnyDataset(b)[0][0].item<int>() == 3);
  EXPECT_THROW(ValueError, "outside 0 ... 7", datasets::split_dataset(d, 8));
  EXPECT_THROW(ValueError, "is not valid for", datasets::SubDataset(d, 5, 3));
  const auto [p, q] = datasets::split_dataset_random(d, 4, 0);
  std::vector<int64_t> all = indices(AnyDataset(p).slice({}, {}));
  for (int64_t i : indices(AnyDataset(q).slice({}, {}))) all.push_back(i);
  EXPECT(all == random::RandomState(0).permutation(7).to_vector<int64_t>());
  EXPECT_EQ(datasets::split_dataset_n(d, 3)[2].size(), 2);
  const auto folds = datasets::get_cross_validation_datasets(d, 3);
  const List tests[] = {{4, 5, 6}, {2, 3}, {0, 1}}, trains[] = {{0, 1, 2, 3}, {4, 5, 6, 0, 1}, {2, 3, 4, 5, 6}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT(indices(AnyDataset(folds[i].second).slice({}, {})) == tests[i]);
    EXPECT(indices(AnyDataset(folds[i].first).slice({}, {})) == trains[i]);
  }
}

TEST(steps_of_slices_of_any_length) {
  const AnyDataset d = Squares();
  constexpr int64_t most = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(d.slice(1, {}, most).size(), 1u);
  EXPECT_EQ(d.slice({}, {}, least).size(), 1u);
  EXPECT_EQ(d.slice(most, least, -most).size(), 1u);
  EXPECT_EQ(d.slice(least, most, 3).size(), static_cast<std::size_t>((d.size() + 2) / 3));
}

TEST(batches_become_arrays) {
  const AnyDataset d = Squares();
  auto [x, y] = concat_examples<2>(d.slice(0, 3));
  EXPECT_CLOSE(y, array({0, 1, 4}));
  EXPECT_EQ(x.dtype(), int64);
  const Examples ragged{Example(array({1.f, 2.f})), Example(array({3.f}))};
  EXPECT_THROW(ValueError, "padding", concat_examples(ragged));
  EXPECT_CLOSE(concat_examples(ragged, {}, -1)[0], array({{1.f, 2.f}, {3.f, -1.f}}));
  EXPECT_THROW(ValueError, "empty", concat_examples({}));
  EXPECT_THROW(ValueError, "different kinds, an array and a tuple with 1 entry",
               concat_examples({Example(arange(2)), Example(Arrays{arange(2)})}));
  const AnyDataset dict = datasets::DictDataset({{"x", arange(3)}, {"y", arange(3)}});
  EXPECT_EQ(concat_examples(dict.slice(0, 2))["x"].shape(), Shape{2});
  EXPECT_THROW(DeviceError, "no device", concat_examples(d.slice(0, 1), get_device("@cuda:0")));
}

TEST(serial_iteration_follows_the_release) {
  iterators::SerialIterator i(arange(5), 2, {.shuffle = false});
  EXPECT(!i.previous_epoch_detail());
  EXPECT(indices(i.next()) == (List{0, 1}) && i.epoch_detail() == 0.4);
  EXPECT(indices(i.next()) == (List{2, 3}) && i.epoch_detail() == 0.8 && !i.is_new_epoch());
  EXPECT(indices(i.next()) == (List{4, 0}) && i.epoch() == 1 && i.is_new_epoch() && i.epoch_detail() == 1.2);
  EXPECT(indices(i.next()) == (List{1, 2}) && *i.previous_epoch_detail() == 1.2);
  EXPECT(indices(i.next()) == (List{3, 4}) && i.epoch() == 2 && i.epoch_detail() == 2.0);
  iterators::SerialIterator once(arange(5), 2, {.repeat = false, .shuffle = false});
  (void)once.next(), (void)once.next();
  EXPECT(indices(once.next()) == List{4} && once.epoch_detail() == 1.0);
  EXPECT_THROW(StopIteration, "ended", once.next());
  once.reset();
  EXPECT(indices(once.next()) == (List{0, 1}));
  iterators::SerialIterator large(arange(3), 7, {.shuffle = false});
  EXPECT(indices(large.next()) == (List{0, 1, 2, 0, 1, 2, 0}) && large.epoch() == 2);
  EXPECT_THROW(
      ValueError, "not both",
      iterators::SerialIterator(arange(3), 1, {.shuffle = true, .order_sampler = iterators::ShuffleOrderSampler()}));
  EXPECT_THROW(ValueError, "positive", iterators::SerialIterator(arange(3), 0));
  EXPECT_THROW(ValueError, "with examples", iterators::SerialIterator(zeros({0, 2}), 1));
}

TEST(shuffles_draw_from_the_global_generator) {
  random::seed(3);
  iterators::SerialIterator i(arange(6), 4);
  random::RandomState r(3);
  const List first = r.permutation(6).to_vector<int64_t>();
  EXPECT(indices(i.next()) == List(first.begin(), first.begin() + 4));
  const List second = r.permutation(6).to_vector<int64_t>();
  EXPECT(indices(i.next()) == (List{first[4], first[5], second[0], second[1]}));
}

TEST(iterators_are_saved_and_restored) {
  random::seed(0);
  iterators::SerialIterator a(arange(10), 3), b(arange(10), 3);
  (void)a.next();
  serializers::DictionarySerializer s;
  a.serialize(s);
  EXPECT(s.target().count("order") && s.target().count("current_position"));
  serializers::NpzDeserializer d(
      std::make_shared<const serializers::NpzFile>(serializers::npz_bytes(s.target()), "memory"));
  b.serialize(d);
  EXPECT(indices(a.next()) == indices(b.next()));
  iterators::SerialIterator smaller(arange(4), 3);
  EXPECT_THROW(ValueError, "'order' is of 10 examples, the dataset has 4. A run resumes with the same dataset",
               smaller.serialize(d));
}

TEST(threads_read_the_same_sequence) {
  random::seed(0);
  iterators::MultithreadIterator m(Squares(), 3, {.shuffle = false, .n_threads = 3});
  iterators::SerialIterator s(Squares(), 3, {.shuffle = false});
  for (int i = 0; i < 8; ++i) {
    EXPECT(indices(m.next()) == indices(s.next()));
    EXPECT(m.epoch_detail() == s.epoch_detail() && m.is_new_epoch() == s.is_new_epoch());
  }
  struct Broken : Dataset {
    int64_t size() const override { return 4; }
    Example get(int64_t) const override { throw ValueError("a damaged example"); }
  };
  iterators::MultithreadIterator broken(Broken(), 2);
  EXPECT_THROW(ValueError, "a damaged example", broken.next());
}

TEST(a_threaded_iterator_goes_on_after_an_exception) {
  struct Unreliable : Dataset {
    std::shared_ptr<std::atomic<bool>> failing = std::make_shared<std::atomic<bool>>(false);
    std::shared_ptr<std::atomic<int>> threads = std::make_shared<std::atomic<int>>(0);
    int64_t size() const override { return 12; }
    Example get(int64_t i) const override {
      thread_local bool known = false;
      if (!std::exchange(known, true)) ++*threads;
      if (i == 5 && *failing) throw ValueError("example ", i, " cannot be read");
      return Example(array(i));
    }
  };
  const Unreliable data;
  *data.failing = true;
  iterators::MultithreadIterator m(data, 4, {.shuffle = false, .n_threads = 2});
  EXPECT(indices(m.next()) == (List{0, 1, 2, 3}));
  for (int attempt = 0; attempt < 3; ++attempt) EXPECT_THROW(ValueError, "example 5 cannot be read", m.next());
  EXPECT_EQ(m.epoch_detail(), 4. / 12);
  *data.failing = false;
  for (int64_t i = 4; i < 400; i += 4)
    EXPECT(indices(m.next()) == (List{i % 12, (i + 1) % 12, (i + 2) % 12, (i + 3) % 12}));
  // A pool of two threads reads all examples.
  EXPECT(*data.threads <= 2);
  iterators::MultithreadIterator moved(std::move(m));
  moved.finalize();
  EXPECT(indices(moved.next()) == (List{4, 5, 6, 7}));
  moved.reset();
  EXPECT(indices(moved.next()) == (List{0, 1, 2, 3}));
}

TEST(drawn_digits) {
  const auto [train, test] = datasets::get_drawn_digits({.ndim = 3}, 300, 50);
  EXPECT(train.size() == 300 && test.size() == 50);
  EXPECT_EQ(train[0][0].shape(), (Shape{1, 28, 28}));
  EXPECT_EQ(train[0][1].dtype(), int32);
  const Array x = concat_examples<2>(train.slice(0, 300))[0];
  EXPECT(max(x).item<double>() <= 1 && mean(x).item<double>() > 0.05 && mean(x).item<double>() < 0.3);
  const auto again = datasets::get_drawn_digits({.ndim = 3}, 300, 50);
  EXPECT_CLOSE(again.train[7][0], train[7][0], {.atol = 0, .rtol = 0});
  EXPECT_THROW(ValueError, "ndim", datasets::get_drawn_digits({.ndim = 4}, 10, 10));
  EXPECT_EQ(datasets::get_drawn_digits({.ndim = 3, .rgb_format = true}, 10, 10).train[0][0].shape(),
            (Shape{3, 28, 28}));
}

TEST(downloads_are_cached_and_whole) {
  const test::Folder folder;
  dataset::set_dataset_root(folder.path / "root");
  write_file(folder.path / "source", "content");
  const std::string url = "file://" + (folder.path / "source").string();
  const auto file = dataset::cached_download(url);
  EXPECT_EQ(read_file(file), "content");
  EXPECT_EQ(file.filename().string(), dataset::md5(url));
  write_file(folder.path / "source", "other");
  EXPECT_EQ(read_file(dataset::cached_download(url)), "content");
  EXPECT_THROW(FileError, "cannot read", dataset::cached_download("file:///no/such/file"));
  std::size_t left = 0;
  for (const auto& e : std::filesystem::directory_iterator(folder.path / "root" / "_dl_cache"))
    left += e.path().filename().string().rfind("tmp-", 0) == 0;
  EXPECT_EQ(left, std::size_t(0));
  int created = 0, loaded = 0;
  const auto target = folder.path / "root" / "x" / "made";
  for (int i = 0; i < 2; ++i)
    dataset::cache_or_load_file(
        target, [&](const auto& p) { ++created, write_file(p, "made"); },
        [&](const auto& p) { loaded += read_file(p) == "made"; });
  EXPECT(created == 1 && loaded == 2);
  // Making one file may need another one of the same folder.
  dataset::cache_or_load_file(
      target.parent_path() / "outer",
      [&](const auto& p) {
        dataset::cache_or_load_file(
            target.parent_path() / "inner", [&](const auto& q) { write_file(q, "inner"); }, [&](const auto&) {});
        write_file(p, "outer");
      },
      [&](const auto& p) { EXPECT_EQ(read_file(p), "outer"); });
  EXPECT_EQ(dataset::md5("The quick brown fox jumps over the lazy dog"), "9e107d9d372bb6826bd81d3542a419d6");
  EXPECT_EQ(dataset::md5(""), "d41d8cd98f00b204e9800998ecf8427e");
  dataset::set_dataset_root("");
}

namespace {
std::string idx(std::initializer_list<uint32_t> lengths, std::size_t elements) {
  std::string out{'\0', '\0', '\x08', static_cast<char>(lengths.size())};
  for (uint32_t n : lengths)
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(n >> shift & 0xff);
  return out + std::string(elements, '\1');
}
}  // namespace

TEST(idx_files_are_read_within_bounds) {
  EXPECT_EQ(datasets::parse_idx(idx({2, 3}, 6), 2, "file").shape(), (Shape{2, 3}));
  EXPECT_THROW(FileError, "5 elements, its header declares 6", datasets::parse_idx(idx({2, 3}, 5), 2, "file"));
  EXPECT_THROW(FileError, "not an IDX file of bytes with 3 axes", datasets::parse_idx(idx({2, 3}, 6), 3, "file"));
  EXPECT_THROW(FileError, "not an IDX file", datasets::parse_idx("", 1, "file"));
  // Lengths whose product wraps around to 0 in 64 bits.
  EXPECT_THROW(FileError, "more than 2^40", datasets::parse_idx(idx({1u << 31, 1u << 31, 4}, 0), 3, "file"));
  EXPECT_THROW(FileError, "more than 2^40", datasets::parse_idx(idx({0, ~0u, ~0u}, 0), 3, "file"));

  const test::Folder folder;
  const auto packed = [&](const std::string& content, std::size_t zeros) {
    write_file(folder.path / "content", content);
    const std::string command =
        text("cd '", folder.path.string(), "' && { cat content; head -c ", zeros, " /dev/zero; } | gzip -1 >packed.gz");
    EXPECT(std::system(command.c_str()) == 0);
    return folder.path / "packed.gz";
  };
  EXPECT_EQ(datasets::unpack_idx(packed(idx({2, 3}, 6), 0), 2, "file"), idx({2, 3}, 6));
  EXPECT_THROW(FileError, "fewer elements", datasets::unpack_idx(packed(idx({2, 3}, 5), 0), 2, "file"));
  // 100 MB after a header of six bytes, or without a header, are not unpacked.
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  EXPECT_THROW(FileError, "more elements", datasets::unpack_idx(packed(idx({2, 3}, 6), 100000000), 2, "file"));
  EXPECT_THROW(FileError, "not an IDX file", datasets::unpack_idx(packed("", 100000000), 2, "file"));
  getrusage(RUSAGE_SELF, &after);
  EXPECT(after.ru_maxrss - before.ru_maxrss < 20000);  // KiB
}

TEST(a_read_only_cache_of_downloads_is_enough) {
  namespace fs = std::filesystem;
  const test::Folder folder;
  const auto root = folder.path / "root", downloads = root / "_dl_cache";
  fs::create_directories(downloads);
  const std::string url = "http://nowhere.invalid/images";
  write_file(downloads / dataset::md5(url), idx({3, 2}, 6));
  dataset::set_dataset_root(root);
  struct Restricted {  // folders without write permission; root, which could write to them, continues as user nobody
    const std::vector<fs::path> folders;
    const bool root_user = ::geteuid() == 0;
    explicit Restricted(std::vector<fs::path> f) : folders(std::move(f)) {
      for (const auto& p : folders) fs::permissions(p, fs::perms(0555));
      if (root_user) EXPECT(::seteuid(65534) == 0);
    }
    ~Restricted() {
      if (root_user) EXPECT(::seteuid(0) == 0);
      for (const auto& p : folders) fs::permissions(p, fs::perms(0755));
    }
  };
  const auto create = [&] {
    return dataset::ArraysByName{{"x", datasets::parse_idx(read_file(dataset::cached_download(url)), 2, "file")}};
  };
  const auto check = [](const std::map<std::string, Array>& a) {
    if (a.at("x").shape() != Shape{3, 2}) throw FileError("three pairs were expected");
  };
  const auto load = [&] { return dataset::cached_npz("set/part.npz", {"x"}, create, check).at("x"); };
  {
    const Restricted permissions({root, downloads});
    EXPECT_EQ(load().shape(), (Shape{3, 2}));
    const auto fails = []() -> dataset::ArraysByName { throw FileError("there is no download"); };
    EXPECT_THROW(FileError, "there is no download", dataset::cached_npz("set/part.npz", {"x"}, fails));
  }
  EXPECT(!fs::exists(root / "pfnet"));
  // A writable cache is filled, and a damaged file in it is made again.
  const auto file = root / "pfnet" / "chainer" / "set" / "part.npz";
  EXPECT_EQ(load().shape(), (Shape{3, 2}));
  serializers::write_npz(file, {{"x", zeros({7})}});
  EXPECT_EQ(load().shape(), (Shape{3, 2}));
  EXPECT_EQ(serializers::NpzFile(file).array("x").shape(), (Shape{3, 2}));
  write_file(file, "no archive");
  {
    const Restricted permissions({file.parent_path()});
    EXPECT_EQ(load().shape(), (Shape{3, 2}));
  }
  dataset::set_dataset_root("");
}

TEST(orders_equal_the_releases) {
  const serializers::NpzFile f(TEST_DATA "../conformance/training.npz");
  for (bool repeat : {false, true}) {
    for (bool shuffle : {false, true}) {
      random::seed(8);
      iterators::SerialIterator it(arange(10), 4, {.repeat = repeat, .shuffle = shuffle});
      const Array expected = f.array(text("iterator/", int(repeat), int(shuffle)));
      for (int64_t row = 0; row < len(expected); ++row) {
        std::vector<double> got;
        for (int64_t i : indices(it.next())) got.push_back(static_cast<double>(i));
        got.resize(4, -1);
        for (double v : {static_cast<double>(it.epoch()), double(it.is_new_epoch()), it.epoch_detail()})
          got.push_back(v);
        EXPECT_CLOSE(array(got), expected[row], {.atol = 1e-12});
      }
      if (!repeat) EXPECT(!it.try_next());
    }
  }
}

TEST(dictionaries_of_several_arrays_and_in_several_orders) {
  const datasets::TupleDataset pairs(arange(3), arange(3) * 2);
  EXPECT_THROW(TypeError, "an example of 'pair' has 2 arrays, expected 1",
               (void)datasets::DictDataset({{"pair", pairs}}).get(0));
  const auto dict = [](std::vector<std::pair<std::string, Array>> entries) { return Example(std::move(entries)); };
  const Examples batch{dict({{"a", full({}, 1)}, {"b", full({}, 2)}}), dict({{"b", full({}, 3)}, {"a", full({}, 4)}})};
  const Example joined = concat_examples(batch);
  EXPECT(joined.names() == batch[0].names());
  EXPECT_CLOSE(joined.arrays()[0], array({1, 4}), {});
  EXPECT_CLOSE(joined.arrays()[1], array({2, 3}), {});
  EXPECT_THROW(KeyError, "has no entry 'b'",
               (void)concat_examples({batch[0], dict({{"c", full({}, 3)}, {"a", full({}, 4)}})}));
}
