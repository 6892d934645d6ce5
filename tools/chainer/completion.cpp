// SPDX-License-Identifier: MIT
#include <cstdio>

#include "command.h"

namespace tool {
namespace {

std::string options_of(const Command& c) {
  std::string out;
  for (const Option& o : c.options) out += (out.empty() ? "" : " ") + ("--" + o.name + (o.value.empty() ? "" : "="));
  return out;
}

// Escapes the characters in `special` with a backslash.
std::string escaped(const std::string& text, std::string_view special) {
  std::string out;
  for (char c : text) {
    if (special.find(c) != special.npos) out += '\\';
    out += c;
  }
  return out;
}
// In single quotes: zsh closes the quotes for an apostrophe, fish escapes it.
std::string zsh_quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}
std::string fish_quoted(const std::string& text) { return "'" + escaped(text, "\\'") + "'"; }

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
  std::string out = "#compdef chainer\nlocal -a subcommands\nsubcommands=(\n  'help:Shows what a command does.'\n";
  for (const Command& c : commands()) out += "  " + zsh_quoted(c.name + ":" + c.summary) + "\n";
  out += ")\nif (( CURRENT == 2 )); then\n  _describe command subcommands\n  return\nfi\n";
  // _arguments expects the command's name as the first word.
  out += "shift words\n(( CURRENT -= 1 ))\ncase $words[1] in\n";
  for (const Command& c : commands()) {
    out += "  " + c.name + ") _arguments";
    for (const Option& o : c.options) {
      const std::string value = o.value.empty() ? "" : ":" + o.name + ":";
      out +=
          " " + zsh_quoted("--" + o.name + (o.value.empty() ? "" : "=") + "[" + escaped(o.help, "[]:\\") + "]" + value);
    }
    out += " '*:file:_files' ;;\n";
  }
  return out + "esac\n";
}

std::string fish() {
  std::string out = "complete -c chainer -n __fish_use_subcommand -f -a help -d 'Shows what a command does.'\n";
  for (const Command& c : commands()) {
    out += "complete -c chainer -n __fish_use_subcommand -f -a " + c.name + " -d " + fish_quoted(c.summary) + "\n";
    for (const Option& o : c.options)
      out += "complete -c chainer -n '__fish_seen_subcommand_from " + c.name + "' -l " + o.name +
             (o.value.empty() ? "" : " -x") + " -d " + fish_quoted(o.help) + "\n";
  }
  return out;
}

int run(const Arguments& a) {
  const std::string& shell = a.positional[0];
  if (shell != "bash" && shell != "zsh" && shell != "fish")
    throw UsageError("completion is available for bash, zsh and fish, not for '", shell, "'");
  std::fputs((shell == "bash" ? bash() : shell == "zsh" ? zsh() : fish()).c_str(), stdout);
  return 0;
}

}  // namespace

Command completion_command() {
  return {.name = "completion",
          .arguments = "SHELL",
          .least = 1,
          .most = 1,
          .summary = "Prints the shell completion of this program for bash, zsh or fish.",
          .description =
              {"For bash: source <(chainer completion bash). For zsh, save the output as _chainer in a folder of "
               "$fpath, for fish as chainer.fish in ~/.config/fish/completions. Installed packages contain "
               "all three."},
          .options = {},
          .run = run};
}

}  // namespace tool
