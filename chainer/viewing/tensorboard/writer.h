// SPDX-License-Identifier: MIT
// Event files for TensorBoard.
#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "chainer/array/array.h"
#include "chainer/autograd/variable.h"

namespace chainer {
class GrowingFile;
class Link;
}  // namespace chainer

namespace chainer::tensorboard {

class Message;

/// A hyperparameter's value.
using Value = std::variant<double, bool, std::string>;

/// Options of Writer.
struct WriterOptions {
  /// The step of a resumed run: TensorBoard drops the points of earlier files from this step on.
  std::optional<int64_t> purge_step = {};
  double flush_seconds = 10;  ///< the longest time until a value is written to the file
};

/// Writes an event file (events.out.tfevents.<time>.<process>.<number>) to a folder for `tensorboard --logdir`. Each
/// writer has a file of its own, so that several processes can write to one folder. Complete records are written after
/// flush_seconds at the latest, by flush(), and by the destructor. Thread-safe.
///
///   tensorboard::Writer board("result/board");
///   for (int64_t i = 0; i < 100; ++i) board.scalar("loss", 1.0 / (1 + i), i);
class Writer {
 public:
  /// Makes the folder. Throws FileError if that is not possible.
  explicit Writer(const std::filesystem::path& folder, const WriterOptions& options = {});
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer();

  /// Adds a point to the curve `tag`, in float32. A slash in a tag makes groups.
  void scalar(const std::string& tag, double value, int64_t step);
  /// Adds a histogram of the elements, with `bins` intervals between the smallest and the largest. Ignores NaN and
  /// infinities; does nothing without finite elements.
  void histogram(const std::string& tag, const Array& values, int64_t step, int64_t bins = 64);
  /// Adds a picture (channels, height, width) or (height, width) with 1 or 3 channels: uint8, or floating values from 0
  /// to 1. Throws MissingPartError in a build without libpng.
  void image(const std::string& tag, const Array& picture, int64_t step);
  /// Adds a text in Markdown.
  void text(const std::string& tag, const std::string& markdown, int64_t step);
  /// Adds the hyperparameters of the run for the page HPARAMS, which compares runs by hyperparameters and by these
  /// scalars. May be called once per writer.
  void hparams(const std::map<std::string, Value>& values, const std::vector<std::string>& metrics);
  /// Adds the computational graph of `outputs` for the page GRAPHS. Functions that read parameters of a link are in the
  /// scope of the path of the link, functions between two of them in the scope of the enclosing link. `links` are given
  /// with a prefix of their paths, as {{"", &model}}. May be called once per writer, because TensorBoard shows one
  /// graph per run. Throws ValueError if no function computed the outputs.
  void graph(const Variables& outputs, const std::map<std::string, const Link*>& links);

  /// Writes buffered records. Throws FileError if that fails, for example on a full disk.
  void flush();
  const std::filesystem::path& path() const { return path_; }

 private:
  void summary(const std::string& tag, const Message& value, int64_t step);
  void add(const Message& event);
  void write_graph(const Message& graph);
  void write_out();
  std::mutex mutex_;
  std::filesystem::path path_;
  std::unique_ptr<GrowingFile> file_;
  std::string waiting_;
  double flush_seconds_;
  std::chrono::steady_clock::time_point flushed_;
};

}  // namespace chainer::tensorboard
