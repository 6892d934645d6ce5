// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>

#include "chainer/autograd/config.h"
#include "chainer/datasets/archive.h"
#include "chainer/datasets/gzip.h"
#include "chainer/datasets/cached_npz.h"
#include "chainer/datasets/datasets.h"
#include "chainer/datasets/download.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/manipulation.h"

namespace chainer::datasets {
namespace {

constexpr int64_t kPixels = 3072;

struct Source {
  const char* name;  // name of the cached NPZ file
  dataset::KnownFile archive;
  std::vector<std::string> train, test;  // members of the archive
  int label_bytes, classes;
};

// The binary archives have the same images in the same order as the Python archives, which the reference release
// downloads.
const Source& cifar10() {
  static const Source s{"cifar-10",
                        {"https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz", "cifar/cifar-10-binary.tar.gz",
                         "c32a1d4ab5d03f1284b67883e8d87530"},
                        {"cifar-10-batches-bin/data_batch_1.bin", "cifar-10-batches-bin/data_batch_2.bin",
                         "cifar-10-batches-bin/data_batch_3.bin", "cifar-10-batches-bin/data_batch_4.bin",
                         "cifar-10-batches-bin/data_batch_5.bin"},
                        {"cifar-10-batches-bin/test_batch.bin"},
                        1,
                        10};
  return s;
}
const Source& cifar100() {
  static const Source s{"cifar-100",
                        {"https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz", "cifar/cifar-100-binary.tar.gz",
                         "03b5dce01913d631647c71ecec9e9cb8"},
                        {"cifar-100-binary/train.bin"},
                        {"cifar-100-binary/test.bin"},
                        2,
                        100};
  return s;
}

std::string joined(const std::vector<dataset::TarMember>& members, const std::vector<std::string>& names,
                   const std::string& what) {
  std::string out;
  for (const std::string& name : names) {
    const auto it = std::find_if(members.begin(), members.end(), [&](const auto& m) { return m.name == name; });
    if (it == members.end()) throw FileError(what, ": no member '", name, "'");
    out += it->bytes;
  }
  return out;
}

TrainTest get(const Source& s, const CifarOptions& o) {
  const auto create = [&] {
    const std::string& what = s.archive.url;
    const std::string archive = dataset::gunzip(dataset::known_download(s.archive), what);
    const auto members = dataset::tar_members(archive, what);
    const auto [train_x, train_y] =
        read_cifar(joined(members, s.train, what), s.label_bytes, s.classes, text(what, ", training part"));
    const auto [test_x, test_y] =
        read_cifar(joined(members, s.test, what), s.label_bytes, s.classes, text(what, ", test part"));
    return dataset::ArraysByName{{"train_x", train_x}, {"train_y", train_y}, {"test_x", test_x}, {"test_y", test_y}};
  };
  const auto a =
      dataset::cached_npz(text("cifar/", s.name, ".npz"), {"train_x", "train_y", "test_x", "test_y"}, create);
  return {make_cifar_dataset(a.at("train_x"), a.at("train_y"), o),
          make_cifar_dataset(a.at("test_x"), a.at("test_y"), o)};
}

}  // namespace

std::pair<Array, Array> read_cifar(std::string_view bytes, int label_bytes, int classes, const std::string& what) {
  const auto record = static_cast<std::size_t>(label_bytes) + kPixels;
  if (bytes.empty() || bytes.size() % record != 0)
    throw FileError(what, " has ", bytes.size(), " bytes, which is not a multiple of ", record, " bytes per picture");
  const auto n = static_cast<int64_t>(bytes.size() / record);
  Array x({n, kPixels}, uint8), y({n}, uint8);
  auto *pixels = x.mutable_data<uint8_t>(), *labels = y.mutable_data<uint8_t>();
  for (int64_t i = 0; i < n; ++i, bytes.remove_prefix(record)) {
    labels[i] = static_cast<uint8_t>(bytes[static_cast<std::size_t>(label_bytes) - 1]);
    if (labels[i] >= classes) throw FileError(what, ": picture ", i, " has label ", int(labels[i]), " of ", classes);
    std::memcpy(pixels + i * kPixels, bytes.data() + label_bytes, kPixels);
  }
  return {x, y};
}

AnyDataset make_cifar_dataset(const Array& images, const Array& labels, const CifarOptions& o) {
  if (o.ndim != 1 && o.ndim != 3) throw ValueError("get_cifar: ndim must be 1 or 3, not ", o.ndim);
  Array x = o.ndim == 1 ? images.reshape({-1, kPixels}) : images.reshape({-1, 3, 32, 32});
  x = x.astype(get_dtype(o.dtype));
  x *= o.scale / 255.0;
  if (!o.withlabel) return AnyDataset(x);
  return TupleDataset(x, labels.astype(int32));
}

TrainTest get_cifar10(const CifarOptions& o) { return get(cifar10(), o); }
TrainTest get_cifar100(const CifarOptions& o) { return get(cifar100(), o); }

}  // namespace chainer::datasets
