// SPDX-License-Identifier: MIT
#include "headers.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace {

constexpr std::string_view kEachOf = "/// each of ";

// Returns true if a declaration is complete: brackets closed, and a semicolon or a function's body at the end. Ignores
// brackets in comments.
bool complete(const std::string& declaration) {
  std::istringstream in(declaration);
  std::string code;
  for (std::string line; std::getline(in, line);) code += line.substr(0, line.find("//")) + "\n";
  int depth = 0;
  for (char c : code) depth += (c == '{' || c == '(') - (c == '}' || c == ')');
  const std::string t = trimmed(code);
  return depth == 0 && !t.empty() && (t.back() == ';' || t.back() == '}');
}

std::string behind_template(const std::string& code) {
  std::size_t at = 0;
  while (code.compare(at, 8, "template") == 0 && code.find('\n', at) != code.npos) at = code.find('\n', at) + 1;
  return code.substr(at);
}

// Returns true if this declares a function, not a class, an alias or an object.
bool is_function(const std::string& declaration) {
  const std::string code = behind_template(declaration);
  for (const char* other : {"class ", "struct ", "enum ", "using ", "concept ", "inline constexpr", "#define"})
    if (code.starts_with(other)) return false;
  return code.find('(') != code.npos;
}

// Returns the declaration of a function without its body.
std::string without_body(const std::string& code) {
  if (!is_function(code) || !trimmed(code).ends_with('}')) return code;
  if (code.starts_with("inline ")) return without_body(code.substr(7));
  int depth = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i] == '{' && depth == 0) return trimmed(code.substr(0, i)) + ";\n";
    depth += (code[i] == '(') - (code[i] == ')');
  }
  return code;
}

// Returns the name of a class or function, for a heading.
std::string declared_name(const Declaration& d) {
  if (d.is_function_object()) return object_name(d.code);
  std::string word, line = behind_template(d.code);
  line.resize(std::min(line.find('\n'), line.size()));
  for (const char* key : {"class ", "struct ", "using ", "enum class ", "concept "}) {
    const auto at = line.find(key);
    if (at != 0 && !(at != line.npos && line.starts_with("class [["))) continue;
    std::istringstream words(line.substr(std::string(key).size()));
    while (words >> word)
      if (word[0] != '[') break;
    while (!word.empty() && !std::isalnum(static_cast<unsigned char>(word.back()))) word.pop_back();
    return word;
  }
  const std::string deduced = "decltype(auto) ";
  if (line.starts_with(deduced)) line.erase(0, deduced.size());
  const auto paren = line.find('(');
  const std::string head = line.substr(0, paren == line.npos ? line.find_first_of("={;") : paren);
  const auto space = trimmed(head).find_last_of(" *&");
  return space == std::string::npos ? trimmed(head) : trimmed(head).substr(space + 1);
}

// The namespaces that are open while a header is read line by line.
class Scope {
 public:
  void read(const std::string& line) {
    if (line.starts_with("namespace ") && line.ends_with(" {"))
      open_.emplace_back(line.substr(10, line.size() - 12), depth_);
    for (char c : line.substr(0, line.find("//"))) depth_ += (c == '{') - (c == '}');
    while (!open_.empty() && depth_ <= open_.back().second) open_.pop_back();
  }
  bool empty() const { return open_.empty(); }
  // E.g. "chainer::links"
  std::string name() const {
    std::string out;
    for (const auto& [name, depth] : open_) out += (out.empty() ? "" : "::") + name;
    return out;
  }

 private:
  std::vector<std::pair<std::string, int>> open_;  // with the depth of braces before each
  int depth_ = 0;
};

std::string replaced(std::string s, const std::string& from, const std::string& to) {
  for (auto at = s.find(from); at != s.npos; at = s.find(from, at + to.size())) s.replace(at, from.size(), to);
  return s;
}

// Returns the names in the rows `X(name, ...)` of a list macro.
std::vector<std::string> names_of_list(const std::string& root, const std::string& list) {
  std::ifstream in(root + "/chainer/array/operations/elementwise_ops.h");
  std::vector<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#define " + list + "(X)")) inside = true;
    const auto row = line.find("X(", line.starts_with("#define") ? line.find(')') : 0);
    if (inside && row != line.npos) names.push_back(line.substr(row + 2, line.find(',') - row - 2));
    if (inside && !line.ends_with("\\")) break;
  }
  if (names.empty()) throw std::runtime_error("reference: no list named " + list);
  return names;
}

// Parses a line of a comment that declares functions defined by a macro: "LIST, LIST: TYPE NAME(ARGUMENTS);".
void read_made(const std::string& root, const std::string& line, Declaration& d) {
  const auto colon = line.find(": ");
  if (colon == line.npos) throw std::runtime_error("reference: no ': ' in 'each of " + line + "'");
  std::istringstream lists(replaced(line.substr(0, colon), ",", ""));
  for (std::string list; lists >> list;) {
    for (const std::string& name : names_of_list(root, list)) {
      d.names.push_back(name);
      d.code += replaced(line.substr(colon + 2), "NAME", name) + "\n";
    }
  }
}

}  // namespace

std::string trimmed(const std::string& s) {
  const auto from = s.find_first_not_of(" \t\n");
  return from == s.npos ? "" : s.substr(from, s.find_last_not_of(" \t\n") - from + 1);
}

std::string object_name(const std::string& code) {
  const auto end = code.rfind("{};"), begin = code.rfind("} ", end);
  return code.substr(begin + 2, end - begin - 2);
}

Header read_header(const std::string& root, const std::string& path) {
  std::ifstream in(root + "/" + path);
  if (!in) throw std::runtime_error("reference: cannot read " + path);
  Header h{path, {}, {}};
  Declaration d;
  Scope scope;
  std::string options;
  bool started = false, grouping = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    scope.read(line);
    if (line.starts_with("// SPDX-License-Identifier")) continue;
    if (!started && line.starts_with("// ")) {
      h.intro += line.substr(3) + "\n";
      continue;
    }
    started = true;
    if (d.code.empty() && line.starts_with("///")) {
      grouping = false;
      if (line.starts_with(kEachOf)) {
        read_made(root, line.substr(kEachOf.size()), d);
        d.scope = scope.name();
        h.declarations.push_back(d);
        d = {};
      } else if (line.starts_with("///   ")) {
        if (d.examples.empty()) d.line = number;
        d.examples.push_back(line.substr(6));
      } else {
        d.text.push_back(trimmed(line.substr(3)));
      }
      continue;
    }
    // A declaration that follows without a comment or a blank line belongs to the same comment.
    if (d.code.empty() && (trimmed(line).empty() || line[0] == '}' || line[0] == '/' || line[0] == '#'))
      grouping = false;
    if (scope.name().ends_with("detail")) {
      d = {};
      continue;
    }
    if (grouping) {
      d.code += line + "\n";
      if (!complete(d.code)) continue;
      Declaration& group = h.declarations.back();
      group.code += without_body(d.code);
      const std::string name = declared_name(d);
      if (std::find(group.names.begin(), group.names.end(), name) == group.names.end()) group.names.push_back(name);
      d = {};
      continue;
    }
    if (d.text.empty() && d.examples.empty()) {
      // Options without a comment belong to the next declaration.
      if (trimmed(line).empty() || complete(options)) options.clear(), d.options.clear();
      if (!options.empty() || (line.starts_with("struct ") && line.ends_with("Options {"))) options += line + "\n";
      if (complete(options)) d.options = options;
      continue;
    }
    if (d.code.empty() && (trimmed(line).empty() || line.starts_with("#"))) {  // a separate comment
      d = {};
      continue;
    }
    d.code += line + "\n";
    if (!complete(d.code)) continue;
    d.scope = scope.name();
    d.names = {declared_name(d)};
    grouping = true;
    d.code = without_body(d.code);
    h.declarations.push_back(d);
    d = {};
  }
  if (!scope.empty()) throw std::runtime_error(path + ": namespace " + scope.name() + " is not closed");
  return h;
}
