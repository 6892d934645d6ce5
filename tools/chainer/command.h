// SPDX-License-Identifier: MIT
// The description of a subcommand, from which help, completion and manual are generated, and its arguments.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/core/error.h"
#include "chainer/core/json.h"

namespace tool {

/// An option: "--json", or with a value "--atol=NUMBER" or "--atol NUMBER".
struct Option {
  std::string name;
  std::string value;  ///< the placeholder in the help; empty for a flag
  std::string help;
  bool repeatable = false;  ///< the option may be given several times
};

/// The arguments of a call: positional arguments in order, and options by name.
struct Arguments {
  std::vector<std::string> positional;
  std::map<std::string, std::vector<std::string>> options;
  bool has(const std::string& name) const { return options.contains(name); }
  std::string text(const std::string& name, const std::string& otherwise) const;
  /// All values of a repeatable option.
  std::vector<std::string> all(const std::string& name) const;
  /// The value as a number. Throws UsageError if it is not a number.
  double number(const std::string& name, double otherwise) const;
};

/// Wrong usage of a command; the program ends with exit code 2.
class UsageError : public chainer::ValueError {
 public:
  using ValueError::ValueError;
};

struct Command {
  std::string name;
  std::string arguments;  ///< "FILE", "A B"
  std::size_t least, most;
  std::string summary;                        ///< one line
  std::vector<std::string> description = {};  ///< paragraphs
  std::vector<Option> options = {};
  int (*run)(const Arguments&);  ///< the exit code
};

/// Each subcommand is defined in the file of its name.
Command info_command();
Command inspect_command();
Command summary_command();
Command report_command();
Command convert_command();
Command diff_command();
Command datasets_command();
Command serve_command();
Command completion_command();
Command manual_command();
/// All subcommands, in the order of the help.
const std::vector<Command>& commands();

/// Parses the words after the subcommand's name. Throws UsageError for unknown options and a wrong number of arguments.
Arguments parse(const Command& command, const std::vector<std::string>& words);
/// Runs the program with the given words and returns the exit code. Throws an Error that main() prints before it
/// returns 2.
int run(std::vector<std::string> words);
/// Prints a value as JSON, which has no infinity and no NaN (they become null), and is UTF-8 (in other texts, bytes
/// that are no character become \\xff).
void print_json(chainer::json::Value v);
/// Returns the help of the program, or of a subcommand.
std::string help();
std::string help(const Command& command);

}  // namespace tool
