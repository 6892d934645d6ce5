// SPDX-License-Identifier: MIT
// Named datasets (manual: "Concrete Datasets"), from the cache, a mirror or the network (see download.h). The get_
// functions throw FileError if a download fails or a file is damaged.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chainer/datasets/dataset.h"
#include "chainer/core/other_options.h"

namespace chainer::datasets {

/// Options of get_mnist() and get_fashion_mnist(), in the manual's order.
struct MnistOptions {
  bool withlabel = true;
  int64_t ndim = 1;    ///< 1: (784,); 2: (28, 28); 3: (1, 28, 28)
  double scale = 1.0;  ///< pixels are in [0, scale]
  std::optional<Dtype> dtype = {};
  Dtype label_dtype = int32;
  bool rgb_format = false;  ///< (3, 28, 28), with ndim 3
};
struct TrainTest {
  AnyDataset train, test;
};
/// The handwritten digits of LeCun, Cortes and Burges: 60,000 for training and 10,000 for testing. Downloaded to the
/// dataset cache on first use (see download.h) and checked. Throws ValueError for another ndim, or for rgb_format
/// unless ndim is 3.
TrainTest get_mnist(const MnistOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(get_mnist, ".withlabel, .ndim, .scale, .dtype, .label_dtype, .rgb_format");
/// Fashion-MNIST of Xiao et al., in the form of get_mnist().
TrainTest get_fashion_mnist(const MnistOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(get_fashion_mnist, ".withlabel, .ndim, .scale, .dtype, .label_dtype, .rgb_format");
const std::vector<std::string>& get_fashion_mnist_labels();
/// Kuzushiji-MNIST of Clanuwat et al. (2018), ten cursive Japanese characters, in the form of get_mnist().
TrainTest get_kuzushiji_mnist(const MnistOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(get_kuzushiji_mnist, ".withlabel, .ndim, .scale, .dtype, .label_dtype, .rgb_format");
/// The readings of the ten classes of Kuzushiji-MNIST.
const std::vector<std::string>& get_kuzushiji_mnist_labels();
/// Synthetic digits (strokes under random affine and elastic distortion, fixed seed) with the shapes and dtypes of
/// get_mnist(), for use without a network.
TrainTest get_drawn_digits(const MnistOptions& options = {}, int64_t train_size = 60000, int64_t test_size = 10000);
/// Makes a dataset in the form of get_mnist() from images (n, 784) and labels (n), uint8.
AnyDataset make_mnist_dataset(const Array& images, const Array& labels, const MnistOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(make_mnist_dataset, ".withlabel, .ndim, .scale, .dtype, .label_dtype, .rgb_format",
                         const Array&, const Array&);

/// Options of get_cifar10() and get_cifar100(), in the manual's order.
struct CifarOptions {
  bool withlabel = true;
  int64_t ndim = 3;    ///< 1: (3072,); 3: (3, 32, 32)
  double scale = 1.0;  ///< pixels are in [0, scale]
  std::optional<Dtype> dtype = {};
};
/// CIFAR-10 of Krizhevsky: 50,000 color images of 32x32 for training and 10,000 for testing, in ten classes with int32
/// labels. Throws ValueError for another ndim.
TrainTest get_cifar10(const CifarOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(get_cifar10, ".withlabel, .ndim, .scale, .dtype");
/// CIFAR-100, in the form of get_cifar10(), with the 100 fine labels.
TrainTest get_cifar100(const CifarOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(get_cifar100, ".withlabel, .ndim, .scale, .dtype");
/// Makes a dataset in the form of get_cifar10() from images (n, 3072) and labels (n), uint8.
AnyDataset make_cifar_dataset(const Array& images, const Array& labels, const CifarOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(make_cifar_dataset, ".withlabel, .ndim, .scale, .dtype", const Array&, const Array&);
/// Returns images (n, 3072) and labels (n) from the binary form of CIFAR: each record is `label_bytes` labels, of which
/// the last counts, and 3072 pixels. Throws FileError, naming `what`, for another length or a label of `classes` or
/// more.
std::pair<Array, Array> read_cifar(std::string_view bytes, int label_bytes, int classes, const std::string& what);

/// Options of get_svhn(), in the manual's order.
struct SvhnOptions {
  bool withlabel = true;
  double scale = 1.0;
  std::optional<Dtype> dtype = {};
  Dtype label_dtype = int32;
  bool add_extra = false;
};
struct TrainTestExtra {
  AnyDataset train, test;
  AnyDataset extra;  ///< none without add_extra
};
/// The street view house numbers of Netzer et al. (2011), cropped to 32x32: shape (3, 32, 32), the digit 0 has label 0.
TrainTestExtra get_svhn(const SvhnOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(get_svhn, ".withlabel, .scale, .dtype, .label_dtype, .add_extra");

/// Word ids of the three parts, int32 (n), with <eos> after every line.
struct PtbWords {
  Array train, valid, test;
};
/// The Penn Treebank in the form of Mikolov et al.: 929,589, 73,760 and 82,430 words. Ids are numbered by first
/// appearance in the training part.
PtbWords get_ptb_words();
/// Returns the ids of the words of get_ptb_words().
std::map<std::string, int32_t> get_ptb_words_vocabulary();
/// Returns the words of a text, with <eos> after every line.
std::vector<std::string> split_words(std::string_view text);
/// Returns the ids of words, int32 (n). Throws KeyError, naming the word, for a word that is not in the vocabulary.
Array word_ids(const std::vector<std::string>& words, const std::map<std::string, int32_t>& vocabulary);
/// Returns ids of words, numbered by first appearance.
std::map<std::string, int32_t> make_vocabulary(const std::vector<std::string>& words);

}  // namespace chainer::datasets
