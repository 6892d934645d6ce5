#include <cstdio>

#include "chainer/core/error.h"
#include "chainer/core/file.h"
#include "chainer/training/report/run.h"
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
      std::fprintf(stderr, "chainer report: %s: %s\n", path.c_str(), problem.c_str());
    if (!tells_something(runs.back()))
      throw chainer::FileError("there is nothing of a run in ", path,
                               ": no log, report.json, args, graph or picture that can be read");
  }
  const std::string out = a.text("output", "report.html");
  chainer::write_file(out, chainer::run_report::page(runs));
  std::puts(out.c_str());
  return 0;
}

}  // namespace

Command report_command() {
  return {.name = "report",
          .arguments = "RESULT ...",
          .least = 1,
          .most = 100,
          .summary = "Writes a page of HTML that tells one or several runs.",
          .description = {"A RESULT is a folder that a training program wrote, or a log alone. The page stands for "
                          "itself: curves laid over each other, best and last values, what ran, the network and its "
                          "graph, time by function, pictures, and remarks. What extensions::HtmlReport left in the "
                          "folder is in it; a log of LogReport is enough."},
          .options = {{"output", "FILE", "where the page goes, report.html by default; -o FILE is the same"}},
          .run = run};
}

}  // namespace tool
