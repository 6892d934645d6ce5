// What a folder of results tells of a run, and the page made of it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "chainer/core/json.h"
#include "chainer/training/plot/figure.h"

namespace chainer::run_report {

/// One run as its files tell it. What is missing is empty; what is damaged is a line in `problems`.
struct Run {
  std::string name;
  std::filesystem::path folder;
  std::string x_key = "iteration";   ///< of all curves: iteration, epoch, or "entry", the number of the entry
  std::vector<plot::Series> curves;  ///< a number that the log reports each, NaN and infinities included
  json::Value about;                 ///< report.json of extensions::HtmlReport, or null
  json::Value arguments;             ///< args, as ChainerUI's programs write it, or null
  std::string graph;                 ///< the computational graph in DOT
  std::vector<std::filesystem::path> pictures;  ///< PNG, JPEG and SVG files
  std::vector<std::string> problems;
};

/// Reads a folder of results, or a log alone: LogReport's, of release 5.4 as well. FileError where there is none.
Run read_run(const std::filesystem::path& path);
/// What a colleague would say of the run: a loss that is NaN since some iteration, gradients that are zero, a
/// validation loss that rises, time that is lost.
std::vector<std::string> remarks(const Run& run);
/// A page of HTML that needs nothing beside it: readable without scripts, and with its own script to zoom and smooth.
std::string page(const std::vector<Run>& runs);
/// A graph in DOT, as ComputationalGraph::dump writes it, as SVG: layers from top to bottom. A text that is none, or
/// one of more than 400 nodes, gives nothing.
std::string graph_svg(const std::string& dot, const std::string& label);

}  // namespace chainer::run_report
