// Datasets with names (manual: "Concrete Datasets"): from the cache, a mirror or the network (see download.h).
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chainer/datasets/dataset.h"

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
/// The handwritten digits of LeCun, Cortes and Burges: 60,000 for training and 10,000 for testing. Downloaded on first
/// use into the dataset cache (see download.h) and checked.
TrainTest get_mnist(const MnistOptions& options = {});
/// Fashion-MNIST of Xiao et al., same form.
TrainTest get_fashion_mnist(const MnistOptions& options = {});
const std::vector<std::string>& get_fashion_mnist_labels();
/// Kuzushiji-MNIST of Clanuwat et al. (2018), ten cursive Japanese characters, same form.
TrainTest get_kuzushiji_mnist(const MnistOptions& options = {});
/// The readings of its ten classes.
const std::vector<std::string>& get_kuzushiji_mnist_labels();
/// Digits drawn by the program (strokes under random affine and elastic distortion, fixed seed): the shapes and types
/// of MNIST where there is no network.
TrainTest get_drawn_digits(const MnistOptions& options = {}, int64_t train_size = 60000, int64_t test_size = 10000);
/// The same from images (n, 784) and labels (n,) of bytes that are there already.
AnyDataset make_mnist_dataset(const Array& images, const Array& labels, const MnistOptions& options = {});

/// Options of get_cifar10() and get_cifar100(), in the manual's order.
struct CifarOptions {
  bool withlabel = true;
  int64_t ndim = 3;    ///< 1: (3072,); 3: (3, 32, 32)
  double scale = 1.0;  ///< pixels are in [0, scale]
  std::optional<Dtype> dtype = {};
};
/// CIFAR-10 of Krizhevsky: 50,000 colour images of 32x32 for training and 10,000 for testing, in ten classes with int32
/// labels. Any other ndim is a ValueError.
TrainTest get_cifar10(const CifarOptions& options = {});
/// CIFAR-100, same form, with the 100 fine labels.
TrainTest get_cifar100(const CifarOptions& options = {});
/// The same from images (n, 3072) and labels (n,) of bytes that are there already.
AnyDataset make_cifar_dataset(const Array& images, const Array& labels, const CifarOptions& options = {});
/// Images (n, 3072) and labels (n,) from bytes in CIFAR's binary form: each record is `label_bytes` labels, of which
/// the last counts, and 3072 pixels. FileError, naming `what`, for another length or a label of `classes` or more.
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

/// Word ids of the three parts, int32, with <eos> after every line.
struct PtbWords {
  Array train, valid, test;
};
/// The Penn Treebank in the form of Mikolov et al.: 929,589, 73,760 and 82,430 words. Ids follow the first appearance
/// in the training part.
PtbWords get_ptb_words();
/// The ids of the words.
std::map<std::string, int32_t> get_ptb_words_vocabulary();
/// The words of a text, with <eos> after every line.
std::vector<std::string> split_words(std::string_view text);
/// The ids of words, int32; a word that the vocabulary lacks is a KeyError that names it.
Array word_ids(const std::vector<std::string>& words, const std::map<std::string, int32_t>& vocabulary);
/// Ids by first appearance.
std::map<std::string, int32_t> make_vocabulary(const std::vector<std::string>& words);

}  // namespace chainer::datasets
