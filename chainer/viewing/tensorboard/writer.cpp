// SPDX-License-Identifier: MIT
#include "chainer/viewing/tensorboard/writer.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <span>

#include "chainer/array/host.h"
#include "chainer/core/error.h"
#include "chainer/core/system/file.h"
#include "chainer/core/system/growing_file.h"
#include "chainer/core/system/process.h"
#include "chainer/datasets/image.h"
#include "chainer/datasets/pixels.h"
#include "chainer/viewing/tensorboard/protobuf.h"
#include "chainer/viewing/tensorboard/records.h"

namespace chainer::tensorboard {
namespace {

// Field numbers from TensorFlow's event.proto, summary.proto and tensor.proto, and from the plugins' .proto files.
namespace event {
constexpr int wall_time = 1, step = 2, file_version = 3, graph = 4, summary = 5, session_log = 7;
}
namespace value {
constexpr int tag = 1, simple = 2, image = 4, histogram = 5, tensor = 8, metadata = 9;
}

constexpr std::size_t kMostWaiting = 1 << 16;  // bytes

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Returns a SummaryMetadata for a plugin; data class 2 is for tensors.
Message metadata(const std::string& plugin, const std::string& content = {}, uint64_t data_class = 0) {
  Message out;
  out.message(1, Message().bytes(1, plugin).bytes(2, content));
  if (data_class) out.number(4, data_class);
  return out;
}

}  // namespace

Writer::Writer(const std::filesystem::path& folder, const WriterOptions& options)
    : flush_seconds_(options.flush_seconds), flushed_(std::chrono::steady_clock::now()) {
  make_folder(folder);
  static std::atomic<int> count{0};
  path_ = folder / chainer::text("events.out.tfevents.", static_cast<int64_t>(seconds_now()), ".", process_tag(), ".",
                                 count.fetch_add(1));
  file_ = std::make_unique<GrowingFile>(path_, true);
  add(Message().real(event::wall_time, seconds_now()).bytes(event::file_version, "brain.Event:2"));
  if (options.purge_step)
    add(Message()
            .real(event::wall_time, seconds_now())
            .number(event::step, static_cast<uint64_t>(*options.purge_step))
            .message(event::session_log, Message().number(1, 1)));  // status START
  flush();
}

Writer::~Writer() {
  try {
    flush();
  } catch (const Error& e) { warn(e.what()); }
}

void Writer::write_out() {
  const bool taken = file_->add(waiting_);
  waiting_.clear();
  flushed_ = std::chrono::steady_clock::now();
  if (!taken) file_->check();
}

void Writer::flush() {
  const std::lock_guard lock(mutex_);
  file_->check();
  if (!waiting_.empty()) write_out();
}

void Writer::add(const Message& event) {
  const std::lock_guard lock(mutex_);
  append_record(waiting_, event.text());
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - flushed_;
  if (waiting_.size() >= kMostWaiting || since.count() >= flush_seconds_) write_out();
}

void Writer::summary(const std::string& tag, const Message& v, int64_t step) {
  Message tagged;
  tagged.bytes(value::tag, tag);
  const std::string all = tagged.text() + v.text();
  add(Message()
          .real(event::wall_time, seconds_now())
          .number(event::step, static_cast<uint64_t>(step))
          .message(event::summary, Message().bytes(1, all)));
}

void Writer::scalar(const std::string& tag, double v, int64_t step) {
  summary(tag, Message().real32(value::simple, static_cast<float>(v)), step);
}

void Writer::histogram(const std::string& tag, const Array& values, int64_t step, int64_t bins) {
  if (bins < 1)
    throw ValueError("tensorboard::Writer::histogram: bins must be 1 or more, not ", bins, " (tag '", tag, "')");
  const Array wide = to_host(values.astype(float64)).contiguous();
  const std::span<const double> all(wide.data<double>(), static_cast<std::size_t>(wide.size()));
  double least = INFINITY, most = -INFINITY, sum = 0, squares = 0, count = 0;
  for (const double v : all) {
    if (!std::isfinite(v)) continue;
    least = std::min(least, v), most = std::max(most, v);
    sum += v, squares += v * v, ++count;
  }
  if (count == 0) return;
  // Equal values are the middle of a range of 1, as in NumPy. Halves of the ends, since their difference may overflow.
  const double low = (least < most ? least : least - 0.5) / 2, high = (least < most ? most : most + 0.5) / 2;
  const double width = (high - low) / static_cast<double>(bins), last = static_cast<double>(bins - 1);
  std::vector<double> limits, counts(static_cast<std::size_t>(bins), 0.0);
  for (int64_t i = 1; i < bins; ++i) limits.push_back(2 * (low + width * static_cast<double>(i)));
  limits.push_back(2 * high);
  for (const double v : all)
    if (std::isfinite(v))
      ++counts[width > 0 ? static_cast<std::size_t>(std::clamp<double>((v / 2 - low) / width, 0, last)) : 0];
  Message h;
  h.real(1, least).real(2, most).real(3, count).real(4, sum).real(5, squares);
  h.reals(6, limits).reals(7, counts);
  summary(tag, Message().message(value::histogram, h), step);
}

void Writer::image(const std::string& tag, const Array& picture, int64_t step) {
  const Array pixels = dataset::pixels_of("tensorboard::Writer::image", picture);
  Message i;
  for (int axis = 0; axis < 3; ++axis) i.number(axis + 1, static_cast<uint64_t>(pixels.shape()[axis]));
  i.bytes(4, dataset::encode_png(pixels));
  summary(tag, Message().message(value::image, i), step);
}

void Writer::text(const std::string& tag, const std::string& markdown, int64_t step) {
  constexpr uint64_t kString = 7;
  Message tensor, shape;
  shape.message(2, Message().number(1, 1));
  tensor.number(1, kString).message(2, shape).bytes(8, markdown);
  summary(tag, Message().message(value::tensor, tensor).message(value::metadata, metadata("text", {}, 2)), step);
}

void Writer::write_graph(const Message& graph) {
  add(Message().real(event::wall_time, seconds_now()).message(event::graph, graph));
  flush();
}

void Writer::hparams(const std::map<std::string, Value>& values, const std::vector<std::string>& metrics) {
  Message experiment, start;
  for (const auto& [name, v] : values) {
    // The types of hparams' DataType: STRING 1, BOOL 2, FLOAT64 3. Values are google.protobuf.Value.
    const auto type = std::holds_alternative<std::string>(v) ? 1u : std::holds_alternative<bool>(v) ? 2u : 3u;
    experiment.message(4, Message().bytes(1, name).number(4, type));
    Message number;
    if (const auto* d = std::get_if<double>(&v)) number.real(2, *d);
    if (const auto* s = std::get_if<std::string>(&v)) number.bytes(3, *s);
    if (const auto* b = std::get_if<bool>(&v)) number.number(4, *b);
    start.message(1, Message().bytes(1, name).message(2, number));
  }
  for (const std::string& tag : metrics) experiment.message(5, Message().message(1, Message().bytes(2, tag)));
  start.real(5, seconds_now());
  const auto plugin = [&](const char* tag, int field, const Message& data) {
    const Message content = Message().number(1, 0).message(field, data);
    summary(tag, Message().message(value::metadata, metadata("hparams", content.text())), 0);
  };
  plugin("_hparams_/experiment", 2, experiment);
  plugin("_hparams_/session_start_info", 3, start);
  flush();
}

}  // namespace chainer::tensorboard
