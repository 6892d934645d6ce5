// SPDX-License-Identifier: MIT
// The lines of text of a dashboard.
#include <algorithm>
#include <cmath>
#include <set>

#include "chainer/core/utf8.h"
#include "chainer/training/extensions/dashboard.h"
#include "chainer/viewing/plot/braille.h"

namespace chainer::training::extensions {
namespace {

template <class... Numbers>
std::string printed(const char* format, Numbers... numbers) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, format, numbers...);
  return buffer;
}

std::string clock_text(double seconds) {
  if (!(seconds >= 0 && seconds < 1e9)) return "unknown";
  const auto s = static_cast<long long>(seconds);
  return printed("%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
}
std::string bytes_text(double bytes) {
  return bytes < 1e9 ? printed("%.0f MB", bytes / 1e6) : printed("%.2f GB", bytes / 1e9);
}

// Truncates a line to a number of characters; color sequences have no width.
std::string fitted(const std::string& line, int columns) {
  std::string out;
  bool colored = false;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t from = at;
    if (line[at] == '\033') {
      at = std::min(line.find('m', at), line.size() - 1) + 1;
      colored = true;
    } else {
      next_utf8(line, at);
      if (columns-- <= 0) return out + (colored ? plot::kNoColor : "");
    }
    out.append(line, from, at - from);
  }
  return out;
}

std::string last_name(const std::string& key) { return key.substr(key.rfind('/') + 1); }

// Returns the curves of the chosen group, sorted with losses first; `legend` receives their names and newest values.
std::vector<plot::TextCurve> chosen_curves(const DashboardState& s, std::string& legend) {
  std::vector<std::string> groups;
  for (const auto& [key, curve] : s.curves)
    if (const std::string name = last_name(key); std::find(groups.begin(), groups.end(), name) == groups.end())
      groups.push_back(name);
  std::stable_partition(groups.begin(), groups.end(), [](const std::string& g) { return g == "loss"; });
  std::vector<plot::TextCurve> out;
  if (groups.empty()) return out;
  const std::string& group = groups[s.chosen % groups.size()];
  for (const auto& [key, curve] : s.curves) {
    if (last_name(key) != group || curve.points().empty()) continue;
    const int color = static_cast<int>(out.size());
    out.push_back({curve.points(), color});
    legend += plot::color_sequence(color) + "\u2501 " + key + plot::kNoColor +
              printed(" %.4g   ", curve.points().back().second);
  }
  if (groups.size() > 1) legend += printed("(%zu of %zu)", s.chosen % groups.size() + 1, groups.size());
  return out;
}

std::vector<std::string> columns_of(const DashboardState& s) {
  if (!s.columns.empty()) return s.columns;
  std::vector<std::string> out = {"epoch", "iteration"};
  std::set<std::string> known = {"epoch", "iteration", "elapsed_time"};
  for (const json::Value& entry : *s.log)
    if (const json::Object* members = entry.object())
      for (const auto& [key, v] : *members)
        if (known.insert(key).second) out.push_back(key);
  return out;
}

std::vector<std::string> table(const DashboardState& s, std::size_t rows) {
  std::vector<std::string> out;
  if (!s.log || s.log->empty() || rows < 2) return out;
  const std::vector<std::string> columns = columns_of(s);
  const auto width = [](const std::string& name) { return static_cast<int>(std::max<std::size_t>(9, name.size())); };
  std::string head;
  for (const std::string& c : columns) head += printed("%*s  ", width(c), c.c_str());
  out.push_back("\033[1m" + head + plot::kNoColor);
  for (std::size_t i = s.log->size() - std::min(s.log->size(), rows - 1); i < s.log->size(); ++i) {
    std::string line;
    for (const std::string& c : columns) {
      const json::Value* v = (*s.log)[i].find(c);
      line += v && v->is_number() ? printed("%*.6g  ", width(c), v->number()) : printed("%*s  ", width(c), "");
    }
    out.push_back(line);
  }
  return out;
}

std::string eighths_bar(double share, int length) {
  std::string out;
  const int eighths = static_cast<int>(std::clamp(share, 0.0, 1.0) * length * 8);
  for (int i = 0; i < length; ++i) {
    const int filled = std::clamp(eighths - 8 * i, 0, 8);
    if (filled == 0)
      out += "\u00b7";
    else
      put_utf8(out, static_cast<uint32_t>(0x2590 - filled));  // U+2588 to U+258F: blocks of eight to one eighths
  }
  return out;
}

}  // namespace

std::vector<std::string> dashboard_lines(const DashboardState& s, TerminalSize size) {
  const int rows = size.rows - 2;  // the first line is for messages; the last stays empty, since output in it scrolls
  std::vector<std::string> out;
  const std::string progress = printed("epoch %.2f  iteration %.0f  %.1f %%", s.epoch, s.iteration, 100 * s.done),
                    time = clock_text(s.left) + " left, " + clock_text(s.elapsed) + " elapsed";
  const int room = size.columns - static_cast<int>(progress.size() + time.size()) - 5;
  out.push_back(room >= 8 ? progress + "  " + eighths_bar(s.done, std::min(room, 60)) + "  " + time
                          : progress + "  " + time);
  if (rows >= 4)
    out.push_back(printed("%.4g iterations/s   memory ", s.speed) + bytes_text(s.memory) + " (arrays " +
                  bytes_text(s.arrays) + printed(")   processor %.0f %%", 100 * s.processor));
  const int keys = rows >= 3;
  const int entries = s.log ? static_cast<int>(std::min<std::size_t>(s.log->size(), 6)) : 0;
  const int tall = rows >= 14 && entries ? std::min(entries + 2, rows / 3) : 0;  // the table, with a line above it
  const int chart = std::min(rows - 3 - keys - tall, 24);
  if (chart >= 4) {
    std::string legend;
    const std::vector<plot::TextCurve> curves = chosen_curves(s, legend);
    out.push_back(legend);
    for (std::string& line : plot::braille(curves, size.columns - 1, chart)) out.push_back(std::move(line));
  }
  if (tall >= 3) {
    out.emplace_back();
    for (std::string& line : table(s, static_cast<std::size_t>(tall - 1))) out.push_back(std::move(line));
  }
  if (keys) out.push_back(s.message.empty() ? "q snapshot and stop   s snapshot   c next curves" : s.message);
  if (static_cast<int>(out.size()) > std::max(rows, 1)) out.resize(static_cast<std::size_t>(std::max(rows, 1)));
  for (std::string& line : out) line = fitted(line, size.columns - 1);
  return out;
}

std::string dashboard_line(const DashboardState& s) {
  std::string out =
      printed("%5.1f%%  epoch %.2f  iteration %.0f  %.4g iters/sec  ", 100 * s.done, s.epoch, s.iteration, s.speed) +
      clock_text(s.left) + " left";
  if (s.log && !s.log->empty() && s.log->back().object()) {
    for (const auto& [key, v] : *s.log->back().object())
      if (v.is_number() && key.find('/') != key.npos) out += "  " + key + printed(" %.5g", v.number());
  }
  return out;
}

}  // namespace chainer::training::extensions
