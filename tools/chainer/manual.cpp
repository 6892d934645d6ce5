// SPDX-License-Identifier: MIT
#include <cstdio>

#include "command.h"

namespace tool {
namespace {

// Escapes text for a line of troff: hyphens, backslashes, and a period or apostrophe at the beginning of the line.
std::string escaped(const std::string& s) {
  std::string out;
  for (char c : s) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return (out.starts_with(".") || out.starts_with("'") ? "\\&" : "") + out;
}

int run(const Arguments&) {
  std::string out =
      ".TH CHAINER 1\n.SH NAME\nchainer \\- inspect, convert and compare model files\n.SH SYNOPSIS\n"
      ".B chainer\n.I COMMAND\n[OPTIONS] ...\n.SH COMMANDS\n";
  for (const Command& c : commands()) {
    out += ".SS " + escaped(c.name + " " + c.arguments) + "\n" + escaped(c.summary) + "\n";
    for (const std::string& paragraph : c.description) out += ".PP\n" + escaped(paragraph) + "\n";
    for (const Option& o : c.options)
      out +=
          ".TP\n.B " + escaped("--" + o.name + (o.value.empty() ? "" : "=" + o.value)) + "\n" + escaped(o.help) + "\n";
  }
  out +=
      ".SH EXIT STATUS\n0 for success, 1 if diff found a difference or a check found damage, 2 for errors.\n"
      ".SH ENVIRONMENT\n.TP\n.B CHAINER_DATASET_ROOT\nthe cache of datasets\n";
  std::fputs(out.c_str(), stdout);
  return 0;
}

}  // namespace

Command manual_command() {
  return {.name = "manual",
          .arguments = "",
          .least = 0,
          .most = 0,
          .summary = "Prints the manual page of this program, generated from its help.",
          .description = {},
          .options = {},
          .run = run};
}

}  // namespace tool
