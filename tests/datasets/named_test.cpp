// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include <zlib.h>

#include <cstdlib>
#include <filesystem>

#include "chainer/core/system/file.h"
#include "chainer/datasets/archive.h"
#include "chainer/datasets/gzip.h"
#include "chainer/datasets/cached_npz.h"
#include "chainer/datasets/download.h"
#include "chainer/datasets/matlab.h"
#include "folder.h"
#include "test.h"

using namespace chainer;

namespace {

// A dataset root for this test, with an empty folder as the mirror: nothing is downloaded.
struct Root {
  test::Folder folder;
  Root() {
    dataset::set_dataset_root(folder.path / "root");
    ::setenv("CHAINER_DATASET_MIRROR", (folder.path / "mirror").c_str(), 1);
  }
  ~Root() {
    dataset::set_dataset_root("");
    ::unsetenv("CHAINER_DATASET_MIRROR");
  }
  void mirror(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((folder.path / "mirror" / name).parent_path());
    write_file(folder.path / "mirror" / name, content);
  }
  void cache(const std::string& name, const dataset::ArraysByName& arrays) const {
    const auto path = folder.path / "root" / "pfnet" / "chainer" / name;
    std::filesystem::create_directories(path.parent_path());
    serializers::write_npz(path, arrays);
  }
};

std::string tar(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string out;
  for (const auto& [name, content] : members) {
    std::string h(512, '\0');
    h.replace(0, name.size(), name);
    char octal[24];
    std::snprintf(octal, sizeof octal, "%011zo", content.size());
    h.replace(124, 11, octal);
    h[156] = '0';
    h.replace(257, 8,
              std::string("ustar\0"
                          "00",
                          8));
    h.replace(148, 8, "        ");
    unsigned sum = 0;
    for (char c : h) sum += static_cast<unsigned char>(c);
    std::snprintf(octal, sizeof octal, "%06o", sum);
    h.replace(148, 7, std::string(octal, 6) + '\0');
    out += h + content + std::string((512 - content.size() % 512) % 512, '\0');
  }
  return out + std::string(1024, '\0');
}

void write_gzip(const std::filesystem::path& path, const std::string& content) {
  const gzFile f = gzopen(path.c_str(), "wb");
  gzwrite(f, content.data(), static_cast<unsigned>(content.size()));
  gzclose(f);
}

}  // namespace

TEST(archives) {
  const std::string bytes = tar({{"a/b", "hello"}, {"c", std::string(700, 'x')}});
  const auto members = dataset::tar_members(bytes, "t.tar");
  EXPECT_EQ(members.size(), std::size_t(2));
  EXPECT_EQ(members[0].name + ":" + std::string(members[0].bytes), "a/b:hello");
  EXPECT_EQ(members[1].bytes.size(), std::size_t(700));
  EXPECT_THROW(FileError, "t.tar is not a whole tar archive: it ends early",
               dataset::tar_members(std::string_view(bytes).substr(0, 1100), "t.tar"));
  std::string bad = bytes;
  bad[3] = 'z';
  EXPECT_THROW(FileError, "checksum of a header", dataset::tar_members(bad, "t.tar"));
  const test::Folder folder;
  write_gzip(folder.path / "x.gz", bytes);
  EXPECT(dataset::gunzip(folder.path / "x.gz", "x.gz") == bytes);
  const std::string packed = read_file(folder.path / "x.gz");
  write_file(folder.path / "cut.gz", packed.substr(0, packed.size() - 9));
  EXPECT_THROW(FileError, "cut.gz is truncated", dataset::gunzip(folder.path / "cut.gz", "cut.gz"));
}

TEST(known_files_are_verified) {
  const Root root;
  root.mirror("x/file", "content");
  const dataset::KnownFile good{"http://nowhere.invalid/file", "x/file", dataset::md5("content")};
  EXPECT_EQ(read_file(dataset::known_download(good)), "content");
  dataset::KnownFile wrong{"http://nowhere.invalid/other", "x/file", dataset::md5("another content")};
  EXPECT_THROW(FileError, "its checksum (MD5) is " + dataset::md5("content"), dataset::known_download(wrong));
  std::size_t kept = 0;
  for (const auto& e : std::filesystem::directory_iterator(root.folder.path / "root" / "_dl_cache"))
    kept += e.path().filename() != ".lock";
  EXPECT_EQ(kept, std::size_t(1));
  // A damaged file in the cache is fetched again.
  write_file(dataset::known_download(good), "damaged");
  EXPECT_EQ(read_file(dataset::known_download(good)), "content");
  std::string long_text(1000003, 'x');
  dataset::Md5 pieces;
  for (std::size_t at = 0; at < long_text.size(); at += 997) pieces.add(std::string_view(long_text).substr(at, 997));
  EXPECT_EQ(pieces.hex(), dataset::md5(long_text));
}

TEST(cifar) {
  std::string record(3073, '\0');
  for (std::size_t i = 0; i < 3072; ++i) record[i + 1] = static_cast<char>(i % 256);
  record[0] = 9;
  const auto cifar = datasets::read_cifar(record + record, 1, 10, "batch");
  const Array &x = cifar.first, &y = cifar.second;
  EXPECT_EQ(x.shape(), (Shape{2, 3072}));
  EXPECT_CLOSE(y, array({9, 9}));
  EXPECT_THROW(FileError, "not a multiple of 3073", datasets::read_cifar(record.substr(1), 1, 10, "batch"));
  EXPECT_THROW(FileError, "picture 0 has label 9 of 9", datasets::read_cifar(record, 1, 9, "batch"));
  EXPECT_EQ(datasets::read_cifar("\x05" + record, 2, 100, "batch").second.item<int>(), 9);  // the fine label
  const AnyDataset flat = datasets::make_cifar_dataset(x, y, {.ndim = 1, .scale = 255});
  EXPECT_EQ(flat[0][0][{300}].item<float>(), 44.f);
  EXPECT_EQ(flat[0][1].dtype(), int32);
  const AnyDataset plain = datasets::make_cifar_dataset(x, y, {.withlabel = false});
  EXPECT_EQ(plain[0][0].shape(), (Shape{3, 32, 32}));
  EXPECT_EQ(plain[0].size(), std::size_t(1));
  EXPECT_THROW(ValueError, "1 or 3, not 2", datasets::make_cifar_dataset(x, y, {.ndim = 2}));
  // A cache file of the reference release is read.
  const Root root;
  root.cache("cifar/cifar-10.npz",
             {{"train_x", x}, {"train_y", y}, {"test_x", x[{Slice(0, 1)}]}, {"test_y", y[{Slice(0, 1)}]}});
  const auto [train, test] = datasets::get_cifar10();
  EXPECT(train.size() == 2 && test.size() == 1);
  EXPECT_CLOSE(train[1][0].reshape({-1})[{255}], array(1.f));
  EXPECT_THROW(FileError, "cifar-100-binary.tar.gz", datasets::get_cifar100());
  root.mirror("cifar/cifar-100-binary.tar.gz", "something else");
  EXPECT_THROW(FileError, "not 03b5dce01913d631647c71ecec9e9cb8", datasets::get_cifar100());
}

TEST(matlab_files) {
  for (const char* name : {"plain.mat", "packed.mat"}) {
    const auto a = dataset::load_matlab(TEST_DATA "images/" + std::string(name));
    EXPECT_EQ(a.size(), std::size_t(4));  // the text is skipped
    EXPECT_CLOSE(a.at("X"), arange(120).reshape({2, 3, 4, 5}).astype(uint8), {.atol = 0, .rtol = 0});
    EXPECT_EQ(a.at("X").dtype(), uint8);
    EXPECT_CLOSE(a.at("wide"), array({{1.5, -2e300}, {0.0, 7.0}}));
    EXPECT_CLOSE(a.at("words"), array({{65535, 1}}));
    const std::string good = read_file(TEST_DATA "images/" + std::string(name));
    random::RandomState r(0);
    for (std::size_t n = 0; n < good.size(); n += 7) {
      try {
        (void)dataset::parse_matlab(std::string_view(good).substr(0, n), "cut.mat");
      } catch (const FileError& e) { EXPECT(std::string(e.what()).find("cut.mat") != std::string::npos); }
    }
    for (int i = 0; i < 500; ++i) {
      std::string bad = good;
      for (int k = 0; k < 3; ++k) bad[128 + r.next_interval(bad.size() - 129)] = static_cast<char>(r.next_uint32());
      try {
        (void)dataset::parse_matlab(bad, "flipped.mat");
      } catch (const FileError&) {}
    }
  }
  EXPECT_THROW(FileError, "not a MAT file", dataset::parse_matlab("hello", "no.mat"));
}

TEST(svhn) {
  const Root root;
  root.cache("svhn/train.npz",
             {{"x", arange(2 * 3072).reshape({32, 32, 3, 2}).astype(uint8)}, {"y", array({{10}, {3}}).astype(uint8)}});
  root.cache("svhn/test.npz", {{"x", zeros({32, 32, 3, 1}, uint8)}, {"y", array({{1}}).astype(uint8)}});
  const auto [train, test, extra] = datasets::get_svhn({.scale = 255, .label_dtype = int64});
  EXPECT(train.size() == 2 && test.size() == 1 && !extra);
  EXPECT_EQ(train[0][0].shape(), (Shape{3, 32, 32}));
  EXPECT_EQ(train[1][0][{2, 0, 1}].item<int>(), 11);  // (32, 32, 3, 2) at [0, 1, 2, 1]
  EXPECT(train[0][1].item<int>() == 0 && train[1][1].item<int>() == 3);
  EXPECT_EQ(train[0][1].dtype(), int64);
  EXPECT_THROW(FileError, "extra_32x32.mat", datasets::get_svhn({.add_extra = true}));
}

TEST(kuzushiji) {
  const Root root;
  EXPECT_EQ(datasets::get_kuzushiji_mnist_labels()[7], "ya");
  EXPECT_THROW(FileError, "kuzushiji_mnist/train-images", datasets::get_kuzushiji_mnist());
  for (const char* part : {"train", "test"})
    root.cache(text("kuzushiji_mnist/", part, ".npz"), {{"x", zeros({4, 784}, uint8)}, {"y", arange(4).astype(uint8)}});
  EXPECT_EQ(datasets::get_kuzushiji_mnist({.ndim = 3}).train[2][1].item<int>(), 2);
}

TEST(a_file_of_the_cache_may_need_another_of_its_folder) {
  const Root root;
  const auto folder = root.folder.path / "root" / "x";
  std::string content;
  dataset::cache_or_load_file(
      folder / "outer",
      [&](const std::filesystem::path& outer) {
        dataset::cache_or_load_file(
            folder / "inner", [](const std::filesystem::path& p) { write_file(p, "in"); },
            [&](const std::filesystem::path& p) { write_file(outer, read_file(p) + "out"); });
      },
      [&](const std::filesystem::path& p) { content = read_file(p); });
  EXPECT_EQ(content, "inout");
}

TEST(words) {
  const auto words = datasets::split_words(" the cat \nsat  on\n\nthe mat");
  EXPECT(words ==
         (std::vector<std::string>{"the", "cat", "<eos>", "sat", "on", "<eos>", "<eos>", "the", "mat", "<eos>"}));
  const auto vocabulary = datasets::make_vocabulary(words);
  EXPECT_EQ(vocabulary.at("sat"), 3);
  EXPECT_CLOSE(datasets::word_ids(words, vocabulary), array({0, 1, 2, 3, 4, 2, 2, 0, 5, 2}));
  EXPECT_THROW(KeyError, "no word 'dog'", datasets::word_ids({"dog"}, vocabulary));
  const Root root;
  EXPECT_THROW(FileError, "ptb/ptb.train.txt", datasets::get_ptb_words());
  const auto folder = root.folder.path / "root" / "pfnet" / "chainer" / "ptb";
  for (const char* part : {"train", "valid", "test"})
    root.cache(text("ptb/", part, ".npz"), {{"x", arange(3).astype(int32)}});
  write_file(folder / "vocab.txt", "aer\nbanknote\n<unk>\n");
  EXPECT_EQ(datasets::get_ptb_words_vocabulary().at("<unk>"), 2);
  const auto [train, valid, test] = datasets::get_ptb_words();
  EXPECT(train.dtype() == int32 && valid.size() == 3 && test.size() == 3);
}
