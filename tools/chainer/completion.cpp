#include <cstdio>

#include "command.h"

namespace tool {
namespace {

std::string options_of(const Command& c) {
  std::string out;
  for (const Option& o : c.options) out += (out.empty() ? "" : " ") + ("--" + o.name + (o.value.empty() ? "" : "="));
  return out;
}

std::string bash() {
  std::string names, cases;
  for (const Command& c : commands()) {
    names += (names.empty() ? "" : " ") + c.name;
    cases += "    " + c.name + ") words=\"" + options_of(c) + "\" ;;\n";
  }
  return "_chainer() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} words=\n"
         "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
         "    COMPREPLY=($(compgen -W \"help " +
         names + "\" -- \"$current\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n" + cases +
         "  esac\n"
         "  case $current in\n"
         "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o filenames -F _chainer chainer\n";
}

std::string zsh() {
  std::string out = "#compdef chainer\nlocal -a commands\ncommands=(\n";
  for (const Command& c : commands()) out += "  '" + c.name + ":" + c.summary + "'\n";
  out += ")\nif (( CURRENT == 2 )); then\n  _describe command commands\n  return\nfi\ncase $words[2] in\n";
  for (const Command& c : commands()) {
    out += "  " + c.name + ") _arguments";
    for (const Option& o : c.options) out += " '--" + o.name + (o.value.empty() ? "" : "=") + "[" + o.help + "]'";
    out += " '*:file:_files' ;;\n";
  }
  return out + "esac\n";
}

std::string fish() {
  std::string out;
  for (const Command& c : commands()) {
    out += "complete -c chainer -n __fish_use_subcommand -a " + c.name + " -d '" + c.summary + "'\n";
    for (const Option& o : c.options)
      out +=
          "complete -c chainer -n '__fish_seen_subcommand_from " + c.name + "' -l " + o.name + " -d '" + o.help + "'\n";
  }
  return out;
}

int run(const Arguments& a) {
  const std::string& shell = a.positional[0];
  if (shell != "bash" && shell != "zsh" && shell != "fish")
    throw UsageError("completion is made for bash, zsh and fish, not for '", shell, "'");
  std::fputs((shell == "bash" ? bash() : shell == "zsh" ? zsh() : fish()).c_str(), stdout);
  return 0;
}

}  // namespace

Command completion_command() {
  return {.name = "completion",
          .arguments = "SHELL",
          .least = 1,
          .most = 1,
          .summary = "Prints the completion of this program for bash, zsh or fish.",
          .description = {"For bash: source <(chainer completion bash)."},
          .options = {},
          .run = run};
}

}  // namespace tool
