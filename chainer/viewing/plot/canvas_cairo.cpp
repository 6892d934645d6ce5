// SPDX-License-Identifier: MIT
// PNG by cairo.
#include <cairo.h>

#include <cmath>

#include "chainer/core/error.h"
#include "chainer/core/utf8.h"
#include "chainer/viewing/plot/canvas.h"

namespace chainer::plot {
namespace {

constexpr double kScale = 2;  // pixels per unit, for high-resolution screens

class CairoCanvas : public Canvas {
 public:
  CairoCanvas(double width, double height) {
    surface_ = cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width * kScale),
                                          static_cast<int>(height * kScale));
    cr_ = cairo_create(surface_);
    cairo_scale(cr_, kScale, kScale);
    cairo_set_source_rgb(cr_, 1, 1, 1);
    cairo_paint(cr_);
    cairo_set_line_join(cr_, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(cr_, CAIRO_LINE_CAP_ROUND);
    cairo_select_font_face(cr_, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  }
  CairoCanvas(const CairoCanvas&) = delete;
  ~CairoCanvas() override {
    cairo_destroy(cr_);
    cairo_surface_destroy(surface_);
  }

  void lines(const std::vector<Position>& points, Color c, double width, int dash) override {
    path(points);
    set(c);
    cairo_set_line_width(cr_, width);
    cairo_set_dash(cr_, dashes(dash).data(), static_cast<int>(dashes(dash).size()), 0);
    cairo_stroke(cr_);
  }
  void area(const std::vector<Position>& outline, Color c) override {
    path(outline);
    cairo_close_path(cr_);
    set(c);
    cairo_fill(cr_);
  }
  void text(Position at, const std::string& s, double size, Anchor anchor, Color c, bool vertical) override {
    const double shift = anchor == Anchor::start ? 0 : text_width(s, size) * (anchor == Anchor::middle ? 0.5 : 1);
    set(c);
    cairo_save(cr_);
    cairo_translate(cr_, at.x, at.y);
    if (vertical) cairo_rotate(cr_, -M_PI / 2);
    cairo_move_to(cr_, -shift, 0);
    cairo_show_text(cr_, in_utf8(s).c_str());
    cairo_restore(cr_);
  }
  double text_width(const std::string& s, double size) override {
    cairo_set_font_size(cr_, size);
    cairo_text_extents_t e;
    cairo_text_extents(cr_, in_utf8(s).c_str(), &e);
    return e.x_advance;
  }
  void clip(Position low, Position high) override {
    cairo_save(cr_);
    cairo_rectangle(cr_, low.x, low.y, high.x - low.x, high.y - low.y);
    cairo_clip(cr_);
  }
  void unclip() override { cairo_restore(cr_); }
  std::string finish() override {
    cairo_status_t status = cairo_status(cr_);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_write_to_png_stream(surface_, append, &bytes_);
    if (status != CAIRO_STATUS_SUCCESS) throw RuntimeError("cannot draw a figure: ", cairo_status_to_string(status));
    return std::move(bytes_);
  }

 private:
  static cairo_status_t append(void* bytes, const unsigned char* data, unsigned int length) {
    try {
      static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
      return CAIRO_STATUS_SUCCESS;
    } catch (...) { return CAIRO_STATUS_NO_MEMORY; }
  }
  // cairo draws nothing more after a text that is no UTF-8.
  static std::string in_utf8(const std::string& s) { return is_utf8(s) ? s : printable(s); }
  void set(Color c) { cairo_set_source_rgba(cr_, c.r, c.g, c.b, c.a); }
  void path(const std::vector<Position>& points) {
    cairo_new_path(cr_);
    for (const Position& p : points) cairo_line_to(cr_, p.x, p.y);
  }
  std::string bytes_;
  cairo_surface_t* surface_;
  cairo_t* cr_;
};

}  // namespace

bool available() { return true; }
std::unique_ptr<Canvas> make_png_canvas(double width, double height) {
  return std::make_unique<CairoCanvas>(width, height);
}

}  // namespace chainer::plot
