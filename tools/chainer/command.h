// What the subcommands share: their description, from which help, completion and manual are made, and their arguments.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/core/error.h"

namespace tool {

/// An option: "--json", or with a value "--atol=NUMBER".
struct Option {
  std::string name;
  std::string value;  ///< what stands for the value in the help; empty for a switch
  std::string help;
};

/// The arguments of a call: what is no option, in order, and the options that were given.
struct Arguments {
  std::vector<std::string> positional;
  std::map<std::string, std::string> options;
  bool has(const std::string& name) const { return options.contains(name); }
  std::string text(const std::string& name, const std::string& otherwise) const;
  /// UsageError for what is no number.
  double number(const std::string& name, double otherwise) const;
};

/// A call that the help does not describe: the program ends with exit code 2.
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

/// Each in a file of its own, which is named as the subcommand is.
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
/// All of them, in the order of the help.
const std::vector<Command>& commands();

/// Splits what follows the subcommand's name; UsageError for unknown options and a wrong number of arguments.
Arguments parse(const Command& command, const std::vector<std::string>& words);
/// The program: what its words ask for, and the exit code; an Error for what main() prints and ends with 2.
int run(std::vector<std::string> words);
/// The help of the program, or of a subcommand.
std::string help();
std::string help(const Command& command);

}  // namespace tool
