// SPDX-License-Identifier: MIT
#include "chainer/datasets/pickle_dataset.h"

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
    : path_(path),
      file_((dataset::check_protocol(o.protocol), path),
            o.append ? FileWriter::Mode::append : FileWriter::Mode::replace),
      protocol_(o.protocol),
      append_(o.append) {}
PickleDatasetWriter::~PickleDatasetWriter() {
  try {
    close();
  } catch (const std::exception& e) { warn(e.what()); }
}

void PickleDatasetWriter::write(const Example& example) {
  if (!file_.is_open()) throw RuntimeError("PickleDatasetWriter: ", path_.string(), " was closed");
  file_.write(dataset::make_pickle(example, protocol_));
}
void PickleDatasetWriter::flush() {
  if (!file_.is_open()) return;
  if (append_) return file_.flush();
  file_.commit();
  append_ = true;
  file_ = FileWriter(path_, FileWriter::Mode::append);
}
void PickleDatasetWriter::close() {
  if (file_.is_open()) file_.commit();
}

PickleDataset open_pickle_dataset(const std::filesystem::path& path) { return PickleDataset(path); }
PickleDatasetWriter open_pickle_dataset_writer(const std::filesystem::path& path,
                                               const PickleDatasetWriterOptions& options) {
  return PickleDatasetWriter(path, options);
}

}  // namespace chainer::datasets
