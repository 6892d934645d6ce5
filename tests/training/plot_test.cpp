// SPDX-License-Identifier: MIT
// Curves as SVG: the content of the file, and reduced curves that keep their extremes.
#include <chainer/core/error.h>
#include <chainer/viewing/plot/braille.h>
#include <chainer/viewing/plot/figure.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "folder.h"
#include "test.h"

using namespace chainer;

TEST(figures_become_svg_without_a_library) {
  plot::Figure f;
  f.axes[0].title = "a < b & \"c\"";
  f.axes[0].series = {{.label = "main/loss", .x = {1, 2, 3, 4}, .y = {4, std::nan(""), 2, 1}},
                      {.label = "band", .x = {1, 4}, .y = {1, 2}, .y2 = {2, 3}, .color = plot::Color{1, 0, 0, 0.3}}};
  const std::string s = plot::svg(f, "what \x01<it> shows");
  EXPECT(s.starts_with("<svg xmlns=") && s.ends_with("</svg>\n"));
  EXPECT(s.find("a &lt; b &amp; &quot;c&quot;") != s.npos && s.find("aria-label=\"what &lt;it&gt; shows\"") != s.npos);
  EXPECT(s.find("main/loss") != s.npos && s.find("nan") == s.npos && s.find("inf") == s.npos);
  EXPECT(s.find("class=\"s1f6bb8\" fill=\"none\" stroke=\"#1f6bb8\"") != s.npos);
  EXPECT(s.find("fill=\"#ff0000\" fill-opacity=\"0.3\"") != s.npos);
  EXPECT(plot::available("plot.svg"));
  // An empty figure is valid.
  EXPECT(plot::svg(plot::Figure{}).find("</svg>") != s.npos);
}

TEST(texts_that_are_no_utf8_are_drawn) {
  plot::Figure f;
  f.axes[0].series = {{.label = "caf\xe9", .x = {1, 2}, .y = {1, 2}}};
  EXPECT(plot::svg(f).find(">caf\\xe9</text>") != std::string::npos);
  const test::Folder folder;
  if (plot::available()) plot::save(f, folder.path / "f.png");
}

TEST(figures_that_do_not_fit_together_are_errors) {
  const auto drawn = [](plot::Series s, int rows = 1, int columns = 1) {
    plot::Figure f{.rows = rows, .columns = columns};
    f.axes[0].series.push_back(std::move(s));
    return plot::svg(f);
  };
  EXPECT_THROW(DimensionError, "'a' has 2 x, but 1 y", drawn({.label = "a", .x = {1, 2}, .y = {1}}));
  EXPECT_THROW(DimensionError, "1 x, but 2 y", drawn({.label = "a", .x = {1}, .y = {1, 2}}));
  EXPECT_THROW(DimensionError, "2 y and 1 y2", drawn({.label = "a", .x = {1, 2}, .y = {1, 2}, .y2 = {1}}));
  EXPECT_THROW(ValueError, "not 1 x 0", drawn({.label = "a", .x = {1}, .y = {1}}, 1, 0));
  EXPECT_THROW(ValueError, "not 0 x 1", drawn({.label = "a", .x = {1}, .y = {1}}, 0, 1));
  for (const double size : {0.0, -5.0, std::nan(""), HUGE_VAL})
    EXPECT_THROW(ValueError, text(size, " x 10 pixels"), plot::svg(plot::Figure{.width = size, .height = 10}));
  // A band leaves out what cannot be drawn.
  const std::string band = drawn({.label = "a", .x = {1, std::nan(""), 3}, .y = {1, 2, 3}, .y2 = {2, 3, 4}});
  EXPECT(band.find("nan") == band.npos && band.find("92233720") == band.npos);
}

TEST(values_whose_differences_are_infinite_are_gaps) {
  plot::Figure f;
  f.axes[0].series = {{.label = "", .x = {1, 2, 3, 4}, .y = {1e308, 0.5, -1e308, 1}}};
  const std::string s = plot::svg(f);
  EXPECT(s.find("nan") == s.npos && s.find("inf") == s.npos);
  std::size_t digits = 0, most = 0;
  for (const char c : s) digits = c >= '0' && c <= '9' ? digits + 1 : 0, most = std::max(most, digits);
  EXPECT(most < 8);
  const auto rows = plot::braille({{.points = {{1, 1e308}, {2, 0.5}, {3, -1e308}, {4, 1}}}}, 40, 5, false);
  EXPECT(rows.size() == 5 && rows[0].find("1e+308") == std::string::npos);
}

TEST(reduced_curves_keep_their_extremes) {
  plot::Series s;
  for (int i = 0; i < 100000; ++i) s.x.push_back(i), s.y.push_back(std::sin(i * 0.001));
  s.y[31415] = 50, s.y[70001] = -50;
  for (int i = 90000; i < 100000; ++i) s.y[static_cast<std::size_t>(i)] = std::nan("");
  const plot::Series r = plot::reduced(s, 1000);
  EXPECT(r.x.size() <= 1000 && r.x.size() > 800 && r.x.size() == r.y.size());
  EXPECT(std::is_sorted(r.x.begin(), r.x.end()) && r.x.front() == 0 && r.x.back() == 99999);
  EXPECT(std::count(r.y.begin(), r.y.end(), 50.0) == 1 && std::count(r.y.begin(), r.y.end(), -50.0) == 1);
  EXPECT(std::isnan(r.y.back()));
  EXPECT_EQ(plot::reduced(r, 1000).x.size(), r.x.size());
  EXPECT_EQ(plot::reduced(s, 0).x.size() <= 4, true);
}

// Rounding errors of a constant must not be magnified to the whole axis.
TEST(values_a_rounding_step_apart_are_drawn_as_one) {
  for (const double v : {0.1, 1e-300, 5e-324, 1e300, -7.0, 0.0}) {
    const double next = std::nextafter(v, HUGE_VAL);
    plot::Figure f;
    f.axes[0].series = {{.label = "lr", .x = {4, 7}, .y = {v, next}}};
    EXPECT(plot::svg(f).size() < 20000);
  }
  EXPECT(plot::ticks(0.1, std::nextafter(0.1, 1), 5).size() <= 100);
  EXPECT(plot::ticks(1e300, std::nextafter(1e300, HUGE_VAL), 5).size() <= 100);
  EXPECT(plot::ticks(0, 5e-324, 5).size() <= 100);
}
