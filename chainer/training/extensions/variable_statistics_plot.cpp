// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "chainer/array/index.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/manipulation.h"
#include "chainer/routines/reduction.h"
#include "chainer/training/extensions.h"

namespace chainer::training::extensions {

VariableStatisticsPlot::VariableStatisticsPlot(std::vector<chainer::Parameter> targets,
                                               const VariableStatisticsPlotOptions& o)
    : targets_(std::move(targets)), options_(o) {
  if (targets_.empty()) throw ValueError("VariableStatisticsPlot: targets must not be empty");
  if (!o.report_data && !o.report_grad)
    throw ValueError("VariableStatisticsPlot: report_data or report_grad must be true");
  if (!o.plot_mean && !o.plot_std && o.percentile_sigmas.empty())
    throw ValueError("VariableStatisticsPlot: plot_mean or plot_std must be true, or percentile_sigmas given");
}

void VariableStatisticsPlot::operator()(Trainer& trainer) {
  if (!plot::available(options_.file_name)) {
    warn(text("VariableStatisticsPlot: this build has no drawing library (cairo), which '", options_.file_name,
              "' needs; no plot is written. Names that end in .svg need no library"));
    return;
  }
  const auto row = [&](bool gradient) -> Row {
    Arrays parts;
    for (const chainer::Parameter& p : targets_) {
      const Array a = !p.is_initialized() ? Array() : gradient ? p.grad() : p.array();
      if (a) parts.push_back(a.ravel());
    }
    if (parts.empty())
      return {std::vector<double>(options_.percentile_sigmas.size(), std::nan("")), std::nan(""), std::nan("")};
    const Array joined = concatenate(parts);
    return {percentile(joined, options_.percentile_sigmas), mean(joined).item<double>(),
            chainer::std(joined).item<double>()};
  };
  // Reservoir sampling: every iteration is kept with the same probability.
  const auto limit = options_.max_sample_size;
  int64_t place = static_cast<int64_t>(iterations_.size());
  ++seen_;
  if (place >= limit) place = static_cast<int64_t>(random::global().next_interval(static_cast<uint64_t>(seen_ - 1)));
  if (place < limit) {
    const auto at = static_cast<std::size_t>(place);
    const bool fresh = at == iterations_.size();
    const auto put = [&](auto& list, auto v) {
      if (fresh)
        list.push_back(std::move(v));
      else
        list[at] = std::move(v);
    };
    if (options_.report_data) put(rows_[0], row(false));
    if (options_.report_grad) put(rows_[1], row(true));
    put(iterations_, trainer.updater().iteration());
  }
  if (options_.trigger(trainer)) save_plot(trainer.out() / options_.file_name);
}

// Chainer's snapshots have no such keys. Without them a resumed run would draw another sample and consume other random
// numbers.
void VariableStatisticsPlot::serialize(Serializer& s) {
  options_.trigger.serialize(*s.child("_trigger"));
  if (s.is_loading() && !s.contains("_seen")) return;
  s.count("_seen", seen_);
  const auto n = static_cast<int64_t>(iterations_.size());
  Array at = s.is_loading() ? Array() : array(iterations_).astype(int64);
  s("_iterations", at);
  if (s.is_loading()) {
    if (!at || at.ndim() != 1) throw ValueError("VariableStatisticsPlot: the stored iterations are not a vector");
    iterations_ = at.to_vector<int64_t>();
  }
  const auto width = static_cast<int64_t>(options_.percentile_sigmas.size()) + 2;
  for (int kind = 0; kind < 2; ++kind) {
    if (kind == 0 ? !options_.report_data : !options_.report_grad) continue;
    std::vector<double> flat;
    for (const Row& r : rows_[kind]) {
      flat.insert(flat.end(), r.percentiles.begin(), r.percentiles.end());
      flat.insert(flat.end(), {r.mean, r.std});
    }
    Array rows = s.is_loading() ? Array() : array(flat).astype(float64).reshape({n, width});
    s(kind == 0 ? "_data" : "_grad", rows);
    if (!s.is_loading()) continue;
    if (!rows || rows.shape() != Shape{len(at), width})
      throw ValueError("VariableStatisticsPlot: the stored rows have shape ", rows ? to_string(rows.shape()) : "none",
                       ", expected ", Shape{len(at), width});
    flat = rows.to_vector<double>();
    rows_[kind].clear();
    for (auto row = flat.begin(); row != flat.end(); row += width)
      rows_[kind].push_back({{row, row + width - 2}, row[width - 2], row[width - 1]});
  }
}

void VariableStatisticsPlot::save_plot(const std::filesystem::path& file) const {
  std::vector<std::size_t> order(iterations_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return iterations_[a] < iterations_[b]; });

  plot::Figure figure;
  figure.axes.clear();
  const bool moments = options_.plot_mean || options_.plot_std;
  figure.rows = (moments ? 1 : 0) + (options_.percentile_sigmas.empty() ? 0 : 1);
  figure.columns = (options_.report_data ? 1 : 0) + (options_.report_grad ? 1 : 0);
  figure.width = 520 * figure.columns;
  figure.height = 320 * figure.rows;
  const plot::Color blue = plot::series_color(0);
  for (int line = 0; line < figure.rows; ++line) {
    for (int kind = 0; kind < 2; ++kind) {
      if (kind == 0 ? !options_.report_data : !options_.report_grad) continue;
      plot::Axes axes;
      axes.title = kind == 0 ? "Data" : "Gradient";
      axes.xlabel = "iteration";
      axes.grid = options_.grid;
      const std::vector<Row>& rows = rows_[kind];
      std::vector<double> x;
      for (std::size_t i : order) x.push_back(static_cast<double>(iterations_[i]));
      const auto curve = [&](auto&& f) {
        std::vector<double> y;
        for (std::size_t i : order) y.push_back(f(rows[i]));
        return y;
      };
      if (moments && line == 0) {
        axes.ylabel = "mean and deviation";
        if (options_.plot_std) {
          plot::Series band{"mean ± std", x, curve([](const Row& r) { return r.mean - r.std; }),
                            curve([](const Row& r) { return r.mean + r.std; })};
          band.color = plot::Color{blue.r, blue.g, blue.b, 0.25};
          axes.series.push_back(band);
        }
        if (options_.plot_mean) {
          plot::Series s{"mean", x, curve([](const Row& r) { return r.mean; })};
          s.color = blue;
          s.marker = options_.marker;
          axes.series.push_back(s);
        }
      } else {
        axes.ylabel = "percentiles";
        const std::size_t n = options_.percentile_sigmas.size();
        for (std::size_t k = 0; k < n / 2; ++k) {
          plot::Series band{text(options_.percentile_sigmas[k], "-", options_.percentile_sigmas[n - 1 - k], "%"), x,
                            curve([k](const Row& r) { return r.percentiles[k]; }),
                            curve([k, n](const Row& r) { return r.percentiles[n - 1 - k]; })};
          band.color = plot::Color{blue.r, blue.g, blue.b, 0.18};
          axes.series.push_back(band);
        }
        if (n % 2 == 1) {
          plot::Series s{text(options_.percentile_sigmas[n / 2], "%"), x,
                         curve([n](const Row& r) { return r.percentiles[n / 2]; })};
          s.color = blue;
          s.marker = options_.marker;
          axes.series.push_back(s);
        }
      }
      figure.axes.push_back(std::move(axes));
    }
  }
  plot::save(figure, file);
}

}  // namespace chainer::training::extensions
