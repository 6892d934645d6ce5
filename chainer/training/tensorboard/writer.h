// Files that TensorBoard shows.
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
  /// The run goes on at this step: TensorBoard drops what earlier files of the folder have from there on.
  std::optional<int64_t> purge_step = {};
  double flush_seconds = 10;  ///< so long a value may wait for the file
};

/// Writes an event file (events.out.tfevents.<time>.<process>.<number>) into a folder, which `tensorboard --logdir`
/// shows: a file of its own for each writer, so that several processes may write to one folder. Whole records reach the
/// file, at the latest after flush_seconds, with flush(), and with the end of the writer. Several threads may call.
///
///   tensorboard::Writer board("result/board");
///   for (int64_t i = 0; i < 100; ++i) board.scalar("loss", 1.0 / (1 + i), i);
class Writer {
 public:
  /// Makes the folder; FileError where that is not possible.
  explicit Writer(const std::filesystem::path& folder, const WriterOptions& options = {});
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer();

  /// One point of the curve `tag`, in float32, as TensorBoard has it. A slash in a tag makes groups.
  void scalar(const std::string& tag, double value, int64_t step);
  /// How often elements lie in each of `bins` stretches between the least and the largest; NaN and infinities are left
  /// out. An array without finite elements writes nothing.
  void histogram(const std::string& tag, const Array& values, int64_t step, int64_t bins = 64);
  /// A picture (channels, height, width) or (height, width) with 1 or 3 channels: uint8, or floating values from 0 to
  /// 1. MissingPartError in a build without libpng.
  void image(const std::string& tag, const Array& picture, int64_t step);
  /// A text in Markdown.
  void text(const std::string& tag, const std::string& markdown, int64_t step);
  /// The run's hyperparameters for the page HPARAMS, which compares runs by them and by these scalars. Once a writer.
  void hparams(const std::map<std::string, Value>& values, const std::vector<std::string>& metrics);
  /// The computational graph behind `outputs`, for the page GRAPHS. Functions that read parameters of a link stand in
  /// the scope of that link's path, functions between two of them in that of the link around both. `links` by a name
  /// that stands before their paths, as {{"", &model}}. Once a writer, as TensorBoard shows one graph a run. ValueError
  /// where no function stands behind the outputs.
  void graph(const Variables& outputs, const std::map<std::string, const Link*>& links);

  /// FileError if what was written could not reach the file, on a full disk for instance.
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
