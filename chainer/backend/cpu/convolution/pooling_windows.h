// SPDX-License-Identifier: MIT
// The geometry of pooling windows, and loops over rows of windows and lines of images.
#pragma once
#include <algorithm>
#include <vector>

#include "chainer/array/operations/pooling.h"
#include "chainer/backend/cpu/kernels/image_table.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu::windows {

// The geometry, and the sizes of images and windows in elements.
struct Windows {
  Windows(const PoolingPlan& p, int64_t channels)
      : plan(p),
        axes(p.size.ndim()),
        inner(channels),
        image(p.size.product() * channels),
        windows(p.out.product() * channels),
        weight_(p.weight == PoolingPlan::Weight::volume ? 1.0 / static_cast<double>(p.ksize.product()) : 1) {}
  /// Returns the first element under window `o` along axis d; negative if it is in the padding.
  int64_t start(int d, int64_t o) const { return o * plan.stride[d] - plan.pad[d]; }
  /// Returns the weight of a window with `inside` elements in the image.
  double weight(int64_t inside) const {
    return plan.weight == PoolingPlan::Weight::inside ? 1.0 / static_cast<double>(inside) : weight_;
  }
  const PoolingPlan& plan;
  int axes;
  int64_t inner, image, windows;

 private:
  double weight_;
};

// The elements under a window: their offsets, and their positions in the window.
struct Elements {
  std::vector<int64_t> at;
  std::vector<int32_t> place;
  void clear() { at.clear(), place.clear(); }
  void add(int64_t offset, int64_t p) { at.push_back(offset), place.push_back(static_cast<int32_t>(p)); }
  int64_t count() const { return static_cast<int64_t>(at.size()); }
  /// Returns the number of the element at a position of the window; -1 if there is none.
  int64_t find(int32_t p) const {
    if (static_cast<std::size_t>(p) < place.size() && place[static_cast<std::size_t>(p)] == p) return p;  // no padding
    const auto found = std::lower_bound(place.begin(), place.end(), p);
    return found != place.end() && *found == p ? found - place.begin() : -1;
  }
};

// Advances a position below `extent` along the axes [begin, end), the last one fastest. Returns false after the last.
inline bool advance(Dims& at, const Dims& extent, int begin, int end) {
  for (int d = end - 1; d >= begin; --d) {
    if (++at[d] < extent[d]) return true;
    at[d] = 0;
  }
  return false;
}

// The windows along the last axis at one position along the others.
class WindowRow {
 public:
  explicit WindowRow(const Windows& w) : w_(w), last_(w.axes - 1) {}

  void place(const Dims& position) {
    const PoolingPlan& p = w_.plan;
    const int64_t out = p.out[last_], size = p.size[last_], k = p.ksize[last_], s = p.stride[last_], pad = p.pad[last_];
    begin_ = std::min(out, (pad + s - 1) / s);
    end_ = size + pad < k ? begin_ : std::clamp((size + pad - k) / s + 1, begin_, out);
    position_ = position;
    if (begin_ < end_) collect(whole_, 0, k);
    cut_.resize(static_cast<std::size_t>(out - (end_ - begin_)));
    for (std::size_t c = 0; c < cut_.size(); ++c) {
      const int64_t from = w_.start(
          last_, static_cast<int64_t>(c) < begin_ ? static_cast<int64_t>(c) : static_cast<int64_t>(c) + end_ - begin_);
      collect(cut_[c], std::max<int64_t>(0, -from), std::min(k, size - from));
    }
  }

  /// Calls f(o, n, elements, where) for n complete windows starting at o, and for each truncated window. The elements
  /// of window o are at `where` plus their offsets.
  template <class F>
  void run(F&& f) {
    const PoolingPlan& p = w_.plan;
    for (int64_t o = 0; o < p.out[last_]; ++o) {
      const int64_t from = w_.start(last_, o);
      if (o == begin_ && begin_ < end_) {
        f(o, end_ - o, whole_, from * w_.inner);
        o = end_ - 1;
        continue;
      }
      f(o, 1, cut_[static_cast<std::size_t>(o < begin_ ? o : o - (end_ - begin_))], from * w_.inner);
    }
  }

 private:
  // Collects the elements inside the image, with positions [first, end) along the last axis.
  void collect(Elements& e, int64_t first, int64_t end) const {
    const PoolingPlan& p = w_.plan;
    e.clear();
    Dims begin, count, k = Dims::filled(last_, 0);
    for (int d = 0; d < last_; ++d) {
      const int64_t from = w_.start(d, position_[d]);
      begin.push_back(std::max<int64_t>(0, -from));
      count.push_back(std::min(p.ksize[d], p.size[d] - from) - begin[d]);
      if (count[d] <= 0) return;
    }
    do {
      int64_t offset = 0, place = 0;
      for (int d = 0; d < last_; ++d) {
        offset = offset * p.size[d] + w_.start(d, position_[d]) + begin[d] + k[d];
        place = place * p.ksize[d] + begin[d] + k[d];
      }
      for (int64_t j = first; j < end; ++j) e.add((offset * p.size[last_] + j) * w_.inner, place * p.ksize[last_] + j);
    } while (advance(k, count, 0, last_));
  }

  const Windows& w_;
  int last_;
  int64_t begin_ = 0, end_ = 0;
  Dims position_;
  Elements whole_;
  std::vector<Elements> cut_;  // windows before and after the complete ones
};

// Calls f(first element of the image, first window, row) for every row of windows, with rows spread over threads. Rows
// at one position are processed for all images in turn and share the geometry of that position.
template <class F>
void for_rows(const Windows& w, int64_t outer, F&& f) {
  const Dims& out = w.plan.out;
  const int last = w.axes - 1;
  const int64_t rows = out.product() / std::max<int64_t>(out[last], 1), length = out[last] * w.inner;
  parallel_ranges(outer * rows, outer * std::max(w.image, w.windows), 1, [&](int64_t begin, int64_t end) {
    WindowRow row(w);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t place = i / outer, image = i % outer;
      if (i == begin || image == 0) {
        Dims position = Dims::filled(w.axes, 0);
        for (int64_t d = last - 1, rest = place; d >= 0; --d) position[d] = rest % out[d], rest /= out[d];
        row.place(position);
      }
      f(image * w.image, (image * rows + place) * length, row);
    }
  });
}

// Along one axis: the windows that cover each coordinate, and the number of elements of each window inside the image.
struct Coverage {
  Coverage(const PoolingPlan& p, int d) {
    for (int64_t i = 0; i < p.size[d]; ++i) {
      const int64_t from = i + p.pad[d] - p.ksize[d] + 1,
                    begin = from <= 0 ? 0 : (from + p.stride[d] - 1) / p.stride[d];
      first.push_back(begin);
      end.push_back(std::min((i + p.pad[d]) / p.stride[d] + 1, p.out[d]));
    }
    for (int64_t o = 0; o < p.out[d]; ++o) {
      const int64_t start = o * p.stride[d] - p.pad[d];
      inside.push_back(std::min(start + p.ksize[d], p.size[d]) - std::max<int64_t>(start, 0));
    }
  }
  std::vector<int64_t> first, end, inside;
};

// The windows that cover a line of an image along the last axis.
class WindowLine {
 public:
  explicit WindowLine(const Windows& w) : w_(w), last_(w.axes - 1) {
    for (int d = 0; d < w.axes; ++d) axes_.emplace_back(w.plan, d);
  }
  /// Returns the windows for the line at a position along the other axes; valid until the next call.
  PoolLine at(const Dims& position) {
    const PoolingPlan& p = w_.plan;
    window_.assign(1, 0), place_.assign(1, 0), inside_.assign(1, 1);
    for (int d = 0; d <= last_; ++d) {
      const Coverage& a = axes_[static_cast<std::size_t>(d)];
      windows_before_.swap(window_), places_before_.swap(place_), inside_before_.swap(inside_);
      window_.clear(), place_.clear(), inside_.clear();
      for (std::size_t v = 0; v < windows_before_.size(); ++v) {
        // The kernel traverses the last axis.
        const auto here = static_cast<std::size_t>(d < last_ ? position[d] : 0);
        const int64_t first = d < last_ ? a.first[here] : 0, stop = d < last_ ? a.end[here] : 1;
        for (int64_t o = first; o < stop; ++o) {
          window_.push_back(windows_before_[v] * p.out[d] + o);
          place_.push_back(
              static_cast<int32_t>(places_before_[v] * p.ksize[d] + (d < last_ ? position[d] - w_.start(d, o) : 0)));
          inside_.push_back(inside_before_[v] * (d < last_ ? a.inside[static_cast<std::size_t>(o)] : 1));
        }
      }
    }
    const Coverage& along = axes_.back();
    return {p.size[last_],
            static_cast<int64_t>(window_.size()),
            window_.data(),
            place_.data(),
            inside_.data(),
            along.first.data(),
            along.end.data(),
            along.inside.data(),
            p.out.product(),
            p.stride[last_],
            p.pad[last_],
            window_.size() <= 1 && p.pad[last_] == 0 && p.stride[last_] == p.ksize[last_],
            p.weight == PoolingPlan::Weight::inside,
            w_.weight(1)};
  }

 private:
  const Windows& w_;
  int last_;
  std::vector<Coverage> axes_;
  std::vector<int64_t> window_, inside_, windows_before_, inside_before_;
  std::vector<int32_t> place_, places_before_;
};

// Calls f(first element, first window of the image, line) for every line of the images along the last axis, with the
// windows that cover it. Lines are spread over threads as in for_rows.
template <class F>
void for_lines(const Windows& w, int64_t outer, F&& f) {
  const PoolingPlan& p = w.plan;
  const int last = w.axes - 1;
  const int64_t length = p.size[last], lines = p.size.product() / std::max<int64_t>(length, 1);
  parallel_ranges(outer * lines, outer * std::max(w.image, w.windows), 1, [&](int64_t begin, int64_t end) {
    WindowLine over(w);
    PoolLine line{};
    for (int64_t i = begin; i < end; ++i) {
      const int64_t place = i / outer, image = i % outer;
      if (i == begin || image == 0) {
        Dims position = Dims::filled(last, 0);
        for (int64_t d = last - 1, rest = place; d >= 0; --d) position[d] = rest % p.size[d], rest /= p.size[d];
        line = over.at(position);
      }
      f((image * lines + place) * length * w.inner, image * w.windows, line);
    }
  });
}

}  // namespace chainer::cpu::windows
