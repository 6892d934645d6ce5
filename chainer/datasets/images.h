// SPDX-License-Identifier: MIT
// Datasets of pictures (manual: "ImageDataset", "LabeledImageDataset").
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chainer/datasets/dataset.h"
#include "chainer/core/other_options.h"

namespace chainer::zip {
class Reader;
}

namespace chainer::datasets {

/// Paths of pictures, from a list or a text file with a path in each line.
class ImagePaths {
 public:
  ImagePaths(const char* list_file) : ImagePaths(std::filesystem::path(list_file)) {}
  ImagePaths(const std::string& list_file) : ImagePaths(std::filesystem::path(list_file)) {}
  ImagePaths(const std::filesystem::path& list_file);
  ImagePaths(std::vector<std::string> paths) : paths(std::move(paths)) {}
  ImagePaths(std::initializer_list<std::string> paths) : paths(paths) {}
  std::vector<std::string> paths;
};
/// Paths and labels, from a list of pairs or a text file whose lines are a path, blanks and an integer. Throws
/// ValueError, naming the line, for other content.
class LabeledPaths {
 public:
  using Pair = std::pair<std::string, int64_t>;
  LabeledPaths(const char* list_file) : LabeledPaths(std::filesystem::path(list_file)) {}
  LabeledPaths(const std::string& list_file) : LabeledPaths(std::filesystem::path(list_file)) {}
  LabeledPaths(const std::filesystem::path& list_file);
  LabeledPaths(std::vector<Pair> pairs) : pairs(std::move(pairs)) {}
  LabeledPaths(std::initializer_list<Pair> pairs) : pairs(pairs) {}
  std::vector<Pair> pairs;
};

/// Options of ImageDataset, in the manual's order.
struct ImageDatasetOptions {
  std::filesystem::path root = ".";  ///< the folder that paths are relative to
  std::optional<Dtype> dtype = {};   ///< config().dtype by default
  int64_t least_side = 0;            ///< decode JPEG pictures at a smaller scale: see dataset::decode_picture()
};
/// Pictures from files, read on access: arrays (channels, height, width) of values 0 to 255. Reads JPEG, PNG, BMP and
/// PNM (see image.h); gray gives one channel, RGB three, RGBA and CMYK four, a palette its indices. get() throws
/// FileError, naming the file, if it is missing, damaged or of another format.
class ImageDataset : public Dataset {
 public:
  explicit ImageDataset(ImagePaths paths, const ImageDatasetOptions& options = {});
  CHAINER_OTHER_OPTIONS(ImageDataset, ".root, .dtype, .least_side", ImagePaths);
  explicit ImageDataset(std::initializer_list<std::string> paths, const ImageDatasetOptions& options = {})
      : ImageDataset(ImagePaths(paths), options) {}
  CHAINER_OTHER_OPTIONS(ImageDataset, ".root, .dtype, .least_side", std::initializer_list<std::string>);
  int64_t size() const override { return static_cast<int64_t>(paths_.size()); }
  Example get(int64_t i) const override;

 private:
  std::vector<std::string> paths_;
  std::filesystem::path root_;
  Dtype dtype_;
  int64_t least_side_;
};

/// Options of LabeledImageDataset, in the manual's order.
struct LabeledImageDatasetOptions {
  std::filesystem::path root = ".";
  std::optional<Dtype> dtype = {};
  Dtype label_dtype = int32;
  int64_t least_side = 0;  ///< as in ImageDatasetOptions
};
/// Tuples of a picture, as in ImageDataset, and its label, an array of shape ().
class LabeledImageDataset : public Dataset {
 public:
  explicit LabeledImageDataset(LabeledPaths pairs, const LabeledImageDatasetOptions& options = {});
  CHAINER_OTHER_OPTIONS(LabeledImageDataset, ".root, .dtype, .label_dtype, .least_side", LabeledPaths);
  int64_t size() const override { return static_cast<int64_t>(pairs_.size()); }
  Example get(int64_t i) const override;

 private:
  std::vector<LabeledPaths::Pair> pairs_;
  std::filesystem::path root_;
  Dtype dtype_, label_dtype_;
  int64_t least_side_;
};

/// Options of the datasets of zipped pictures.
struct ZippedImageDatasetOptions {
  std::optional<Dtype> dtype = {};
  int64_t least_side = 0;  ///< as in ImageDatasetOptions
};
/// The pictures in a zip archive, in the order of the archive, without folders. The archive is kept in memory and may
/// be read by several threads. Throws FileError for a damaged archive or picture.
class ZippedImageDataset : public Dataset {
 public:
  explicit ZippedImageDataset(const std::filesystem::path& zipfilename, const ZippedImageDatasetOptions& options = {});
  CHAINER_OTHER_OPTIONS(ZippedImageDataset, ".dtype, .least_side", const std::filesystem::path&);
  int64_t size() const override { return static_cast<int64_t>(names_.size()); }
  Example get(int64_t i) const override;
  /// Returns the picture of a member. Throws KeyError if there is no member of this name.
  Array get(const std::string& name) const;
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::string zipfilename_;
  std::shared_ptr<const zip::Reader> zip_;
  std::vector<std::string> names_;
  Dtype dtype_;
  int64_t least_side_;
};

/// The pictures of several archives, one archive after the other.
class MultiZippedImageDataset : public Dataset {
 public:
  explicit MultiZippedImageDataset(const std::vector<std::filesystem::path>& zipfilenames,
                                   const ZippedImageDatasetOptions& options = {});
  CHAINER_OTHER_OPTIONS(MultiZippedImageDataset, ".dtype, .least_side", const std::vector<std::filesystem::path>&);
  int64_t size() const override { return ends_.empty() ? 0 : ends_.back(); }
  Example get(int64_t i) const override;

 private:
  std::vector<ZippedImageDataset> parts_;
  std::vector<int64_t> ends_;
};

/// Options of LabeledZippedImageDataset, in the manual's order.
struct LabeledZippedImageDatasetOptions {
  std::optional<Dtype> dtype = {};
  Dtype label_dtype = int32;
  int64_t least_side = 0;  ///< as in ImageDatasetOptions
};
/// Tuples of a picture in a zip archive and its label; names and labels come from a text file or a list.
class LabeledZippedImageDataset : public Dataset {
 public:
  LabeledZippedImageDataset(const std::filesystem::path& zipfilename, LabeledPaths pairs,
                            const LabeledZippedImageDatasetOptions& options = {});
  CHAINER_OTHER_OPTIONS(LabeledZippedImageDataset, ".dtype, .label_dtype, .least_side", const std::filesystem::path&,
                        LabeledPaths);
  int64_t size() const override { return static_cast<int64_t>(pairs_.size()); }
  Example get(int64_t i) const override;

 private:
  ZippedImageDataset pictures_;
  std::vector<LabeledPaths::Pair> pairs_;
  Dtype label_dtype_;
};

}  // namespace chainer::datasets
