// SPDX-License-Identifier: MIT
#include "chainer/viewing/plot/figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "chainer/core/error.h"
#include "chainer/core/system/file.h"
#include "chainer/viewing/plot/canvas.h"

namespace chainer::plot {
namespace {

constexpr Color kInk{0.2, 0.2, 0.22}, kGrid{0.88, 0.88, 0.9}, kFrame{0.45, 0.45, 0.48};
constexpr double kTextSize = 12;
constexpr double kRounding = 1e-9;    // values with a smaller relative difference are drawn as equal
constexpr double kSmallest = 1e-290;  // values below are drawn as zero
constexpr double kMostTicks = 100;

struct Range {
  double low = HUGE_VAL, high = -HUGE_VAL;
  void add(double v) {
    if (!can_be_drawn(v)) return;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  // Adds a margin around the data. A range of a single value (up to rounding) is widened; without data, the range is
  // [0, 1].
  void settle() {
    if (low > high) low = 0, high = 1;
    const double size = std::max(std::abs(low), std::abs(high));
    if (high - low <= kRounding * size) {
      const double middle = low + (high - low) / 2, room = size < kSmallest ? 1 : size * 0.1;
      low = middle - room;
      high = middle + room;
    }
    const double room = (high - low) * 0.05;
    low -= room;
    high += room;
  }
};

std::string label_of(double v, double step) {
  if (std::abs(v) < step * 1e-9) v = 0;
  char buffer[40];
  if (std::abs(v) >= 1e6 || (v != 0 && std::abs(v) < 1e-4))
    std::snprintf(buffer, sizeof buffer, "%.3g", v);
  else
    std::snprintf(buffer, sizeof buffer, "%.*f",
                  std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 6), v);
  return buffer;
}

void draw_marker(Canvas& c, const std::string& kind, Position p, Color color) {
  const double r = 3.2;
  if (kind == "x") {
    c.lines({{p.x - r, p.y - r}, {p.x + r, p.y + r}}, color, 1.5);
    c.lines({{p.x - r, p.y + r}, {p.x + r, p.y - r}}, color, 1.5);
  } else if (kind == "+") {
    c.lines({{p.x - r, p.y}, {p.x + r, p.y}}, color, 1.5);
    c.lines({{p.x, p.y - r}, {p.x, p.y + r}}, color, 1.5);
  } else if (kind == "s") {
    c.area({{p.x - r, p.y - r}, {p.x + r, p.y - r}, {p.x + r, p.y + r}, {p.x - r, p.y + r}}, color);
  } else if (!kind.empty()) {
    std::vector<Position> circle;
    const double radius = kind == "." ? r * 0.6 : r;
    for (int i = 0; i < 20; ++i)
      circle.push_back({p.x + radius * std::cos(i * M_PI / 10), p.y + radius * std::sin(i * M_PI / 10)});
    c.area(circle, color);
  }
}

void draw_axes(Canvas& c, const Axes& a, Position low, Position high) {
  Range xr, yr;
  for (const Series& s : a.series) {
    for (double v : s.x) xr.add(v);
    for (double v : s.y) yr.add(v);
    for (double v : s.y2) yr.add(v);
  }
  xr.settle();
  yr.settle();

  // The legend is to the right of the plot, so that it hides no data.
  double legend = 0;
  std::size_t named = 0;
  for (const Series& s : a.series)
    if (a.legend && !s.label.empty()) legend = std::max(legend, c.text_width(s.label, kTextSize)), ++named;
  const double left = low.x + 64, top = low.y + (a.title.empty() ? 16 : 34), bottom = high.y - 46;
  const double right = high.x - 14 - (named ? legend + 40 : 0);
  const auto px = [&](double x) { return left + (x - xr.low) / (xr.high - xr.low) * (right - left); };
  const auto py = [&](double y) { return bottom - (y - yr.low) / (yr.high - yr.low) * (bottom - top); };

  const std::vector<double> xt = ticks(xr.low, xr.high, std::max(2, static_cast<int>((right - left) / 80)));
  const std::vector<double> yt = ticks(yr.low, yr.high, std::max(2, static_cast<int>((bottom - top) / 50)));
  const auto step = [](const std::vector<double>& t) { return t.size() > 1 ? t[1] - t[0] : 1.0; };
  for (double x : xt) {
    if (a.grid) c.lines({{px(x), top}, {px(x), bottom}}, kGrid, 1);
    c.lines({{px(x), bottom}, {px(x), bottom + 4}}, kFrame, 1);
    c.text({px(x), bottom + 17}, label_of(x, step(xt)), kTextSize, Canvas::Anchor::middle, kInk);
  }
  for (double y : yt) {
    if (a.grid) c.lines({{left, py(y)}, {right, py(y)}}, kGrid, 1);
    c.lines({{left - 4, py(y)}, {left, py(y)}}, kFrame, 1);
    c.text({left - 7, py(y) + 4}, label_of(y, step(yt)), kTextSize, Canvas::Anchor::end, kInk);
  }

  std::size_t next = 0;
  double legend_y = top + 10;
  for (const Series& s : a.series) {
    const Color color = s.color ? *s.color : series_color(next);
    if (!s.color) ++next;
    c.clip({left, top}, {right, bottom});
    std::vector<Position> run;
    if (!s.y2.empty()) {
      for (std::size_t i = 0; i < s.x.size(); ++i)
        if (can_be_drawn(s.x[i]) && can_be_drawn(s.y[i])) run.push_back({px(s.x[i]), py(s.y[i])});
      for (std::size_t i = s.x.size(); i-- > 0;)
        if (can_be_drawn(s.x[i]) && can_be_drawn(s.y2[i])) run.push_back({px(s.x[i]), py(s.y2[i])});
      c.area(run, color);
    } else {
      const auto flush = [&] {
        if (s.line && run.size() > 1) c.lines(run, color, 1.8, s.dash);
        for (const Position& p : run) draw_marker(c, s.marker, p, color);
        run.clear();
      };
      for (std::size_t i = 0; i < s.x.size(); ++i) {
        if (can_be_drawn(s.x[i]) && can_be_drawn(s.y[i]))
          run.push_back({px(s.x[i]), py(s.y[i])});
        else
          flush();  // a gap in the data is a gap in the curve
      }
      flush();
    }
    c.unclip();
    if (!a.legend || s.label.empty()) continue;
    const double x = right + 12;
    if (!s.y2.empty())
      c.area({{x, legend_y - 5}, {x + 18, legend_y - 5}, {x + 18, legend_y + 5}, {x, legend_y + 5}}, color);
    else if (s.line)
      c.lines({{x, legend_y}, {x + 18, legend_y}}, color, 1.8, s.dash);
    if (s.y2.empty()) draw_marker(c, s.marker, {x + 9, legend_y}, color);
    c.text({x + 24, legend_y + 4}, s.label, kTextSize, Canvas::Anchor::start, kInk);
    legend_y += 19;
  }
  c.lines({{left, top}, {right, top}, {right, bottom}, {left, bottom}, {left, top}}, kFrame, 1);
  const double middle_x = (left + right) / 2, middle_y = (top + bottom) / 2;
  c.text({middle_x, bottom + 37}, a.xlabel, kTextSize + 1, Canvas::Anchor::middle, kInk);
  c.text({low.x + 15, middle_y}, a.ylabel, kTextSize + 1, Canvas::Anchor::middle, kInk, true);
  c.text({middle_x, low.y + 20}, a.title, kTextSize + 2, Canvas::Anchor::middle, kInk);
}

}  // namespace

Color series_color(std::size_t i) {
  static constexpr Color colors[] = {{0.12, 0.42, 0.72}, {0.89, 0.42, 0.04}, {0.17, 0.58, 0.28}, {0.77, 0.15, 0.2},
                                     {0.5, 0.33, 0.7},   {0.5, 0.32, 0.25},  {0.82, 0.4, 0.68},  {0.45, 0.45, 0.45}};
  return colors[i % std::size(colors)];
}

constexpr std::size_t kColors = 8;

std::size_t run_color(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::path place = std::filesystem::absolute(folder, error).lexically_normal();
  if (!place.has_filename()) place = place.parent_path();
  if (place.filename() == "result") place = place.parent_path();
  uint32_t hash = 2166136261u;  // FNV-1a: the same on every machine
  for (const char c : place.filename().string()) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return (hash >> 16 ^ hash) % kColors;
}

std::vector<std::size_t> run_colors(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::size_t> order(folders.size()), out(folders.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return folders[a] < folders[b]; });
  std::array<std::size_t, kColors> users{};
  for (const std::size_t i : order) {
    const std::size_t wanted = run_color(folders[i]), fewest = *std::min_element(users.begin(), users.end());
    for (std::size_t k = 0; k < kColors; ++k) {
      out[i] = (wanted + k) % kColors;
      if (users[out[i]] == fewest) break;
    }
    ++users[out[i]];
  }
  return out;
}

std::vector<double> ticks(double low, double high, int count) {
  const double raw = (high - low) / std::max(1, count), base = std::pow(10, std::floor(std::log10(raw)));
  double step = base * 10;
  for (double m : {1.0, 2.0, 2.5, 5.0})
    if (base * m >= raw) {
      step = base * m;
      break;
    }
  std::vector<double> out;
  const double first = std::ceil(low / step - 1e-9);
  for (double i = 0; i < kMostTicks && (first + i) * step <= high + step * 1e-9; ++i) out.push_back((first + i) * step);
  return out;
}

Series reduced(const Series& series, std::size_t points) {
  const std::size_t n = std::min(series.x.size(), series.y.size()),
                    stretches = std::max<std::size_t>(points, 4) / 2 - 1;
  if (n <= points || !series.y2.empty()) return series;
  Series out = series;
  out.x.clear(), out.y.clear();
  std::size_t last = n;
  const auto keep = [&](std::size_t i) {
    if (i == last) return;
    out.x.push_back(series.x[i]), out.y.push_back(series.y[i]);
    last = i;
  };
  keep(0);
  for (std::size_t s = 0; s < stretches; ++s) {
    const std::size_t begin = n * s / stretches, end = n * (s + 1) / stretches;
    std::size_t least = n, most = n;
    for (std::size_t i = begin; i < end; ++i) {
      if (!can_be_drawn(series.y[i])) continue;
      if (least == n || series.y[i] < series.y[least]) least = i;
      if (most == n || series.y[i] > series.y[most]) most = i;
    }
    if (least == n) {
      keep(begin);
    } else {
      keep(std::min(least, most));
      keep(std::max(least, most));
    }
  }
  keep(n - 1);
  return out;
}

namespace {
void check_figure(const Figure& f) {
  if (!(f.width > 0 && f.height > 0 && std::isfinite(f.width) && std::isfinite(f.height)))
    throw ValueError("plot: a figure cannot have ", f.width, " x ", f.height, " pixels");
  if (f.rows < 1 || f.columns < 1)
    throw ValueError("plot: a figure needs at least one row and one column, not ", f.rows, " x ", f.columns);
  for (const Axes& a : f.axes)
    for (const Series& s : a.series)
      if (s.y.size() != s.x.size() || (!s.y2.empty() && s.y2.size() != s.x.size()))
        throw DimensionError("plot: the series '", s.label, "' has ", s.x.size(), " x, but ", s.y.size(), " y and ",
                             s.y2.size(), " y2");
}
std::string drawn(const Figure& f, Canvas& canvas) {
  const double w = f.width / f.columns, h = f.height / f.rows;
  for (std::size_t i = 0; i < f.axes.size(); ++i) {
    const double x = w * static_cast<double>(i % static_cast<std::size_t>(f.columns)),
                 y = h * static_cast<double>(i / static_cast<std::size_t>(f.columns));
    draw_axes(canvas, f.axes[i], {x, y}, {x + w, y + h});
  }
  return canvas.finish();
}
}  // namespace

std::string svg(const Figure& f, const std::string& label) {
  check_figure(f);
  return drawn(f, *make_svg_canvas(f.width, f.height, label));
}

bool available(const std::filesystem::path& file) { return file.extension() == ".svg" || available(); }

void save(const Figure& f, const std::filesystem::path& file) {
  check_figure(f);
  if (file.extension() == ".svg") return write_file(file, drawn(f, *make_svg_canvas(f.width, f.height, "", true)));
  const auto canvas = make_png_canvas(f.width, f.height);
  if (!canvas)
    throw RuntimeError("plot: cannot draw ", file.string(),
                       ": this build has no drawing library (cairo); .svg needs none");
  write_file(file, drawn(f, *canvas));
}

}  // namespace chainer::plot
