#include "command.h"

#include <algorithm>
#include <cstdio>

#include "chainer/core/read_number.h"

namespace tool {

using chainer::read_number;
using chainer::text;

std::string Arguments::text(const std::string& name, const std::string& otherwise) const {
  const auto it = options.find(name);
  return it == options.end() ? otherwise : it->second;
}
double Arguments::number(const std::string& name, double otherwise) const {
  const auto it = options.find(name);
  if (it == options.end()) return otherwise;
  double v = 0;
  const char* end = it->second.data() + it->second.size();
  const auto r = read_number(it->second.data(), end, v);
  if (r.ec != std::errc() || r.ptr != end) throw UsageError("--", name, ": '", it->second, "' is no number");
  return v;
}

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      info_command(), inspect_command(),  summary_command(), report_command(),     convert_command(),
      diff_command(), datasets_command(), serve_command(),   completion_command(), manual_command()};
  return all;
}

Arguments parse(const Command& command, const std::vector<std::string>& words) {
  Arguments out;
  bool options = true;
  const bool takes_output =
      std::any_of(command.options.begin(), command.options.end(), [](const Option& o) { return o.name == "output"; });
  bool output = false;  // the word behind -o
  for (const std::string& w : words) {
    if (output) {
      out.options["output"] = w;
      output = false;
    } else if (options && w == "-o" && takes_output) {
      output = true;
    } else if (options && w == "--") {
      options = false;
    } else if (options && w.starts_with("-") && w != "-") {
      const std::size_t equals = std::min(w.find('='), w.size());
      const std::string name = w.substr(0, equals);
      const auto it = std::find_if(command.options.begin(), command.options.end(),
                                   [&](const Option& o) { return "--" + o.name == name; });
      if (it == command.options.end()) throw UsageError("chainer ", command.name, " has no option ", name);
      if (it->value.empty() != (equals == w.size()))
        throw UsageError(name, it->value.empty() ? " takes no value" : text(" needs a value: ", name, "=", it->value));
      out.options[it->name] = equals == w.size() ? "" : w.substr(equals + 1);
    } else {
      out.positional.push_back(w);
    }
  }
  if (output) throw UsageError("-o needs a value: -o FILE");
  if (out.positional.size() < command.least || out.positional.size() > command.most)
    throw UsageError("usage: chainer ", command.name, " ", command.arguments);
  return out;
}

namespace {
std::string padded(std::string s, std::size_t width) {
  s.resize(std::max(width, s.size() + 2), ' ');
  return s;
}
// A paragraph in lines of at most 78 characters.
std::string wrapped(const std::string& paragraph, std::size_t indent) {
  std::string out, line(indent, ' ');
  std::size_t at = 0;
  while (at < paragraph.size()) {
    const std::size_t end = std::min(paragraph.find(' ', at), paragraph.size());
    if (line.size() + end - at > 78 && line.size() > indent) {
      out += line.substr(0, line.size() - 1) + "\n";
      line.assign(indent, ' ');
    }
    line += paragraph.substr(at, end - at) + " ";
    at = end + 1;
  }
  return out + line.substr(0, line.size() - 1) + "\n";
}
}  // namespace

std::string help() {
  std::string out = "usage: chainer COMMAND [OPTIONS] ...\n\n";
  for (const Command& c : commands()) out += "  " + padded(c.name, 12) + c.summary + "\n";
  return out +
         "\n'chainer help COMMAND' tells more. Exit codes: 0 when all went well, 1 when 'diff' or a check found\n"
         "something, 2 for errors.\n";
}

std::string help(const Command& c) {
  std::string out = text("usage: chainer ", c.name, c.options.empty() ? "" : " [OPTIONS]",
                         c.arguments.empty() ? "" : " " + c.arguments, "\n\n", c.summary, "\n");
  for (const std::string& paragraph : c.description) out += "\n" + wrapped(paragraph, 0);
  if (!c.options.empty()) out += "\nOptions:\n";
  for (const Option& o : c.options)
    out += "  " + padded("--" + o.name + (o.value.empty() ? "" : "=" + o.value), 20) + o.help + "\n";
  return out;
}

namespace {
const Command& find_command(const std::string& name) {
  const auto& all = commands();
  const auto it = std::find_if(all.begin(), all.end(), [&](const Command& c) { return c.name == name; });
  if (it == all.end()) throw UsageError("chainer has no command '", name, "'; 'chainer help' lists them");
  return *it;
}
}  // namespace

int run(std::vector<std::string> words) {
  const auto asks = [](const std::string& w) { return w == "help" || w == "--help" || w == "-h"; };
  if (words.empty() || asks(words[0])) {
    std::fputs((words.size() > 1 ? help(find_command(words[1])) : help()).c_str(), stdout);
    return words.empty() ? 2 : 0;
  }
  if (words[0] == "--version") words[0] = "info";
  const Command& command = find_command(words[0]);
  words.erase(words.begin());
  if (std::any_of(words.begin(), words.end(), [](const std::string& w) { return w == "--help" || w == "-h"; })) {
    std::fputs(help(command).c_str(), stdout);
    return 0;
  }
  return command.run(parse(command, words));
}

}  // namespace tool
