// SPDX-License-Identifier: MIT
#include "chainer/array/index.h"
#include "chainer/autograd/config.h"
#include "chainer/core/system/file.h"
#include "chainer/datasets/archive.h"
#include "chainer/datasets/cached_npz.h"
#include "chainer/datasets/download.h"
#include "chainer/datasets/datasets.h"
#include "chainer/datasets/idx.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"

namespace chainer::datasets {
namespace {

struct File {
  const char* name;
  const char* md5;  // of the unpacked content, which a mirror may have packed again, or of the packed file
};
struct Source {
  const char* dataset;  // its folder in the cache and on mirrors
  const char* url;
  File train_images, train_labels, test_images, test_labels;
};

constexpr Source kMnist{"mnist",
                        "http://yann.lecun.com/exdb/mnist/",
                        {"train-images-idx3-ubyte.gz", "6bbc9ace898e44ae57da46a324031adb"},
                        {"train-labels-idx1-ubyte.gz", "a25bea736e30d166cdddb491f175f624"},
                        {"t10k-images-idx3-ubyte.gz", "2646ac647ad5339dbf082846283269ea"},
                        {"t10k-labels-idx1-ubyte.gz", "27ae3e4e09519cfbb04c329615203637"}};
constexpr Source kFashion{"fashion-mnist",
                          "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
                          {"train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"},
                          {"train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe"},
                          {"t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79"},
                          {"t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"}};
constexpr Source kKuzushiji{"kuzushiji_mnist",
                            "http://codh.rois.ac.jp/kmnist/dataset/kmnist/",
                            {"train-images-idx3-ubyte.gz", "bdb82020997e1d708af4cf47b453dcf7"},
                            {"train-labels-idx1-ubyte.gz", "e144d726b3acfaa3e44228e80efcd344"},
                            {"t10k-images-idx3-ubyte.gz", "5c965bf0a639b31b8f53240b1b52f4d7"},
                            {"t10k-labels-idx1-ubyte.gz", "7320c461ea6c1c855c0b718fb2a4b134"}};

// Checks a cached file, which this library or the reference release wrote.
void check_parts(const std::map<std::string, Array>& parts) {
  const Array &x = parts.at("x"), &y = parts.at("y");
  if (!x || !y || x.ndim() != 2 || x.shape()[1] != 784 || y.ndim() != 1 || y.shape()[0] != x.shape()[0])
    throw FileError("expected images of 784 pixels and one label for each");
}

Array load(const Source& source, const File& file, int rank) {
  const std::string url = std::string(source.url) + file.name, what = text(url, " (from the dataset cache)");
  std::string bytes;
  for (int attempt = 0;; ++attempt) {
    const auto path = dataset::cached_download(url, text(source.dataset, "/", file.name));
    try {
      bytes = unpack_idx(path, rank, what);
      if (dataset::md5(bytes) != file.md5 && dataset::md5_of_file(path) != file.md5)
        throw FileError(what, " is not the expected file: its checksum differs");
      return parse_idx(bytes, rank, what);
    } catch (const FileAccessError&) {
      throw;  // access failed; the file itself may be complete
    } catch (const FileError&) {
      dataset::forget_download(url);  // perhaps an interrupted download by another program: try again
      if (attempt == 1) throw;
    }
  }
}

AnyDataset part(const Source& source, const char* name, const File& images, const File& labels, const MnistOptions& o) {
  const auto create = [&] {
    const Array raw = load(source, images, 3);
    return dataset::ArraysByName{{"x", raw.reshape({raw.shape()[0], -1})}, {"y", load(source, labels, 1)}};
  };
  const auto arrays = dataset::cached_npz(text(source.dataset, "/", name, ".npz"), {"x", "y"}, create, check_parts);
  return make_mnist_dataset(arrays.at("x"), arrays.at("y"), o);
}

TrainTest both(const Source& s, const MnistOptions& o) {
  return {part(s, "train", s.train_images, s.train_labels, o), part(s, "test", s.test_images, s.test_labels, o)};
}

}  // namespace

AnyDataset make_mnist_dataset(const Array& images, const Array& labels, const MnistOptions& o) {
  const int64_t n = images.shape()[0];
  Array x;
  if (o.ndim == 1)
    x = images.reshape({n, 784});
  else if (o.ndim == 2)
    x = images.reshape({n, 28, 28});
  else if (o.ndim == 3)
    x = images.reshape({n, 1, 28, 28});
  else
    throw ValueError("get_mnist: ndim must be 1, 2 or 3, not ", o.ndim);
  if (o.rgb_format) {
    if (o.ndim != 3) throw ValueError("get_mnist: rgb_format needs ndim 3, not ", o.ndim);
    x = broadcast_to(x, {n, 3, 28, 28}).copy();
  }
  x = x.astype(get_dtype(o.dtype));
  x *= o.scale / 255.0;
  if (!o.withlabel) return AnyDataset(x);
  return TupleDataset(x, labels.astype(o.label_dtype));
}

TrainTest get_mnist(const MnistOptions& o) { return both(kMnist, o); }
TrainTest get_fashion_mnist(const MnistOptions& o) { return both(kFashion, o); }
const std::vector<std::string>& get_fashion_mnist_labels() {
  static const std::vector<std::string> labels{"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                               "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
  return labels;
}

TrainTest get_kuzushiji_mnist(const MnistOptions& o) { return both(kKuzushiji, o); }
const std::vector<std::string>& get_kuzushiji_mnist_labels() {
  static const std::vector<std::string> labels{"o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"};
  return labels;
}

}  // namespace chainer::datasets
