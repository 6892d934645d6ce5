// SPDX-License-Identifier: MIT
// A run read from its folder of results, and its report.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "chainer/core/json.h"
#include "chainer/viewing/plot/figure.h"

namespace chainer::run_report {

/// A run. Missing parts are empty; each damaged part is a line in `problems`.
struct Run {
  std::string name;
  std::filesystem::path folder;
  std::string x_key = "iteration";   ///< of all curves: iteration, epoch, or "entry", the number of the entry
  std::vector<plot::Series> curves;  ///< one per number of the log, including NaN and infinities
  std::vector<plot::Series> each;    ///< values of each iteration, for runs of few epochs (live/progress.h)
  json::Value about;                 ///< report.json of extensions::HtmlReport, or null
  json::Value arguments;             ///< args, as ChainerUI's programs write it, or null
  std::string graph;                 ///< the computational graph in DOT
  std::vector<std::filesystem::path> pictures;  ///< PNG, JPEG and SVG files
  std::vector<std::string> problems;
};

/// Reads a folder of results, or a log file, also of release 5.4. Throws FileError if there is none.
Run read_run(const std::filesystem::path& path);
/// Returns remarks about the run: a loss that is NaN since some iteration, gradients that are zero, a rising validation
/// loss, time spent waiting.
std::vector<std::string> remarks(const Run& run);
/// Returns a self-contained HTML page: readable without scripts, with a script for zooming and smoothing.
std::string page(const std::vector<Run>& runs);
/// Returns a graph in DOT, as ComputationalGraph::dump writes it, as SVG, with layers from top to bottom. Empty for
/// other text, and for more than 400 nodes.
std::string graph_svg(const std::string& dot, const std::string& label);

}  // namespace chainer::run_report
