// SPDX-License-Identifier: MIT
// Command lines of the examples: --name value, with help texts and errors.
#pragma once
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "chainer/core/error.h"

namespace examples {

class Options {
 public:
  Options(std::string program, std::string purpose) : program_(std::move(program)), purpose_(std::move(purpose)) {}

  void add(const std::string& name, const std::string& help, std::string& value) {
    all_.push_back({name, help, value, [&value](const std::string& s) { value = s; }, false, false});
  }
  void add(const std::string& name, const std::string& help, long& value, long least) {
    all_.push_back({name, help, std::to_string(value),
                    [&value, name, least](const std::string& s) {
                      char* end = nullptr;
                      errno = 0;
                      value = std::strtol(s.c_str(), &end, 10);
                      if (s.empty() || *end) throw chainer::ValueError(name, ": '", s, "' is not a whole number");
                      if (errno == ERANGE) throw chainer::ValueError(name, ": ", s, " is out of range");
                      if (value < least) throw chainer::ValueError(name, ": ", value, " is below ", least);
                    },
                    false, false});
  }
  void add(const std::string& name, const std::string& help, double& value) {
    all_.push_back({name, help, chainer::text(value),
                    [&value, name](const std::string& s) {
                      char* end = nullptr;
                      value = std::strtod(s.c_str(), &end);
                      if (s.empty() || *end) throw chainer::ValueError(name, ": '", s, "' is not a number");
                    },
                    false, false});
  }
  /// A flag without value.
  void add(const std::string& name, const std::string& help, bool& value) {
    all_.push_back({name, help, "", [&value](const std::string&) { value = true; }, true, false});
  }
  /// An option whose value may be omitted.
  void add_optional(const std::string& name, const std::string& help, bool& given, std::string& value) {
    all_.push_back({name, help, "", [&](const std::string& s) { given = true, value = s; }, false, true});
  }

  /// A positional argument, in the order of the calls; may be omitted.
  void add_positional(const std::string& name, const std::string& help, std::string& value) {
    positional_.push_back({name, help, "", [&value](const std::string& s) { value = s; }, false, false});
  }

  /// Prints the help and exits with status 0 on --help. Throws ValueError for unknown options and wrong values.
  void parse(int argc, char** argv) const {
    std::size_t place = 0;
    for (int i = 1; i < argc; ++i) {
      std::string arg = argv[i], value;
      if (arg == "-h" || arg == "--help") {
        help();
        std::exit(std::fflush(stdout) == 0 ? 0 : 1);
      }
      if (arg.rfind("--", 0) != 0 && place < positional_.size()) {
        positional_[place++].set(arg);
        continue;
      }
      bool attached = false;
      if (const auto at = arg.find('='); at != arg.npos) {
        value = arg.substr(at + 1);
        arg.resize(at);
        attached = true;
      }
      const Option* option = nullptr;
      for (const Option& o : all_)
        if (o.name == arg) option = &o;
      if (!option) throw chainer::ValueError("unknown option ", arg, "; ", program_, " --help lists the options");
      if (!option->flag && !attached) {
        const bool follows = i + 1 < argc && std::string(argv[i + 1]).rfind("--", 0) != 0;
        if (follows)
          value = argv[++i];
        else if (!option->optional)
          throw chainer::ValueError("option ", arg, " needs a value");
      }
      option->set(value);
      given_[option->name.substr(2)] = option->flag || value.empty() ? "true" : value;
    }
  }
  /// The values by name, without dashes: those given to parse(), and nonempty defaults.
  std::map<std::string, std::string> values() const {
    std::map<std::string, std::string> out;
    for (const Option& o : all_)
      if (!o.initial.empty()) out[o.name.substr(2)] = o.initial;
    for (const auto& [name, value] : given_) out[name] = value;
    return out;
  }

 private:
  struct Option {
    std::string name, help, initial;
    std::function<void(const std::string&)> set;
    bool flag, optional;
  };
  void help() const {
    std::printf("%s\n\nusage: %s [options]\n\n", purpose_.c_str(), program_.c_str());
    for (const Option& o : positional_) std::printf("  %-22s %s\n", o.name.c_str(), o.help.c_str());
    for (const Option& o : all_) {
      const std::string initial = o.initial.empty() ? "" : " (" + o.initial + ")";
      std::printf("  %-22s %s%s\n",
                  (o.name + (o.flag       ? ""
                             : o.optional ? " [VALUE]"
                                          : " VALUE"))
                      .c_str(),
                  o.help.c_str(), initial.c_str());
    }
  }
  std::string program_, purpose_;
  std::vector<Option> all_, positional_;
  mutable std::map<std::string, std::string> given_;
};

/// The option of programs that run on any device: a name for get_device().
inline void add_device(Options& options, std::string& device) {
  options.add("--device", "where to compute: @cpu (or -1), or a CUDA device: @cuda:0 (or 0)", device);
}

/// Runs a program's body. An exception, or output that could not be written (a full disk), is printed in one line on
/// standard error, and the exit status is 1.
inline int run(const char* program, const std::function<void()>& body) {
  try {
    body();
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) throw chainer::FileError("cannot write to standard output");
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", program, e.what());
    return 1;
  } catch (...) {
    std::fprintf(stderr, "%s: an exception that is not a std::exception\n", program);
    return 1;
  }
}

}  // namespace examples
