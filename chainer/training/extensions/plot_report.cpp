// SPDX-License-Identifier: MIT
#include "chainer/training/extensions.h"
#include "chainer/training/extensions/missing_keys.h"

namespace chainer::training::extensions {

void PlotReport::operator()(Trainer& trainer) {
  if (!plot::available(options_.file_name)) {
    warn(text("PlotReport: this build has no drawing library (cairo), which '", options_.file_name,
              "' needs; no plot is written. Names that end in .svg need no library"));
    return;
  }
  Observation chosen;
  for (const std::string& k : y_keys_)
    if (const auto it = trainer.observation.find(k); it != trainer.observation.end()) chosen.insert(*it);
  summary_.add(chosen);
  if (!warned_) reported_.merge(names_of(trainer.observation));
  if (!options_.trigger(trainer)) return;
  const Updater& u = trainer.updater();
  if (!warned_ && u.epoch() >= 1) {
    warned_ = true;
    warn_of_missing_keys("PlotReport", y_keys_, reported_);
    reported_.clear();
  }
  double x = 0;
  if (options_.x_key == "epoch")
    x = static_cast<double>(u.epoch());
  else if (options_.x_key == "iteration")
    x = static_cast<double>(u.iteration());
  else if (options_.x_key == "elapsed_time")
    x = trainer.elapsed_time();
  else if (const auto it = trainer.observation.find(options_.x_key); it != trainer.observation.end())
    x = it->second.number();
  else
    throw KeyError("PlotReport: x_key '", options_.x_key, "' was not reported; it may be a reported key, epoch, ",
                   "iteration or elapsed_time");
  for (const auto& [key, mean] : summary_.compute_mean()) data_[key].emplace_back(x, mean);
  summary_ = {};

  plot::Figure figure;
  plot::Axes& axes = figure.axes[0];
  axes.xlabel = options_.x_key;
  axes.grid = options_.grid;
  const std::size_t first_color = plot::run_color(trainer.out());  // as on pages
  for (const std::string& key : y_keys_) {
    const auto it = data_.find(key);
    if (it == data_.end()) continue;
    plot::Series s;
    s.label = key;
    s.marker = options_.marker;
    s.color = plot::series_color(first_color + axes.series.size());
    for (const auto& [px, py] : it->second) s.x.push_back(px), s.y.push_back(py);
    axes.series.push_back(std::move(s));
  }
  if (options_.postprocess) options_.postprocess(figure);
  plot::save(figure, trainer.out() / options_.file_name);
}

void PlotReport::serialize(Serializer& s) {
  options_.trigger.serialize(*s.child("_trigger"));
  if (!s.is_loading() || s.contains("_summary/_names")) summary_.serialize(*s.child("_summary"));
  const std::string key = "_plot_" + options_.file_name;
  json::Object all;
  for (const auto& [name, points] : data_) {
    json::List list;
    for (const auto& [x, y] : points) list.emplace_back(json::List{json::Value(x), json::Value(y)});
    all.emplace_back(name, std::move(list));
  }
  std::string joined = json::dump(json::Value(std::move(all)));
  if (s.is_loading() && !s.contains(key)) return;
  s(key, joined);
  if (!s.is_loading()) return;
  data_.clear();
  const json::Value v = json::parse(joined);
  if (!v.object()) throw ValueError("PlotReport: the stored plot is not a JSON object");
  for (const auto& [name, list] : *v.object()) {
    if (!list.list()) continue;
    for (const json::Value& p : *list.list())
      if (p.list() && p.list()->size() == 2) data_[name].emplace_back((*p.list())[0].number(), (*p.list())[1].number());
  }
}

}  // namespace chainer::training::extensions
