// SPDX-License-Identifier: MIT
// Drawing as SVG, which needs no library. Each color is an attribute and a class (#1f6bb8 is the class k1f6bb8), so
// that a page can change it in dark mode.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "chainer/core/utf8.h"
#include "chainer/viewing/pages.h"
#include "chainer/viewing/plot/canvas.h"

namespace chainer::plot {

std::string escaped_xml(std::string_view s) {
  if (!is_utf8(s)) return escaped_xml(printable(s));
  std::string out;
  for (const char c : s) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) >= 32 || c == '\n' || c == '\t')
      out += c;  // other control characters are not allowed in XML
  }
  return out;
}

const std::vector<double>& dashes(int dash) {
  static const std::vector<double> kinds[] = {{}, {6, 3}, {2, 3}, {8, 3, 2, 3}};
  return kinds[dash < 0 ? 0 : static_cast<std::size_t>(dash) % std::size(kinds)];
}

namespace {

// One digit after the point, independent of the locale.
std::string coordinate(double v) {
  const auto tenths = static_cast<long long>(std::llround(std::clamp(v, -1e9, 1e9) * 10));
  std::string out = tenths < 0 ? "-" : "";
  out += std::to_string(std::llabs(tenths) / 10);
  if (tenths % 10) out += "." + std::to_string(std::llabs(tenths) % 10);
  return out;
}

std::string hex(Color c) {
  char buffer[8];
  const auto byte = [](double v) { return static_cast<unsigned>(std::lround(std::clamp(v, 0.0, 1.0) * 255)) & 255u; };
  std::snprintf(buffer, sizeof buffer, "%02x%02x%02x", byte(c.r), byte(c.g), byte(c.b));
  return buffer;
}

class SvgCanvas : public Canvas {
 public:
  SvgCanvas(double width, double height, const std::string& label, bool is_file) {
    const std::string w = coordinate(width), h = coordinate(height);
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w +
           " " + h + "\" font-family=\"DejaVu Sans, Verdana, sans-serif\"";
    if (!label.empty()) out_ += " role=\"img\" aria-label=\"" + escaped_xml(label) + "\"";
    out_ += ">\n";
    if (is_file) out_ += text_of_style();
    out_ += "<rect class=\"kffffff\" width=\"" + w + "\" height=\"" + h + "\" fill=\"#ffffff\"/>\n";
  }
  void lines(const std::vector<Position>& points, Color c, double width, int dash) override {
    if (points.empty()) return;
    std::string lengths;
    for (const double d : dashes(dash)) lengths += (lengths.empty() ? "" : " ") + coordinate(d);
    if (!lengths.empty()) lengths = " stroke-dasharray=\"" + lengths + "\"";
    out_ += "<path class=\"s" + hex(c) + "\" fill=\"none\" stroke=\"#" + hex(c) + "\" stroke-width=\"" +
            coordinate(width) + "\"" + lengths + opacity("stroke", c) +
            " stroke-linejoin=\"round\" stroke-linecap=\"round\" d=\"" + path(points) + "\"/>\n";
  }
  void area(const std::vector<Position>& outline, Color c) override {
    if (outline.empty()) return;
    out_ += "<path class=\"k" + hex(c) + "\" fill=\"#" + hex(c) + "\"" + opacity("fill", c) + " d=\"" + path(outline) +
            "Z\"/>\n";
  }
  void text(Position at, const std::string& s, double size, Anchor anchor, Color c, bool vertical) override {
    if (s.empty()) return;
    static constexpr const char* kAnchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    const std::string x = coordinate(at.x), y = coordinate(at.y);
    out_ += "<text class=\"k" + hex(c) + "\" x=\"" + x + "\" y=\"" + y + "\" font-size=\"" + coordinate(size) + "\"" +
            kAnchors[static_cast<int>(anchor)] + " fill=\"#" + hex(c) + "\"" +
            (vertical ? " transform=\"rotate(-90 " + x + " " + y + ")\"" : "") + ">" + escaped_xml(s) + "</text>\n";
  }
  // An estimate, since the viewer chooses the font.
  double text_width(const std::string& s, double size) override {
    double width = 0;
    for (const char c : s) {
      if ((static_cast<unsigned char>(c) & 0xc0) == 0x80) continue;  // a continuation byte of UTF-8
      const bool narrow = c == 'i' || c == 'l' || c == 'j' || c == '/' || c == '.' || c == ' ' || c == 't' || c == 'f';
      width += narrow ? 0.35 : c == 'm' || c == 'w' || c == 'W' || c == 'M' ? 0.95 : 0.63;
    }
    return width * size;
  }
  // A nested <svg> clips its contents. A clipPath would need an id that is unique in the page.
  void clip(Position low, Position high) override {
    const std::string x = coordinate(low.x), y = coordinate(low.y), w = coordinate(high.x - low.x),
                      h = coordinate(high.y - low.y);
    out_ += "<svg x=\"" + x + "\" y=\"" + y + "\" width=\"" + w + "\" height=\"" + h + "\" viewBox=\"" + x + " " + y +
            " " + w + " " + h + "\">\n";
  }
  void unclip() override { out_ += "</svg>\n"; }
  std::string finish() override { return std::move(out_) + "</svg>\n"; }

 private:
  static std::string text_of_style() { return "<style>" + std::string(pages::colors_css) + "</style>\n"; }
  static std::string opacity(const char* what, Color c) {
    return c.a < 1 ? std::string(" ") + what + "-opacity=\"" + coordinate(c.a) + "\"" : "";
  }
  static std::string path(const std::vector<Position>& points) {
    std::string out;
    for (const Position& p : points) out += (out.empty() ? "M" : " ") + coordinate(p.x) + "," + coordinate(p.y);
    return out;
  }
  std::string out_;
};

}  // namespace

std::unique_ptr<Canvas> make_svg_canvas(double width, double height, const std::string& label, bool is_file) {
  return std::make_unique<SvgCanvas>(width, height, label, is_file);
}

}  // namespace chainer::plot
