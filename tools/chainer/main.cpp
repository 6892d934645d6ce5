// chainer: looks into model files, converts and compares them, and shows what this build and its cache have.
#include <algorithm>
#include <cstdio>
#include <exception>

#include "command.h"

namespace {

const tool::Command& find(const std::string& name) {
  const auto& all = tool::commands();
  const auto it = std::find_if(all.begin(), all.end(), [&](const tool::Command& c) { return c.name == name; });
  if (it == all.end()) throw tool::UsageError("chainer has no command '", name, "'; 'chainer help' lists them");
  return *it;
}

int run(std::vector<std::string> words) {
  const auto asks = [](const std::string& w) { return w == "help" || w == "--help" || w == "-h"; };
  if (words.empty() || asks(words[0])) {
    std::fputs((words.size() > 1 ? tool::help(find(words[1])) : tool::help()).c_str(), stdout);
    return words.empty() ? 2 : 0;
  }
  if (words[0] == "--version") words[0] = "info";
  const tool::Command& command = find(words[0]);
  words.erase(words.begin());
  if (std::any_of(words.begin(), words.end(), [](const std::string& w) { return w == "--help" || w == "-h"; })) {
    std::fputs(tool::help(command).c_str(), stdout);
    return 0;
  }
  return command.run(tool::parse(command, words));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int code = run({argv + 1, argv + argc});
    if (std::fflush(stdout) != 0) throw chainer::FileError("the output cannot be written");
    return code;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "chainer: %s\n", e.what());
    return 2;
  }
}
