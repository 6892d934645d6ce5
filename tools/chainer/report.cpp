// SPDX-License-Identifier: MIT
#include <cstdio>

#include "chainer/core/error.h"
#include "chainer/core/system/file.h"
#include "chainer/core/utf8.h"
#include "chainer/viewing/report/run.h"
#include "command.h"

namespace tool {
namespace {

bool tells_something(const chainer::run_report::Run& r) {
  return !r.curves.empty() || r.about.object() || r.arguments.object() || !r.graph.empty() || !r.pictures.empty();
}

int run(const Arguments& a) {
  std::vector<chainer::run_report::Run> runs;
  for (const std::string& path : a.positional) {
    runs.push_back(chainer::run_report::read_run(path));
    for (const std::string& problem : runs.back().problems)
      std::fprintf(stderr, "chainer report: %s: %s\n", chainer::printable(path).c_str(),
                   chainer::printable(problem).c_str());
    if (!tells_something(runs.back()))
      throw chainer::FileError("no information about a run in ", path,
                               ": no readable log, report.json, args, graph or picture");
  }
  const std::string out = a.text("output", "report.html");
  chainer::write_file(out, chainer::run_report::page(runs));
  std::puts(out.c_str());
  return 0;
}

}  // namespace

Command report_command() {
  return {
      .name = "report",
      .arguments = "RESULT ...",
      .least = 1,
      .most = 100,
      .summary = "Writes an HTML page about one or several runs.",
      .description = {"A RESULT is a folder written by a training program, or a log file. The page is self-contained: "
                      "curves of all runs, best and last values, arguments, the network and its graph, time by "
                      "function, pictures, and remarks. It includes data of extensions::HtmlReport in the folder; a "
                      "log of LogReport is sufficient."},
      .options = {{"output", "FILE", "the file to write, report.html by default; also -o FILE"}},
      .run = run};
}

}  // namespace tool
