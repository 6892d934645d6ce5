// SPDX-License-Identifier: MIT
// Remarks on a run: problems that its values show.
#include <algorithm>
#include <cmath>
#include <map>

#include "chainer/core/error.h"
#include "chainer/viewing/report/run.h"

namespace chainer::run_report {
namespace {

constexpr double kFewest = 3;  // the fewest measured iterations for remarks on time

std::string four_digits(double v) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4g", v);
  return buffer;
}
const json::Value* member_of(const json::Value* v, std::string_view key) {
  return v && v->object() ? v->find(key) : nullptr;
}
double number(const json::Value* v, double otherwise = 0) { return v && v->is_number() ? v->number() : otherwise; }
bool ends_in(const std::string& key, std::string_view part) { return key.ends_with(part); }

void about_finite(const Run& run, const plot::Series& c, std::vector<std::string>& out) {
  std::size_t first = c.y.size(), count = 0;
  for (std::size_t i = 0; i < c.y.size(); ++i)
    if (!std::isfinite(c.y[i])) first = std::min(first, i), ++count;
  if (!count) return;
  const std::string what = std::isnan(c.y[first]) ? "NaN" : "infinite";
  if (count == c.y.size() - first)
    out.push_back(text(c.label, " has been ", what, " since ", run.x_key, " ", four_digits(c.x[first]),
                       ". A smaller learning rate or optimizer_hooks::GradientClipping often helps."));
  else
    out.push_back(text(c.label, " was ", what, " in ", count, " of ", c.y.size(), " entries, first at ", run.x_key, " ",
                       four_digits(c.x[first]), "."));
}

// The smallest value was reached earlier, and the last values are larger by more than the noise of the curve.
void about_rising(const Run& run, const plot::Series& c, std::vector<std::string>& out) {
  if (!ends_in(c.label, "loss") || c.y.size() < 6 ||
      std::any_of(c.y.begin(), c.y.end(), [](double v) { return !std::isfinite(v); }))
    return;
  // Long curves are smoothed by means over a twentieth of their entries.
  const std::size_t n = c.y.size(), width = std::max<std::size_t>(1, n / 20), tail = std::max<std::size_t>(3, width);
  std::size_t best = 0;
  double least = HUGE_VAL, noise = 0, late = 0;
  for (std::size_t i = 0; i + width <= n; ++i) {
    double mean = 0;
    for (std::size_t k = i; k < i + width; ++k) mean += c.y[k] / static_cast<double>(width);
    if (mean < least) least = mean, best = i + (width - 1) / 2;
  }
  if (n - 1 - best < tail) return;
  for (std::size_t i = 1; i < n; ++i) noise += std::abs(c.y[i] - c.y[i - 1]) / static_cast<double>(n - 1);
  for (std::size_t i = n - tail; i < n; ++i) late += c.y[i] / static_cast<double>(tail);
  if (late - least <= std::max({noise / std::sqrt(static_cast<double>(width)), 0.02 * std::abs(least)})) return;
  const bool validation = c.label.find("validation") != std::string::npos;
  out.push_back(text(c.label, " has been rising since ", run.x_key, " ", four_digits(c.x[best]), ": from ",
                     four_digits(least), " to ", four_digits(late), ".",
                     validation ? " The model overfits its training data: stop earlier, or regularize." : ""));
}

void about_gradients(const Run& run, std::vector<std::string>& out) {
  const json::Value* all = member_of(&run.about, "statistics");
  if (!all || !all->object()) return;
  for (const auto& [path, s] : *all->object()) {
    const json::Value* zero = member_of(&s, "gradient_zero");
    if (!zero || !zero->list() || zero->list()->empty()) continue;
    double dead = 0;
    for (const json::Value& v : *zero->list()) dead += number(&v) >= 1;
    const double share = dead / static_cast<double>(zero->list()->size());
    if (share >= 0.2)
      out.push_back(text("Gradients of ", path, " are zero in ", std::lround(share * 100),
                         " % of the samples: the loss does not depend on it, or its units are dead."));
  }
}

void about_time(const Run& run, std::vector<std::string>& out) {
  const json::Value* time = member_of(&run.about, "time");
  const double all = number(member_of(time, "seconds")), input = number(member_of(time, "input_seconds"));
  if (all > 0 && input > 0.2 * all)
    out.push_back(text("The iterator takes ", std::lround(100 * input / all),
                       " % of the time: MultithreadIterator or MultiprocessIterator read ahead."));
  const json::Value* profile = member_of(&run.about, "profile");
  const double wall = number(member_of(profile, "seconds")), measured = number(member_of(profile, "iterations"));
  const json::Value* functions = member_of(profile, "functions");
  if (!functions || !functions->list() || wall <= 0 || measured < kFewest) return;
  double inside = 0;
  for (const json::Value& f : *functions->list()) inside += number(member_of(&f, "seconds"));
  if (inside < 0.5 * wall)
    out.push_back(text("Functions take ", std::lround(100 * inside / wall),
                       " % of an iteration; the rest is reading data, updating and extensions. extensions::Trace shows "
                       "where it goes."));
  for (const json::Value& f : *functions->list()) {
    const double share = number(member_of(&f, "seconds")) / std::max(inside, 1e-12);
    const json::Value* name = member_of(&f, "name");
    // The share must be large in all iterations, since one of them may have been disturbed by other processes.
    if (share > 0.6 && number(member_of(&f, "least_share")) > 0.5 && functions->list()->size() > 2 && name &&
        name->string())
      out.push_back(text(*name->string(), " takes ", std::lround(100 * share),
                         " % of the time of all functions (median of ", std::lround(measured), " iterations)."));
  }
}

}  // namespace

std::vector<std::string> remarks(const Run& run) {
  std::vector<std::string> out = run.problems;
  for (const plot::Series& c : run.curves) about_finite(run, c, out);
  for (const plot::Series& c : run.curves) about_rising(run, c, out);
  about_gradients(run, out);
  about_time(run, out);
  return out;
}

}  // namespace chainer::run_report
