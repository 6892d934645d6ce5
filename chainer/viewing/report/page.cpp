// SPDX-License-Identifier: MIT
// Renders one or several runs as an HTML page.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>

#include "chainer/core/error.h"
#include "chainer/core/system/file.h"
#include "chainer/viewing/pages.h"
#include "chainer/viewing/plot/canvas.h"
#include "chainer/viewing/report/run.h"

namespace chainer::run_report {
namespace {

using plot::escaped_xml;
constexpr std::size_t kPlots = 40;              // further keys appear in the table only
constexpr std::size_t kPoints = 16000;          // of all curves together
constexpr std::size_t kFewPoints = 3;           // curves of so many points have dots
constexpr uintmax_t kPictureBytes = 400 << 10;  // of all pictures together; others are links

const char* const kDashes[] = {"", "6 3", "2 3", "8 3 2 3"};  // as in plot.js

struct Plot {
  std::string title, x_key;
  std::vector<plot::Series> series;
  std::vector<std::string> keys;
};

// Returns a number of so many digits, independent of the locale.
std::string rounded(double v, int digits = 5) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, std::end(buffer), v, std::chars_format::general, digits).ptr};
}
std::string cell(const std::string& s, bool number = false) {
  return (number ? "<td class=\"n\">" : "<td>") + escaped_xml(s) + "</td>";
}
std::string hex(plot::Color c) {
  char buffer[8];
  std::snprintf(buffer, sizeof buffer, "%02lx%02lx%02lx", std::lround(c.r * 255) & 255, std::lround(c.g * 255) & 255,
                std::lround(c.b * 255) & 255);
  return buffer;
}
const json::Value* member(const json::Value& v, std::string_view key) { return v.object() ? v.find(key) : nullptr; }
std::string value_text(const json::Value& v) { return v.string() ? *v.string() : json::dump(v); }

// Returns what is drawn of a run: the values of its log, or those of each iteration where these are more.
std::vector<plot::Series> drawn_curves(const Run& run) {
  std::vector<plot::Series> out = run.curves;
  if (run.x_key != "iteration") return out;
  for (const plot::Series& each : run.each) {
    const auto it = std::find_if(out.begin(), out.end(), [&](const auto& c) { return c.label == each.label; });
    if (it == out.end())
      out.push_back(each);
    else if (each.x.size() > it->x.size())
      *it = each;
  }
  return out;
}

// Curves whose names end alike share a plot: main/loss and validation/main/loss, of all runs. Several runs have a color
// each, and dashes for their values; the values of one run have the colors from the run's on.
std::vector<Plot> plots_of(const std::vector<Run>& runs) {
  std::vector<Plot> out;
  std::vector<std::filesystem::path> folders;
  for (const Run& r : runs) folders.push_back(r.folder);
  const std::vector<std::size_t> colors = plot::run_colors(folders);
  std::size_t curves = 0;
  for (const Run& r : runs) curves += drawn_curves(r).size();
  const std::size_t points = std::clamp<std::size_t>(kPoints / std::max<std::size_t>(1, curves), 40, 1000);
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (const plot::Series& c : drawn_curves(runs[i])) {
      const Run& r = runs[i];
      const std::string title = c.label.substr(c.label.rfind('/') + 1);
      auto it =
          std::find_if(out.begin(), out.end(), [&](const Plot& p) { return p.title == title && p.x_key == r.x_key; });
      if (it == out.end()) it = out.insert(it, Plot{title, r.x_key, {}, {}});
      const std::size_t key =
          static_cast<std::size_t>(std::find(it->keys.begin(), it->keys.end(), c.label) - it->keys.begin());
      if (key == it->keys.size()) it->keys.push_back(c.label);
      it->series.push_back(plot::reduced(c, points));
      plot::Series& s = it->series.back();
      if (runs.size() > 1) s.label = r.name + ": " + s.label;
      s.marker = s.x.size() <= kFewPoints ? "o" : "";
      s.color = plot::series_color(colors[i] + (runs.size() > 1 ? 0 : key));
      s.dash = runs.size() > 1 ? static_cast<int>(key % std::size(kDashes)) : 0;
    }
  return out;
}

std::string drawn(const Plot& p, std::size_t i) {
  plot::Figure f;
  f.width = 480, f.height = 290;
  f.axes[0].xlabel = p.x_key;
  f.axes[0].legend = false;
  f.axes[0].series = p.series;
  std::string names, legend;
  for (const plot::Series& s : p.series) {
    names += (names.empty() ? "" : ", ") + s.label;
    const std::string c = hex(*s.color);
    legend += "<li><svg viewBox=\"0 0 20 10\" aria-hidden=\"true\"><path class=\"s" + c + "\" stroke=\"#" + c +
              "\" stroke-width=\"3\" stroke-dasharray=\"" + (s.dash ? kDashes[s.dash] : "none") +
              "\" d=\"M0,5H20\"/></svg> " + escaped_xml(s.label) + "</li>";
  }
  return "<figure data-plot=\"" + std::to_string(i) + "\"><figcaption>" + escaped_xml(p.title) +
         "</figcaption>\n<ul class=\"legend\">" + legend + "</ul>\n" +
         plot::svg(f, "Curves of " + names + " over " + p.x_key + "; best and last values are in the table") +
         "</figure>\n";
}

// The values of the curves as JSON for the script. "<" is escaped, so that no text can close the script element.
std::string data_of(const std::vector<Plot>& plots) {
  const auto numbers = [](const std::vector<double>& values) {
    std::string out;
    for (const double v : values)
      out += (out.empty() ? "" : ",") + (plot::can_be_drawn(v) ? rounded(v, 6) : std::string("null"));
    return "[" + out + "]";
  };
  std::string out;
  for (const Plot& p : plots) {
    std::string series;
    for (const plot::Series& s : p.series)
      series += (series.empty() ? "" : ",") + std::string("{\"l\":") + json::dump(s.label) + ",\"c\":\"" +
                hex(*s.color) + "\",\"d\":\"" + kDashes[s.dash] + "\",\"x\":" + numbers(s.x) +
                ",\"y\":" + numbers(s.y) + "}";
    out += (out.empty() ? "" : ",\n") + std::string("{\"x\":") + json::dump(p.x_key) + ",\"s\":[" + series + "]}";
  }
  for (std::size_t at = 0; (at = out.find('<', at)) != out.npos;) out.replace(at, 1, "\\u003c");
  return "[" + out + "]";
}

// Returns 1 if larger values are better, -1 if smaller values are, 0 if unknown.
int direction(const std::string& key) {
  for (const char* good : {"accuracy", "auc", "bleu", "psnr", "ssim", "precision", "recall", "f1", "score", "iou"})
    if (key.find(good) != key.npos) return 1;
  for (const char* bad : {"loss", "error", "perplexity", "ppl", "distance"})
    if (key.find(bad) != key.npos) return -1;
  return 0;
}

std::string values_table(const std::vector<Run>& runs) {
  std::string out =
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Best and last values\"><table><thead><tr>"
      "<th scope=\"col\">run</th><th scope=\"col\">value</th><th scope=\"col\" class=\"n\">best</th><th scope=\"col\" "
      "class=\"n\">at</th><th scope=\"col\" class=\"n\">last</th><th scope=\"col\" class=\"n\">at</th></tr></thead>"
      "<tbody>\n";
  for (const Run& r : runs)
    for (const plot::Series& c : r.curves) {
      std::size_t best = c.y.size();
      const int d = direction(c.label);
      for (std::size_t i = 0; d && i < c.y.size(); ++i)
        if (std::isfinite(c.y[i]) && (best == c.y.size() || d * c.y[i] > d * c.y[best])) best = i;
      out += "<tr>" + cell(r.name) + "<th scope=\"row\">" + escaped_xml(c.label) + "</th>" +
             cell(best < c.y.size() ? rounded(c.y[best]) : "", true) +
             cell(best < c.y.size() ? rounded(c.x[best]) : "", true) + cell(rounded(c.y.back()), true) +
             cell(rounded(c.x.back()), true) + "</tr>\n";
    }
  return out + "</tbody></table></div>\n";
}

std::string pairs_table(const json::Value& object) {
  std::string out = "<table><tbody>";
  for (const auto& [key, v] : *object.object())
    out += "<tr><th scope=\"row\">" + escaped_xml(key) + "</th>" + cell(value_text(v)) + "</tr>\n";
  return out + "</tbody></table>\n";
}

std::string text_block(const json::Value& about, const char* key, const char* title) {
  const json::Value* v = member(about, key);
  if (!v || !v->string() || v->string()->empty()) return "";
  return std::string("<h3>") + title + "</h3><pre tabindex=\"0\">" + escaped_xml(*v->string()) + "</pre>\n";
}

std::string functions_table(const json::Value& about) {
  const json::Value* profile = member(about, "profile");
  const json::Value* rows = profile ? member(*profile, "functions") : nullptr;
  if (!rows || !rows->list() || rows->list()->empty()) return "";
  const auto number = [](const json::Value& row, const char* key) {
    const json::Value* v = member(row, key);
    return v && v->is_number() ? v->number() : 0.0;
  };
  double total = 1e-12;
  for (const json::Value& row : *rows->list()) total += number(row, "seconds");
  std::string out =
      "<h3>Time and memory by function</h3><p>Per iteration; medians of " + rounded(number(*profile, "iterations")) +
      " measured iterations.</p><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Time and memory by function\"><table><thead><tr><th scope=\"col\">function</th><th scope=\"col\" "
      "class=\"n\">calls</th><th scope=\"col\" class=\"n\">ms</th><th scope=\"col\" class=\"n\">MB allocated</th><th "
      "scope=\"col\">share of time</th></tr></thead><tbody>\n";
  for (const json::Value& row : *rows->list()) {
    const json::Value* name = member(row, "name");
    const double share = 100 * number(row, "seconds") / total;
    out += "<tr><th scope=\"row\">" + escaped_xml(name ? value_text(*name) : "") + "</th>" +
           cell(rounded(number(row, "calls")), true) + cell(rounded(number(row, "seconds") * 1e3), true) +
           cell(rounded(number(row, "bytes") / 1e6), true) +
           "<td><span class=\"bar\" style=\"width:" + rounded(std::clamp(share, 0.0, 100.0) * 0.08) + "em\"></span> " +
           rounded(std::round(share * 10) / 10) + " %</td></tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

// Adds plots of the statistics of parameters and gradients, with one curve per parameter.
void add_statistics(const Run& run, std::vector<Plot>& plots) {
  const json::Value* all = member(run.about, "statistics");
  if (!all || !all->object()) return;
  const std::pair<const char*, const char*> kinds[] = {
      {"std", "standard deviation of parameters"},
      {"gradient_std", "standard deviation of gradients"},
      {"gradient_zero", "fraction of gradient elements that are zero"}};
  for (const auto& [key, title] : kinds) {
    Plot p{run.name + ": " + title, "iteration", {}, {}};
    for (const auto& [path, s] : *all->object()) {
      const json::Value *x = member(s, "iteration"), *y = member(s, key);
      if (p.series.size() >= 12 || !x || !y || !x->list() || !y->list() || x->list()->size() != y->list()->size() ||
          x->list()->empty())
        continue;
      plot::Series c{.label = path, .x = {}, .y = {}, .marker = ""};
      for (std::size_t i = 0; i < x->list()->size(); ++i) {
        const json::Value &at = (*x->list())[i], &v = (*y->list())[i];
        if (!at.is_number()) continue;
        c.x.push_back(at.number()), c.y.push_back(v.is_number() ? v.number() : NAN);
      }
      const auto zero = [](double v) { return !(v > 0); };
      if (key == std::string_view("gradient_zero") && std::all_of(c.y.begin(), c.y.end(), zero)) continue;
      c = plot::reduced(c, 200);
      c.marker = c.x.size() <= kFewPoints ? "o" : "";
      c.color = plot::series_color(p.series.size());
      p.series.push_back(std::move(c));
    }
    if (!p.series.empty()) plots.push_back(std::move(p));
  }
}

std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned v = 0;
    for (std::size_t k = 0; k < 3; ++k)
      v = v << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : kDigits[v >> (18 - 6 * k) & 63];
  }
  return out;
}

// Embeds pictures in the page up to the budget, those with the last names first; names the others.
std::string pictures_of(const Run& run, uintmax_t& budget) {
  std::string shown, left;
  std::size_t left_out = 0;
  for (auto it = run.pictures.rbegin(); it != run.pictures.rend(); ++it) {
    const std::string name = it->lexically_relative(run.folder).generic_string();
    std::string bytes;
    try {
      bytes = read_file_below(run.folder, name, budget);
    } catch (const FileError&) {
      if (++left_out <= 5) left += (left.empty() ? "" : ", ") + escaped_xml(name);
      continue;
    }
    budget -= bytes.size();
    const std::string end = it->extension().string();
    const char* type = end == ".svg" ? "image/svg+xml" : end == ".png" ? "image/png" : "image/jpeg";
    shown = "<figure><figcaption>" + escaped_xml(name) + "</figcaption><img alt=\"" +
            escaped_xml("The picture " + name) + "\" src=\"data:" + type + ";base64," + base64(bytes) +
            "\"></figure>\n" + shown;
  }
  if (shown.empty() && !left_out) return "";
  return "<h3>Pictures</h3><div class=\"plots\">" + shown + "</div>\n" +
         (left_out
              ? text("<p class=\"soft\">", left_out, " more did not fit: ", left, left_out > 5 ? ", …" : "", ".</p>\n")
              : "");
}

std::string remarks_of(const std::vector<Run>& runs) {
  std::string out;
  for (const Run& r : runs)
    for (const std::string& s : remarks(r))
      out += "<li>" + (runs.size() > 1 ? "<strong>" + escaped_xml(r.name) + ":</strong> " : std::string()) +
             escaped_xml(s) + "</li>\n";
  return out.empty() ? "<p>Nothing stands out.</p>\n" : "<ul class=\"remarks\">" + out + "</ul>\n";
}

std::string details_of(const Run& r, std::size_t number, uintmax_t& budget) {
  std::string out = "<section><h2 id=\"run" + std::to_string(number) + "\">" + escaped_xml(r.name) +
                    "</h2>\n<p class=\"soft\">" + escaped_xml(r.folder.string()) + "</p>\n";
  if (const json::Value* v = member(r.about, "run"); v && v->object())
    out += "<h3>What ran</h3><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"What ran\">" +
           pairs_table(*v) + "</div>\n";
  const json::Value* given = member(r.about, "arguments");
  // HtmlReport and LivePage both write the arguments.
  const bool same = given && json::dump(*given) == json::dump(r.arguments);
  for (const json::Value* v : {given, same ? nullptr : &r.arguments})
    if (v && v->object() && !v->object()->empty()) out += "<h3>Arguments</h3>" + pairs_table(*v);
  out += text_block(r.about, "runtime", "Library and machine") + text_block(r.about, "summary", "Network") +
         functions_table(r.about);
  if (!r.graph.empty()) {
    const std::string picture = graph_svg(r.graph, "The computational graph: functions and variables");
    out += "<h3>Graph</h3>";
    out += picture.empty()
               ? "<p>The graph is too large to be drawn here, or its text is damaged.</p>\n"
               : "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Graph\">" + picture + "</div>\n";
  }
  return out + pictures_of(r, budget) + "</section>\n";
}

}  // namespace

std::string page(const std::vector<Run>& given) {
  std::vector<Run> runs = given;
  for (std::size_t i = 0; i < runs.size(); ++i)  // adds the parent folder to names that occur twice
    if (std::count_if(given.begin(), given.end(), [&](const Run& r) { return r.name == given[i].name; }) > 1)
      runs[i].name = runs[i].folder.parent_path().filename().string() + "/" + runs[i].name;
  std::vector<Plot> plots = plots_of(runs);
  const std::size_t from_logs = std::min(plots.size(), kPlots), left_out = plots.size() - from_logs;
  plots.resize(from_logs);
  for (const Run& r : runs) add_statistics(r, plots);
  std::string names, links;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    names += (i ? ", " : "") + runs[i].name;
    links += "<li><a href=\"#run" + std::to_string(i) + "\">" + escaped_xml(runs[i].name) + "</a></li>";
  }
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n<title>Report: " +
      escaped_xml(names) + "</title>\n<style>" + text(pages::colors_css, pages::plot_css, pages::report_css) +
      "</style></head>\n<body>\n<header><h1>" + escaped_xml(names) +
      "</h1>\n<nav aria-label=\"Parts of the report\"><ul><li><a href=\"#remarks\">Remarks</a></li>"
      "<li><a href=\"#curves\">Curves</a></li><li><a href=\"#values\">Values</a></li>" +
      links + "</ul></nav></header>\n<main>\n";
  out += "<section><h2 id=\"remarks\">Remarks</h2>\n" + remarks_of(runs) + "</section>\n";
  out += "<section><h2 id=\"curves\">Curves</h2>\n<div class=\"plots\">\n";
  for (std::size_t i = 0; i < from_logs; ++i) out += drawn(plots[i], i);
  out += "</div>\n";
  if (left_out) out += text("<p class=\"soft\">", left_out, " more values are in the table only.</p>\n");
  out += "</section>\n<section><h2 id=\"values\">Best and last values</h2>\n" + values_table(runs) + "</section>\n";
  if (plots.size() > from_logs) {
    out += "<section><h2>Parameters and gradients</h2>\n<div class=\"plots\">\n";
    for (std::size_t i = from_logs; i < plots.size(); ++i) out += drawn(plots[i], i);
    out += "</div></section>\n";
  }
  uintmax_t budget = kPictureBytes;
  for (std::size_t i = 0; i < runs.size(); ++i) out += details_of(runs[i], i, budget);
  return out + "</main>\n<script type=\"application/json\" id=\"data\">" + data_of(plots) + "</script>\n<script>" +
         text(pages::plot_js, pages::report_js) + "</script>\n</body></html>\n";
}

}  // namespace chainer::run_report
