// Datasets of pictures (manual: "ImageDataset", "LabeledImageDataset").
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chainer/datasets/dataset.h"

namespace chainer::zip {
class Reader;
}

namespace chainer::datasets {

/// Paths of pictures: a list, or a text file with a path on each line.
class ImagePaths {
 public:
  ImagePaths(const char* list_file) : ImagePaths(std::filesystem::path(list_file)) {}
  ImagePaths(const std::string& list_file) : ImagePaths(std::filesystem::path(list_file)) {}
  ImagePaths(const std::filesystem::path& list_file);
  ImagePaths(std::vector<std::string> paths) : paths(std::move(paths)) {}
  ImagePaths(std::initializer_list<std::string> paths) : paths(paths) {}
  std::vector<std::string> paths;
};
/// Paths and labels: a list of pairs, or a text file whose lines are a path, blanks and an integer. A line of any other
/// form is a ValueError that names it.
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
  std::filesystem::path root = ".";  ///< paths are relative to it
  std::optional<Dtype> dtype = {};   ///< config().dtype by default
};
/// Pictures of files, read when they are asked for: arrays (channels, height, width) of values 0 to 255. JPEG, PNG, BMP
/// and PNM are read (see image.h); grey gives one channel, RGB three, RGBA and CMYK four, a palette its indices. A file
/// that is missing, damaged or foreign is a FileError that names it.
class ImageDataset : public Dataset {
 public:
  explicit ImageDataset(ImagePaths paths, const ImageDatasetOptions& options = {});
  explicit ImageDataset(std::initializer_list<std::string> paths, const ImageDatasetOptions& options = {})
      : ImageDataset(ImagePaths(paths), options) {}
  int64_t size() const override { return static_cast<int64_t>(paths_.size()); }
  Example get(int64_t i) const override;

 private:
  std::vector<std::string> paths_;
  std::filesystem::path root_;
  Dtype dtype_;
};

/// Options of LabeledImageDataset, in the manual's order.
struct LabeledImageDatasetOptions {
  std::filesystem::path root = ".";
  std::optional<Dtype> dtype = {};
  Dtype label_dtype = int32;
};
/// Tuples of a picture, as ImageDataset reads it, and its label as a 0-d array.
class LabeledImageDataset : public Dataset {
 public:
  explicit LabeledImageDataset(LabeledPaths pairs, const LabeledImageDatasetOptions& options = {});
  int64_t size() const override { return static_cast<int64_t>(pairs_.size()); }
  Example get(int64_t i) const override;

 private:
  std::vector<LabeledPaths::Pair> pairs_;
  std::filesystem::path root_;
  Dtype dtype_, label_dtype_;
};

/// Options of the datasets of zipped pictures.
struct ZippedImageDatasetOptions {
  std::optional<Dtype> dtype = {};
};
/// The pictures in a zip archive, in the archive's order; folders are left out. The archive is kept in memory and may
/// be read by several threads.
class ZippedImageDataset : public Dataset {
 public:
  explicit ZippedImageDataset(const std::filesystem::path& zipfilename, const ZippedImageDatasetOptions& options = {});
  int64_t size() const override { return static_cast<int64_t>(names_.size()); }
  Example get(int64_t i) const override;
  /// The picture of a member; KeyError if there is none of this name.
  Array get(const std::string& name) const;
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::string zipfilename_;
  std::shared_ptr<const zip::Reader> zip_;
  std::vector<std::string> names_;
  Dtype dtype_;
};

/// The pictures of several archives, end to end.
class MultiZippedImageDataset : public Dataset {
 public:
  explicit MultiZippedImageDataset(const std::vector<std::filesystem::path>& zipfilenames,
                                   const ZippedImageDatasetOptions& options = {});
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
};
/// Tuples of a picture of a zip archive and its label; names and labels come from a text file or a list.
class LabeledZippedImageDataset : public Dataset {
 public:
  LabeledZippedImageDataset(const std::filesystem::path& zipfilename, LabeledPaths pairs,
                            const LabeledZippedImageDatasetOptions& options = {});
  int64_t size() const override { return static_cast<int64_t>(pairs_.size()); }
  Example get(int64_t i) const override;

 private:
  ZippedImageDataset pictures_;
  std::vector<LabeledPaths::Pair> pairs_;
  Dtype label_dtype_;
};

}  // namespace chainer::datasets
