// Files of records of arrays (manual: "PickleDataset").
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "chainer/core/file_writer.h"
#include "chainer/core/mapped_file.h"
#include "chainer/datasets/dataset.h"

namespace chainer::datasets {

/// The examples of a file that PickleDatasetWriter, here or in the release, has written: pickles one after the other.
/// The file is read through once for where records begin; each example is read when it is asked for, by any number of
/// threads. Nothing in the file is ever executed (see parse_pickle()): a record that is more than arrays, numbers,
/// texts, and tuples or dicts of them, is a FileError that names file and record, and so is a file that is cut off.
class PickleDataset : public Dataset {
 public:
  explicit PickleDataset(const std::filesystem::path& path);
  int64_t size() const override { return static_cast<int64_t>(begins_.size()) - 1; }
  Example get(int64_t i) const override;
  /// Lets go of the file; examples cannot be read afterwards.
  void close() { file_.reset(); }

 private:
  std::string path_;
  std::shared_ptr<const MappedFile> file_;
  std::vector<std::size_t> begins_;  // of each record, and the end
};

/// Options of PickleDatasetWriter.
struct PickleDatasetWriterOptions {
  int protocol = 4;     ///< 3, 4 or 5
  bool append = false;  ///< goes on behind the records of a file that is there
};
/// Writes examples, one record each; a tuple of arrays, a dict of arrays, or one array. FileError with the reason if it
/// cannot be written: then an old file is still there, or one that was appended to has whole records only.
class PickleDatasetWriter {
 public:
  /// ValueError for a protocol that is none of the three, before the file is touched.
  explicit PickleDatasetWriter(const std::filesystem::path& path, const PickleDatasetWriterOptions& options = {});
  PickleDatasetWriter(PickleDatasetWriter&&) noexcept = default;
  PickleDatasetWriter& operator=(PickleDatasetWriter&&) = delete;
  ~PickleDatasetWriter();
  void write(const Example& example);
  /// Gives the file its name, where it replaces an old one; what is written from then on is appended.
  void flush();
  /// Closes the file after a flush(); the destructor does, too, and only warns of an error.
  void close();

 private:
  std::filesystem::path path_;
  FileWriter file_;
  int protocol_;
  bool append_;
};

/// The manual's names of the two constructors.
PickleDataset open_pickle_dataset(const std::filesystem::path& path);
PickleDatasetWriter open_pickle_dataset_writer(const std::filesystem::path& path,
                                               const PickleDatasetWriterOptions& options = {});

}  // namespace chainer::datasets
