// SPDX-License-Identifier: MIT
// Splits smaller convolutions into pieces that run on one thread each: by images, by lines of the results, or by their
// channels. The library's own threads (OpenMP's) would wait for each other at the end of every convolution, and compete
// with the other threads of this library by spinning. No split changes a bit: every result is the same sum in the same
// order.
#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "chainer/array/backend.h"
#include "chainer/array/index.h"
#include "chainer/backend/cpu/onednn/compute.h"
#include "chainer/core/error.h"
#include "chainer/core/parallel.h"
#include "chainer/core/thread_share.h"

namespace chainer::cpu::onednn {
namespace {

// Pieces have at least this many multiplications. Convolutions of more than kLargest per thread use the library's
// threads, which share their input.
constexpr int64_t kPieceWork = int64_t(1) << 20, kLargest = int64_t(1) << 24;

int64_t work_of(const Array& results, const Array& filters) {
  return results.size() * (filters.size() / filters.shape()[0]);
}
// Returns true if the library's own threads are expected to be faster.
bool is_large(const Array& results, const Array& filters, int64_t largest = kLargest) {
  return work_of(results, filters) > primitive_threads() * largest;
}

// Returns a view of the elements [begin, end) along one axis.
Array part_of(const Array& a, int axis, int64_t begin, int64_t end) {
  Indices at(static_cast<std::size_t>(axis), Slice());
  at.push_back(Slice(begin, end));
  return get_item(a, at);
}

// Calls f(i) for each piece on one thread; returns false if any call does.
bool each(int64_t pieces, int64_t elements, const std::function<bool(int64_t)>& f) {
  std::atomic<bool> done{true};
  parallel(static_cast<int>(pieces), elements * 8, [&](int i) {
    const ThreadShare one(1);
    if (!f(i)) done = false;
  });
  return done;
}

// Prepares the filters in the layout of a piece's primitive, before the pieces run; returns false if there is no
// primitive.
bool take_filters(const Computation& piece, SharedForm& shared) {
  const ThreadShare one(1);
  if (piece) shared = piece.filters();
  return static_cast<bool>(piece);
}

// One of the three ways of splitting a forward convolution or a gradient with respect to images.
struct Cut {
  int64_t pieces = 1;
  int64_t images = 1;    // groups of images
  int64_t lines = 1;     // pieces of each image, along the first spatial axis
  int64_t channels = 1;  // pieces of the results' channels
};

// The size of results that stay in a core's cache until the program after the convolution has processed them, and of
// filters that stay next to them.
constexpr int64_t kCached = int64_t(1) << 20;

Cut cut_of(const ConvolutionCall& call, bool then) {
  const ConvolutionPlan& plan = call.plan;
  const Array &images = call.images(), &filters = call.filters(), &results = call.results();
  const int64_t n = results.shape()[0];
  if (then && is_large(results, filters) && filters.nbytes() <= kCached && results.nbytes() > 2 * kCached) {
    const int64_t pieces = (n - 1) / std::max<int64_t>(1, kCached * n / results.nbytes()) + 1;
    if (pieces >= 2 * primitive_threads()) return {.pieces = pieces, .images = pieces};
  }
  // (With depthwise filters, reading costs more than multiplying.)
  const int64_t work = work_of(results, filters) * (plan.groups > 1 ? 4 : 1);
  const Shape& out = results.shape();
  const int64_t threads = primitive_threads(), wanted = std::min(threads, work / kPieceWork);
  // (A following program finds a piece's results in its thread's cache, which outweighs this.)
  if (wanted < 2 || is_large(results, filters, then ? 4 * kLargest : kLargest)) return {};
  if (n >= wanted) {
    const int64_t pieces = n % wanted == 0 ? wanted : std::min(n, 2 * wanted);
    return {.pieces = pieces, .images = pieces};
  }
  if (call.op != Convolution::forward || call.accumulate) return n > 1 ? Cut{.pieces = n, .images = n} : Cut{};
  if (plan.groups == 1 && filters.size() > images.size() + results.size()) {
    const int64_t most = out[1] / 32;
    if (most >= 2) return {.pieces = std::min(wanted, most), .channels = std::min(wanted, most)};
  }
  // (Every line of results must depend on the image, not only on padding.)
  const int64_t taps = (filters.shape()[2] - 1) * plan.dilate[0] + 1, last = (out[2] - 1) * plan.stride[0];
  const bool inside = plan.pad[0] < taps && last - plan.pad[0] < images.shape()[2];
  const int64_t lines = inside ? std::min((wanted + n - 1) / n, out[2]) : 1;
  return n * lines > 1 ? Cut{.pieces = n * lines, .images = n, .lines = lines} : Cut{};
}

struct Forward {
  const ConvolutionPlan& plan;
  const Array &x, &W, &bias;
  Array& y;
  const Stretch& then;
};

// Computes lines [begin, end) of an image's results, from the lines of x under their filters.
class Lines {
 public:
  Lines(const Forward& f, int64_t image, int64_t begin, int64_t end)
      : out_(part_of(part_of(f.y, 0, image, image + 1), 2, begin, end)) {
    const int64_t step = f.plan.stride[0], taps = (f.W.shape()[2] - 1) * f.plan.dilate[0] + 1;
    const int64_t from = begin * step - f.plan.pad[0], to = (end - 1) * step - f.plan.pad[0] + taps;
    ConvolutionPlan part = f.plan;
    part.pad[0] = std::max<int64_t>(0, -from);
    const Array under =
        part_of(part_of(f.x, 0, image, image + 1), 2, std::max<int64_t>(0, from), std::min(f.x.shape()[2], to));
    computation_.emplace(ConvolutionCall{Convolution::forward, part, under, f.W, f.bias, out_});
  }
  const Computation& computation() const { return *computation_; }

 private:
  Array out_;
  std::optional<Computation> computation_;
};

bool by_lines(const Forward& f, const Cut& cut) {
  const Shape& out = f.y.shape();
  const int64_t of_image = f.y.size() / out[0], of_line = of_image / out[2];
  const auto begin_of = [&](int64_t piece) { return out[2] * piece / cut.lines; };
  SharedForm shared;
  if (!take_filters(Lines(f, 0, 0, begin_of(1)).computation(), shared)) return false;
  return each(cut.pieces, f.y.size(), [&](int64_t i) {
    const int64_t image = i / cut.lines, begin = begin_of(i % cut.lines), end = begin_of(i % cut.lines + 1);
    const Lines piece(f, image, begin, end);
    if (!piece.computation()) {
      if (f.then) throw RuntimeError("convolution: oneDNN supports some rows of an image, but not all");
      return false;
    }
    piece.computation().run(shared);
    if (f.then) f.then(image * of_image + begin * of_line, image * of_image + end * of_line);
    return true;
  });
}

// The filters are the largest input: each thread reads a part of them.
bool by_channels(const Forward& f, const Cut& cut) {
  const Shape& out = f.y.shape();
  const int64_t units = (out[1] + 15) / 16;
  const bool done = each(cut.pieces, f.y.size(), [&](int64_t i) {
    const int64_t begin = units * i / cut.pieces * 16, end = std::min(out[1], units * (i + 1) / cut.pieces * 16);
    Array target = part_of(f.y, 1, begin, end);
    Array part = channels_last(target.shape(), float32, target.device());
    const Array bias = f.bias ? part_of(f.bias, 0, begin, end) : f.bias;
    const Array W = part_of(f.W, 0, begin, end);
    const Computation piece({Convolution::forward, f.plan, f.x, W, bias, part});
    if (!piece) return false;
    piece.run();
    copy_elements(part, target);
    return true;
  });
  if (done && f.then) parallel_ranges(f.y.size(), f.y.size(), 1024, f.then);
  return done;
}

bool by_images(const ConvolutionCall& call, int64_t pieces, const Stretch& then) {
  Array& out = call.out;
  const int64_t n = out.shape()[0], size = out.size() / n;
  const auto begin_of = [&](int64_t i) { return n * i / pieces; };
  const auto piece = [&](int64_t i, Array& part) {
    return Computation({call.op, call.plan, part_of(call.a, 0, begin_of(i), begin_of(i + 1)), call.b, call.bias, part,
                        call.accumulate});
  };
  SharedForm shared;
  {
    Array part = part_of(out, 0, 0, begin_of(1));
    if (!take_filters(piece(0, part), shared)) return false;
  }
  return each(pieces, out.size(), [&](int64_t i) {
    Array part = part_of(out, 0, begin_of(i), begin_of(i + 1));
    const Computation computation = piece(i, part);
    if (!computation) throw RuntimeError("convolution: oneDNN supports some images of a batch, but not all");
    computation.run(shared);
    if (then) then(begin_of(i) * size, begin_of(i + 1) * size);
    return true;
  });
}

// By one primitive.
bool whole(const ConvolutionCall& call) {
  const Computation all(call);
  if (all) all.run();
  return static_cast<bool>(all);
}

// Returns into how many pieces of the batch a gradient with respect to filters is split: by its shape only, if each
// piece is worth a thread and computes more than the addition of the pieces costs.
int64_t pieces_of(const Array& images, const Array& results, const Array& filters) {
  constexpr int64_t kMost = 8, kWork = int64_t(1) << 22, kPixels = 4096, kMemory = int64_t(64) << 20;
  const int64_t pixels = results.size() / results.shape()[1], work = pixels * filters.size();
  return std::max<int64_t>(1, std::min({kMost, images.shape()[0], work / kWork, pixels / kPixels,
                                        kMemory / std::max<int64_t>(1, filters.nbytes())}));
}

// For a single image: splits by channels of the results.
bool by_channels_of_filters(const ConvolutionPlan& plan, const Array& x, const Array& y, Array& out, bool accumulate) {
  const int64_t units = (out.shape()[0] + 15) / 16, work = work_of(y, out);
  const int64_t most = std::min<int64_t>({primitive_threads(), units / 2, work / kPieceWork});
  const int64_t pieces = plan.groups == 1 ? std::max<int64_t>(1, most) : 1;
  out.mutable_raw();
  return each(pieces, y.size(), [&](int64_t i) {
    const int64_t begin = units * i / pieces * 16, end = std::min(out.shape()[0], units * (i + 1) / pieces * 16);
    Array part = part_of(out, 0, begin, end);
    return whole({Convolution::backward_weights, plan, x, part_of(y, 1, begin, end), Array(), part, accumulate});
  });
}

// The gradient with respect to filters is a sum over the batch: pieces of the batch are added in order.
bool by_filters(const ConvolutionPlan& plan, const Array& images, const Array& results, Array& out, bool accumulate) {
  const int64_t n = images.shape()[0], pieces = pieces_of(images, results, out);
  const Array x = in_image_order(images), y = in_image_order(results);
  std::vector<Array> parts;
  if (n == 1) return by_channels_of_filters(plan, x, y, out, accumulate);
  for (int64_t i = 0; i < pieces; ++i) parts.emplace_back(out.shape(), float32);
  const bool done = each(pieces, results.size(), [&](int64_t i) {
    const int64_t begin = n * i / pieces, end = n * (i + 1) / pieces;
    return whole({Convolution::backward_weights, plan, part_of(x, 0, begin, end), part_of(y, 0, begin, end), Array(),
                  parts[static_cast<std::size_t>(i)]});
  });
  if (!done) return false;
  for (std::size_t i = 1; i < parts.size(); ++i) parts[0] += parts[i];
  if (accumulate)
    out += parts[0];
  else
    copy_elements(parts[0], out);
  return true;
}

}  // namespace

bool convolution(const ConvolutionCall& call, const Stretch& then) {
  if (!library()) return false;
  if (call.op == Convolution::backward_weights) return by_filters(call.plan, call.a, call.b, call.out, call.accumulate);
  Array& out = call.out;
  const Cut cut = cut_of(call, static_cast<bool>(then));
  if (cut.pieces > 1 && channels_to_end(out).is_contiguous()) {
    const Array x = in_image_order(call.a), W = dense(call.b, float32);
    out.mutable_raw();  // what waits for its elements computes now, not in one of the pieces
    const Forward f{call.plan, x, W, call.bias, out, then};
    if (cut.channels > 1) return by_channels(f, cut);
    if (cut.lines > 1) return by_lines(f, cut);
    return by_images({call.op, call.plan, x, W, call.bias, out, call.accumulate}, cut.images, then);
  }
  std::optional<ThreadShare> one;
  if (!is_large(call.results(), call.b)) one.emplace(1);
  if (!whole(call)) return false;
  one.reset();
  if (then) parallel_ranges(out.size(), out.size(), 1024, then);
  return true;
}

}  // namespace chainer::cpu::onednn
