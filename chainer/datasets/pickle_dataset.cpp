#include "chainer/datasets/pickle_dataset.h"

#include <cerrno>
#include <cstring>

#include "chainer/datasets/pickle.h"

namespace chainer::datasets {

PickleDataset::PickleDataset(const std::filesystem::path& path)
    : path_(path.string()), file_(std::make_shared<const MappedFile>(path)) {
  const std::string_view bytes = file_->bytes();
  std::size_t at = 0;
  begins_.push_back(at);
  while (at < bytes.size()) {
    at = dataset::pickle_end(bytes, at, text(path_, ", record ", begins_.size() - 1));
    begins_.push_back(at);
  }
}

Example PickleDataset::get(int64_t i) const {
  if (!file_) throw RuntimeError("PickleDataset: ", path_, " was closed");
  const std::size_t begin = begins_[static_cast<std::size_t>(i)], end = begins_[static_cast<std::size_t>(i) + 1];
  return dataset::parse_pickle(file_->bytes().substr(begin, end - begin), text(path_, ", record ", i));
}

PickleDatasetWriter::PickleDatasetWriter(const std::filesystem::path& path, const PickleDatasetWriterOptions& o)
    : path_(path.string()),
      file_(std::fopen(path.c_str(), o.append ? "ab" : "wb"), std::fclose),
      protocol_(o.protocol) {
  if (!file_) throw FileError("cannot write ", path_, ": ", std::strerror(errno));
}

void PickleDatasetWriter::write(const Example& example) {
  if (!file_) throw RuntimeError("PickleDatasetWriter: ", path_, " was closed");
  const std::string record = dataset::make_pickle(example, protocol_);
  if (std::fwrite(record.data(), 1, record.size(), file_.get()) != record.size())
    throw FileError("cannot write ", path_, ": ", std::strerror(errno));
}
void PickleDatasetWriter::flush() {
  if (file_ && std::fflush(file_.get()) != 0) throw FileError("cannot write ", path_, ": ", std::strerror(errno));
}
void PickleDatasetWriter::close() {
  if (file_ && std::fclose(file_.release()) != 0) throw FileError("cannot write ", path_, ": ", std::strerror(errno));
}

PickleDataset open_pickle_dataset(const std::filesystem::path& path) { return PickleDataset(path); }
PickleDatasetWriter open_pickle_dataset_writer(const std::filesystem::path& path,
                                               const PickleDatasetWriterOptions& options) {
  return PickleDatasetWriter(path, options);
}

}  // namespace chainer::datasets
