// Pooling: which elements lie under which windows. The kernels do the rest, on many channels or windows at a time.
#include <algorithm>
#include <limits>
#include <vector>

#include "chainer/backend/cpu/cpu_backend.h"
#include "chainer/backend/cpu/kernels/image_table.h"
#include "chainer/core/parallel.h"

namespace chainer::cpu {
namespace {

// The geometry, and both sides' sizes in elements.
struct Windows {
  Windows(const PoolingPlan& p, int64_t channels)
      : plan(p),
        axes(p.size.ndim()),
        inner(channels),
        image(p.size.product() * channels),
        windows(p.out.product() * channels),
        weight_(p.weight == PoolingPlan::Weight::volume ? 1.0 / static_cast<double>(p.ksize.product()) : 1) {}
  /// The first element under window `o` along axis d, maybe before the image.
  int64_t start(int d, int64_t o) const { return o * plan.stride[d] - plan.pad[d]; }
  /// The weight of a window with `inside` elements in the image.
  double weight(int64_t inside) const {
    return plan.weight == PoolingPlan::Weight::inside ? 1.0 / static_cast<double>(inside) : weight_;
  }
  const PoolingPlan& plan;
  int axes;
  int64_t inner, image, windows;

 private:
  double weight_;
};

// The elements under a window: where they are from a point on, and their places in the window.
struct Elements {
  std::vector<int64_t> at;
  std::vector<int32_t> place;
  void clear() { at.clear(), place.clear(); }
  void add(int64_t offset, int64_t p) { at.push_back(offset), place.push_back(static_cast<int32_t>(p)); }
  int64_t count() const { return static_cast<int64_t>(at.size()); }
};

// The next of all positions below `extent` along axes begin to before end, the last one fastest; false behind the last.
bool advance(Dims& at, const Dims& extent, int begin, int end) {
  for (int d = end - 1; d >= begin; --d) {
    if (++at[d] < extent[d]) return true;
    at[d] = 0;
  }
  return false;
}

// The windows along the last axis at one position of the others.
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
  }

  /// Calls f(o, n, elements, where) for n whole windows from o on, and for each that is cut off; the elements of window
  /// o are at `where` plus their offsets.
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
      collect(cut_, std::max<int64_t>(0, -from), std::min(p.ksize[last_], p.size[last_] - from));
      f(o, 1, cut_, from * w_.inner);
    }
  }

 private:
  // What lies in the image, of places first to before `end` along the last axis.
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
  Elements whole_, cut_;
};

// Calls f(image, windows, position, row) for every row of windows; rows are spread over threads.
template <class F>
void for_rows(const Windows& w, int64_t outer, F&& f) {
  const Dims& out = w.plan.out;
  const int last = w.axes - 1;
  const int64_t rows = out.product() / std::max<int64_t>(out[last], 1), length = out[last] * w.inner;
  parallel_ranges(outer * rows, outer * std::max(w.image, w.windows), 1, [&](int64_t begin, int64_t end) {
    WindowRow row(w);
    for (int64_t i = begin; i < end; ++i) {
      Dims position = Dims::filled(w.axes, 0);
      for (int64_t d = last - 1, rest = i % rows; d >= 0; --d) position[d] = rest % out[d], rest /= out[d];
      row.place(position);
      f(i / rows * w.image, i * length, row);
    }
  });
}

// Along one axis: the windows over each coordinate, and how much of each window lies in the image.
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

// Of every element of the image, the windows over it: calls f(element, windows, over, weights). Lines of the image
// along its last axis are spread over threads.
template <class F>
void for_elements(const Windows& w, int64_t outer, F&& f) {
  const PoolingPlan& p = w.plan;
  const int last = w.axes - 1;
  std::vector<Coverage> axes;
  for (int d = 0; d < w.axes; ++d) axes.emplace_back(p, d);
  const Coverage& along = axes.back();
  const int64_t length = p.size[last], lines = p.size.product() / std::max<int64_t>(length, 1);
  const auto at = [](const std::vector<int64_t>& v, int64_t i) { return v[static_cast<std::size_t>(i)]; };
  // Windows over a line: their number but for the last axis, the line's place in them, what of them is in the image.
  struct Over {
    int64_t window, place, inside;
  };
  parallel_ranges(outer * lines, outer * std::max(w.image, w.windows), 1, [&](int64_t begin, int64_t end) {
    std::vector<Over> line, more;
    Elements over;
    std::vector<double> weights;
    for (int64_t i = begin; i < end; ++i) {
      Dims position = Dims::filled(last, 0);
      for (int64_t d = last - 1, rest = i % lines; d >= 0; --d) position[d] = rest % p.size[d], rest /= p.size[d];
      line.assign(1, Over{0, 0, 1});
      for (int d = 0; d < last; ++d) {
        const Coverage& a = axes[static_cast<std::size_t>(d)];
        more.clear();
        for (const Over& v : line)
          for (int64_t o = at(a.first, position[d]); o < at(a.end, position[d]); ++o)
            more.push_back({v.window * p.out[d] + o, v.place * p.ksize[d] + position[d] - w.start(d, o),
                            v.inside * at(a.inside, o)});
        line.swap(more);
      }
      for (int64_t x = 0; x < length; ++x) {
        over.clear(), weights.clear();
        for (const Over& v : line) {
          for (int64_t o = at(along.first, x); o < at(along.end, x); ++o) {
            over.add((v.window * p.out[last] + o) * w.inner, v.place * p.ksize[last] + x - w.start(last, o));
            weights.push_back(w.weight(v.inside * at(along.inside, o)));
          }
        }
        f((i * length + x) * w.inner, i / lines * w.windows, over, weights.data());
      }
    }
  });
}

// As for_rows, for images of one channel: each belongs to one thread, and many share what is found out about a row.
template <class F>
void for_images(const Windows& w, int64_t outer, F&& f) {
  constexpr int64_t kTogether = 64;
  const int last = w.axes - 1;
  parallel_ranges(outer, outer * std::max(w.image, w.windows), 1, [&](int64_t begin, int64_t end) {
    WindowRow row(w);
    for (int64_t b = begin; b < end; b += kTogether) {
      Dims position = Dims::filled(w.axes, 0);
      int64_t first = 0;
      do {
        row.place(position);
        for (int64_t i = b; i < std::min(b + kTogether, end); ++i) f(i * w.image, i * w.windows + first, row);
        first += w.plan.out[last];
      } while (advance(position, w.plan.out, 0, last));
    }
  });
}

template <class T>
void pool(Pooling op, const Windows& w, int64_t outer, const T* in, T* out, int32_t* place,
          const ImageKernels& kernels) {
  constexpr Compute c = sizeof(T) == 4 ? kF32 : kF64;
  // Windows of one channel are each other's neighbours; of several, their channels are.
  const bool single = w.inner == 1;
  const int64_t step = single ? w.plan.stride[w.axes - 1] : 1;
  const auto for_windows = [&](int64_t n, int64_t where, int64_t at, auto&& f) {
    if (single) return f(where, at, n);
    for (int64_t i = 0; i < n; ++i) f(where + i * w.plan.stride[w.axes - 1] * w.inner, at + i * w.inner, w.inner);
  };
  const auto for_runs = [&](auto&& f) {
    const auto of_row = [&](int64_t image, int64_t windows, WindowRow& row) {
      row.run([&](int64_t o, int64_t n, const Elements& e, int64_t where) {
        for_windows(n, image + where, windows + o * w.inner,
                    [&](int64_t from, int64_t at, int64_t lanes) { f(e, from, at, lanes); });
      });
    };
    single ? for_images(w, outer, of_row) : for_rows(w, outer, of_row);
  };
  switch (op) {
    case Pooling::max:
      return for_runs([&](const Elements& e, int64_t from, int64_t at, int64_t n) {
        if (e.count())
          return kernels.pool_max[c](out + at, place ? place + at : nullptr, in + from, e.at.data(), e.place.data(),
                                     e.count(), n, step);
        std::fill_n(out + at, n, -std::numeric_limits<T>::infinity());
        if (place) std::fill_n(place + at, n, 0);
      });
    case Pooling::sum:
      return for_runs([&](const Elements& e, int64_t from, int64_t at, int64_t n) {
        kernels.pool_sum[c](out + at, in + from, e.at.data(), e.count(), w.weight(e.count()), n, step);
      });
    case Pooling::gather:
      return for_runs([&](const Elements& e, int64_t from, int64_t at, int64_t n) {
        for (int64_t l = 0; l < n; ++l) {
          const auto found = std::lower_bound(e.place.begin(), e.place.end(), place[at + l]);
          const bool inside = found != e.place.end() && *found == place[at + l];
          out[at + l] = inside ? in[from + e.at[static_cast<std::size_t>(found - e.place.begin())] + l * step] : T(0);
        }
      });
    case Pooling::scatter:
      if (!single)
        return for_elements(w, outer, [&](int64_t element, int64_t windows, const Elements& e, const double*) {
          kernels.pool_scatter[c](out + element, in + windows, place + windows, e.at.data(), e.place.data(), e.count(),
                                  w.inner);
        });
      std::fill_n(out, outer * w.image, T(0));
      return for_images(w, outer, [&](int64_t image, int64_t windows, WindowRow& row) {
        row.run([&](int64_t o, int64_t n, const Elements& e, int64_t where) {
          for (int64_t i = windows + o; n > 0; --n, ++i, where += step) {
            const auto found = std::lower_bound(e.place.begin(), e.place.end(), place[i]);
            if (found != e.place.end() && *found == place[i])
              out[image + where + e.at[static_cast<std::size_t>(found - e.place.begin())]] += in[i];
          }
        });
      });
    case Pooling::spread:
      if (!single)
        return for_elements(w, outer, [&](int64_t element, int64_t windows, const Elements& e, const double* weights) {
          kernels.pool_spread[c](out + element, in + windows, e.at.data(), weights, e.count(), w.inner);
        });
      std::fill_n(out, outer * w.image, T(0));
      return for_images(w, outer, [&](int64_t image, int64_t windows, WindowRow& row) {
        row.run([&](int64_t o, int64_t n, const Elements& e, int64_t where) {
          const T weight = static_cast<T>(w.weight(e.count()));
          for (int64_t i = windows + o; n > 0; --n, ++i, where += step)
            for (const int64_t at : e.at) out[image + where + at] += weight * in[i];
        });
      });
  }
}

}  // namespace

void CpuBackend::pooling(Pooling op, const PoolingPlan& plan, const Array& in, Array& out, Array* place) {
  const int64_t outer = in.shape()[0];
  const Windows windows(plan, in.shape()[in.ndim() - 1]);
  int32_t* places = place ? static_cast<int32_t*>(place->mutable_raw()) : nullptr;
  if (in.dtype() == float64)
    pool(op, windows, outer, in.data<double>(), out.mutable_data<double>(), places, image_kernels());
  else
    pool(op, windows, outer, in.data<float>(), out.mutable_data<float>(), places, image_kernels());
}

}  // namespace chainer::cpu
