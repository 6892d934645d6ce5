// SPDX-License-Identifier: MIT
// Files of records of arrays (manual: "PickleDataset").
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "chainer/core/system/file_writer.h"
#include "chainer/core/system/mapped_file.h"
#include "chainer/datasets/dataset.h"
#include "chainer/core/other_options.h"

namespace chainer::datasets {

/// The examples of a file that PickleDatasetWriter has written, here or in the release: a sequence of pickles. The
/// constructor scans the file once for the beginnings of records; examples are read on access, by any number of
/// threads. Nothing in the file is executed (see parse_pickle()). Throws FileError, naming file and record, for a
/// truncated file, and for records other than arrays, numbers, strings, and tuples or dicts of these.
class PickleDataset : public Dataset {
 public:
  explicit PickleDataset(const std::filesystem::path& path);
  int64_t size() const override { return static_cast<int64_t>(begins_.size()) - 1; }
  Example get(int64_t i) const override;
  /// Closes the file. get() throws RuntimeError afterwards.
  void close() { file_.reset(); }

 private:
  std::string path_;
  std::shared_ptr<const MappedFile> file_;
  std::vector<std::size_t> begins_;  // the beginning of each record, and the end of the file
};

/// Options of PickleDatasetWriter.
struct PickleDatasetWriterOptions {
  int protocol = 4;     ///< 3, 4 or 5
  bool append = false;  ///< appends to the records of an existing file
};
/// Writes examples, one record each: a tuple of arrays, a dict of arrays, or one array. Throws FileError if the file
/// cannot be written; then an old file is unchanged, or a file that was appended to holds complete records only.
class PickleDatasetWriter {
 public:
  /// Throws ValueError for another protocol, before the file is opened.
  explicit PickleDatasetWriter(const std::filesystem::path& path, const PickleDatasetWriterOptions& options = {});
  CHAINER_OTHER_OPTIONS(PickleDatasetWriter, ".protocol, .append", const std::filesystem::path&);
  PickleDatasetWriter(PickleDatasetWriter&&) noexcept = default;
  PickleDatasetWriter& operator=(PickleDatasetWriter&&) = delete;
  ~PickleDatasetWriter();
  void write(const Example& example);
  /// Moves the file to its name, replacing an old one; later records are appended to it.
  void flush();
  /// Flushes and closes the file. The destructor does the same, but only warns about an error.
  void close();

 private:
  std::filesystem::path path_;
  FileWriter file_;
  int protocol_;
  bool append_;
};

/// The names of the two constructors in the manual.
PickleDataset open_pickle_dataset(const std::filesystem::path& path);
PickleDatasetWriter open_pickle_dataset_writer(const std::filesystem::path& path,
                                               const PickleDatasetWriterOptions& options = {});
CHAINER_OTHER_OPTIONS_OF(open_pickle_dataset_writer, ".protocol, .append", const std::filesystem::path&);

}  // namespace chainer::datasets
