// SPDX-License-Identifier: MIT
#include "command.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "chainer/core/system/read_number.h"
#include "chainer/core/utf8.h"

namespace tool {

using chainer::read_number;
using chainer::text;

std::string Arguments::text(const std::string& name, const std::string& otherwise) const {
  const auto it = options.find(name);
  return it == options.end() ? otherwise : it->second.back();
}
std::vector<std::string> Arguments::all(const std::string& name) const {
  const auto it = options.find(name);
  return it == options.end() ? std::vector<std::string>() : it->second;
}
double Arguments::number(const std::string& name, double otherwise) const {
  const auto it = options.find(name);
  if (it == options.end()) return otherwise;
  const std::string& value = it->second.back();
  double v = 0;
  const char* end = value.data() + value.size();
  const auto r = read_number(value.data(), end, v);
  if (r.ec != std::errc() || r.ptr != end) throw UsageError("--", name, ": '", value, "' is not a number");
  return v;
}

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      info_command(), inspect_command(),  summary_command(), report_command(),     convert_command(),
      diff_command(), datasets_command(), serve_command(),   completion_command(), manual_command()};
  return all;
}

namespace {

// The number of letters to insert, delete or replace to get from one word to another.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}
// "; did you mean 'inspect'?" for the nearest name, if one is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  const auto far = [&](const std::string& name) { return edit_distance(word, name); };
  const auto it =
      std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) { return far(a) < far(b); });
  return it != names.end() && far(*it) <= 1 + word.size() / 4 ? text("; did you mean '", *it, "'?") : "";
}

}  // namespace

Arguments parse(const Command& command, const std::vector<std::string>& words) {
  Arguments out;
  bool options = true;
  const bool takes_output =
      std::any_of(command.options.begin(), command.options.end(), [](const Option& o) { return o.name == "output"; });
  const Option* waiting = nullptr;  // the option whose value is the next word
  std::string written;              // as it was written
  const auto give = [&](const Option& o, const std::string& value) {
    auto& values = out.options[o.name];
    if (!o.repeatable) values.clear();
    values.push_back(value);
  };
  for (const std::string& w : words) {
    if (waiting) {
      give(*waiting, w);
      waiting = nullptr;
    } else if (options && w == "--") {
      options = false;
    } else if (options && w.starts_with("-") && w != "-") {
      const std::size_t equals = std::min(w.find('='), w.size());
      written = w.substr(0, equals);
      const std::string name = w == "-o" && takes_output ? "--output" : written;
      const auto it = std::find_if(command.options.begin(), command.options.end(),
                                   [&](const Option& o) { return "--" + o.name == name; });
      if (it == command.options.end()) {
        std::vector<std::string> names;
        for (const Option& o : command.options) names.push_back("--" + o.name);
        throw UsageError("chainer ", command.name, " has no option ", name, suggestion(name, names));
      }
      if (it->value.empty() && equals != w.size()) throw UsageError(name, " takes no value");
      if (it->value.empty() || equals != w.size())
        give(*it, equals == w.size() ? "" : w.substr(equals + 1));
      else
        waiting = &*it;
    } else {
      out.positional.push_back(w);
    }
  }
  if (waiting) throw UsageError(written, " needs a value: ", written, written == "-o" ? " " : "=", waiting->value);
  if (out.positional.size() < command.least || out.positional.size() > command.most)
    throw UsageError("usage: chainer ", command.name, " ", command.arguments);
  return out;
}

namespace {
std::string padded(std::string s, std::size_t width) {
  s.resize(std::max(width, s.size() + 2), ' ');
  return s;
}
// Wraps a paragraph at 78 characters.
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
         "\n'chainer help COMMAND' describes a command. Exit codes: 0 for success, 1 if 'diff' found a difference or "
         "a\n"
         "check found damage, 2 for errors.\n";
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
namespace json = chainer::json;
std::string in_utf8(const std::string& s) { return chainer::is_utf8(s) ? s : chainer::printable(s); }
json::Value portable(json::Value v) {
  if (const auto* d = std::get_if<double>(&v.data); d && !std::isfinite(*d)) return {};
  if (const std::string* s = v.string()) return in_utf8(*s);
  if (auto* list = v.list())
    for (json::Value& e : *list) e = portable(std::move(e));
  if (auto* members = v.object())
    for (auto& [key, e] : *members) key = in_utf8(key), e = portable(std::move(e));
  return v;
}
}  // namespace

void print_json(json::Value v) { std::puts(json::dump(portable(std::move(v)), 2).c_str()); }

namespace {
const Command& find_command(const std::string& name) {
  const auto& all = commands();
  const auto it = std::find_if(all.begin(), all.end(), [&](const Command& c) { return c.name == name; });
  if (it == all.end()) {
    std::vector<std::string> names;
    for (const Command& c : all) names.push_back(c.name);
    const std::string nearest = suggestion(name, names);
    throw UsageError("chainer has no command '", name, "'",
                     nearest.empty() ? "; 'chainer help' lists the commands" : nearest);
  }
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
  const auto options_end = std::find(words.begin(), words.end(), "--");  // behind it are files
  if (std::any_of(words.begin(), options_end, [](const std::string& w) { return w == "--help" || w == "-h"; })) {
    std::fputs(help(command).c_str(), stdout);
    return 0;
  }
  return command.run(parse(command, words));
}

}  // namespace tool
