#include "chainer/array/index.h"
#include "chainer/autograd/config.h"
#include "chainer/core/file.h"
#include "chainer/datasets/datasets.h"
#include "chainer/datasets/download.h"
#include "chainer/datasets/idx.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/serializers/serializers.h"

namespace chainer::datasets {
namespace {

struct File {
  const char* name;
  const char* md5;  // of the unpacked content: a mirror may have packed it again
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
                          {"train-images-idx3-ubyte.gz", ""},
                          {"train-labels-idx1-ubyte.gz", ""},
                          {"t10k-images-idx3-ubyte.gz", ""},
                          {"t10k-labels-idx1-ubyte.gz", ""}};

// A cache that this library or the release wrote has both.
void check_parts(const Array& x, const Array& y, const std::string& what) {
  if (!x || !y || x.ndim() != 2 || x.shape()[1] != 784 || y.ndim() != 1 || y.shape()[0] != x.shape()[0])
    throw FileError(what, ": images of 784 pixels and as many labels were expected");
}

Array load(const Source& source, const File& file, int rank) {
  const std::string url = std::string(source.url) + file.name, what = text(url, " (from the dataset cache)");
  std::string bytes;
  for (int attempt = 0;; ++attempt) {
    const auto path = dataset::cached_download(url, text(source.dataset, "/", file.name));
    try {
      bytes = unpack_idx(path, rank, what);
      if (*file.md5 && dataset::md5(bytes) != file.md5)
        throw FileError(what, " is not the file expected: its checksum differs");
      return parse_idx(bytes, rank, what);
    } catch (const FileError&) {
      dataset::forget_download(url);  // perhaps an interrupted download of another program: once more
      if (attempt == 1) throw;
    }
  }
}

// Images and labels from the cache's NPZ, which is made from the downloads when it is not there. Where it cannot be
// written (a read-only cache), the downloads alone do.
AnyDataset part(const Source& source, const char* name, const File& images, const File& labels, const MnistOptions& o) {
  Array x, y;
  const auto path = dataset::get_dataset_root() / "pfnet" / "chainer" / source.dataset / (std::string(name) + ".npz");
  bool tried = false, made = false;
  const auto make = [&] {
    tried = true;
    x = load(source, images, 3);
    x = x.reshape({x.shape()[0], -1});
    y = load(source, labels, 1);
    made = true;
  };
  const auto create = [&](const std::filesystem::path& to) {
    make();
    serializers::DictionarySerializer::Target target;
    target["x"] = x;
    target["y"] = y;
    serializers::write_npz(to, target);
  };
  const auto read = [&](const std::filesystem::path& from) {
    const serializers::NpzFile file(from);
    x = file.array("x");
    y = file.array("y");
    check_parts(x, y, from.string());
  };
  const auto from_cache = [&] {
    try {
      dataset::cache_or_load_file(path, create, read);
      return true;
    } catch (const Error& e) {
      if (tried && !made) throw;
      if (made) warn(text("the dataset cache cannot be written: ", e.what()));
      return made;
    }
  };
  if (!from_cache()) {
    std::error_code ignored;
    const bool removed = std::filesystem::remove(path, ignored);  // a damaged cache is made anew
    if (!removed || !from_cache()) make();
  }
  return make_mnist_dataset(x, y, o);
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

}  // namespace chainer::datasets
