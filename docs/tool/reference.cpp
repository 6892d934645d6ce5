// SPDX-License-Identifier: MIT
// Generates the reference from the headers: one Markdown page per line of pages.txt, and a C++ source with all examples
// in their comments (lines indented by two more spaces), which the tests compile and run.
//
//   reference SOURCE_DIR pages FOLDER      writes FOLDER/*.md and FOLDER/index.md
//   reference SOURCE_DIR examples FILE     writes FILE
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "headers.h"

namespace {

struct Page {
  std::string title, id;
  std::vector<Header> headers;
};

// Returns the number of brackets left open by a line, ignoring comments.
int open_brackets(const std::string& line) {
  int depth = 0;
  for (char c : line.substr(0, line.find("  //"))) depth += (c == '{' || c == '(') - (c == '}' || c == ')');
  return depth;
}

// Returns the position on a line of a class at which a function's initializers or body begin, or npos.
std::size_t definition_on(const std::string& code) {
  if (!code.starts_with("  ") || code.find(')') == code.npos || !(code.ends_with("}") || code.ends_with("{")))
    return code.npos;
  int depth = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    depth += (code[i] == '(') - (code[i] == ')');
    if (depth == 0 && (code.compare(i, 2, " {") == 0 || code.compare(i, 3, " : ") == 0)) return i;
  }
  return code.npos;
}

// Returns a class without private parts, function bodies and the macro that lists members.
std::string public_part(const std::string& declaration) {
  std::istringstream in(declaration);
  std::string out;
  bool hidden = false, blank = false;
  int skipping = 0;  // open brackets in the omitted part
  for (std::string line; std::getline(in, line);) {
    if (skipping) {
      skipping += open_brackets(line);
      continue;
    }
    const std::string t = trimmed(line);
    if (t.empty()) {
      blank = true;
      continue;
    }
    if (t == "private:" || t == "protected:") hidden = true;
    if (line.starts_with("}")) hidden = false;
    if (hidden || t == "public:") {
      hidden = hidden && t != "public:";
      continue;
    }
    if (t.starts_with("CHAINER_MEMBERS") || t.starts_with("CHAINER_OTHER_") || t.starts_with("friend ") ||
        t.starts_with("static constexpr std::string_view name")) {
      skipping = open_brackets(line);
      continue;
    }
    if (t.starts_with(": ") && out.ends_with(")\n")) {  // initializers on separate lines
      out.insert(out.size() - 1, ";");
      for (int depth = open_brackets(line); depth || !line.ends_with("}");)
        if (std::getline(in, line))
          depth += open_brackets(line);
        else
          break;
      continue;
    }
    if (blank && !out.empty() && line[0] != '}') out += "\n";
    blank = false;
    if (const auto comment = line.find("///"); comment != line.npos)
      line.replace(comment, line.compare(comment, 4, "///<") == 0 ? 4 : 3, "//");
    const auto end = std::min(line.find("  //"), line.size());
    const std::string code = line.substr(0, end);
    if (const auto cut = definition_on(code); cut != code.npos) {
      skipping = open_brackets(line);
      line = code.substr(0, cut) + ";" + line.substr(end);
    }
    out += line + "\n";
  }
  return out;
}

std::vector<Page> read_pages(const std::string& root) {
  std::ifstream in(root + "/docs/pages.txt");
  std::vector<Page> pages;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto bar = line.find('|');
    Page p{trimmed(line.substr(0, bar)), {}, {}};
    for (char c : p.title) {
      if (std::isalnum(static_cast<unsigned char>(c)))
        p.id += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      else if (!p.id.empty() && p.id.back() != '_')
        p.id += '_';
    }
    std::istringstream paths(line.substr(bar + 1));
    for (std::string path; paths >> path;) p.headers.push_back(read_header(root, path));
    pages.push_back(std::move(p));
  }
  return pages;
}

// Escapes characters that Markdown or Doxygen would interpret as markup.
std::string escaped(const std::string& s) {
  std::string out;
  bool code = false;
  for (char c : s) {
    if (c == '`') code = !code;
    if (code) {
      out += c;
      continue;
    }
    if (c == '<') {
      out += "&lt;";
      continue;
    }
    if (c == '*' || c == '@' || c == '#' || c == '\\' || c == '%' || c == '_' || c == '|') out += '\\';
    out += c;
  }
  return out;
}

// Formats a call on one line, or with one argument per line if it is long.
std::string folded(const std::string& head, const std::string& arguments) {
  if (head.size() + arguments.size() <= 88) return head + arguments;
  std::string out = head;
  int depth = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const char c = arguments[i];
    depth += (c == '(' || c == '<' || c == '{') - (c == ')' || c == '>' || c == '}');
    out += c;
    if (i == 0 || (c == ',' && depth == 1)) {
      out += "\n    ";
      while (i + 1 < arguments.size() && arguments[i + 1] == ' ') ++i;
    }
  }
  return out;
}

// Returns the call operators of a function object as functions with its name.
std::string calls(const std::string& code, const std::string& name) {
  std::string out;
  for (auto at = code.find("operator()("); at != code.npos; at = code.find("operator()(", at + 1)) {
    const auto line = code.rfind('\n', at) + 1;
    auto end = at + 10;
    for (int depth = 0; end < code.size(); ++end) {
      depth += (code[end] == '(') - (code[end] == ')');
      if (depth == 0) break;
    }
    std::string arguments;
    for (char c : code.substr(at + 10, end - at - 9))
      if (c != '\n' && !(c == ' ' && !arguments.empty() && arguments.back() == ' ')) arguments += c;
    const std::string head = trimmed(code.substr(line, at - line)) + " F::" + name;
    out += folded(head, arguments) + "\n";
  }
  return out;
}

// Returns a name as written after `using namespace chainer`.
std::string spelled(const std::string& scope, const std::string& name) {
  std::string short_scope = scope == "chainer" ? "" : scope.substr(scope.find("::") + 2);
  if (short_scope == "functions") short_scope = "F";
  if (short_scope == "links") short_scope = "L";
  if (short_scope == "training::extensions") short_scope = "extensions";
  if (short_scope == "training::triggers") short_scope = "triggers";
  return short_scope.empty() ? name : short_scope + "::" + name;
}

// Returns the names described by one comment: "serializers::save_npz, load_npz"; only the first ones of long lists.
std::string heading(const Declaration& d) {
  std::string out = spelled(d.scope, d.names[0]);
  const bool all = d.names.size() <= 20;
  for (std::size_t i = 1; i < (all ? d.names.size() : 6); ++i) out += ", " + d.names[i];
  return all ? out : out + " and " + std::to_string(d.names.size() - 6) + " others";
}

// Writes a comment's text; lines that begin with "| " are a table.
void write_text(std::ostream& out, const std::vector<std::string>& text) {
  bool table = false;
  for (const std::string& line : text) {
    const bool row = line.starts_with("| ") || line.starts_with("|-");
    if (row && !table) out << "\n";
    table = row;
    out << (row ? line : escaped(line)) << "\n";
  }
  out << "\n";
}

void write_page(const Page& p, const std::string& folder) {
  std::ofstream out(folder + "/" + p.id + ".md");
  out << "# " << p.title << " {#" << p.id << "}\n\n[TOC]\n\n";
  for (const Header& h : p.headers) {
    if (p.headers.size() > 1) out << "## " << escaped(h.path) << "\n\n";
    out << escaped(h.intro.substr(0, h.intro.find("\n//"))) << "\n`#include <" << h.path << ">`\n\n";
    std::string options;  // shown with the next function or class
    for (std::size_t i = 0; i < h.declarations.size(); ++i) {
      const Declaration& d = h.declarations[i];
      const std::string& name = d.names[0];
      const bool more = i + 1 < h.declarations.size();
      if (more && name.ends_with("Options") && h.declarations[i + 1].code.find(name) != std::string::npos) {
        options += public_part(d.code) + "\n";
        continue;
      }
      out << "### " << escaped(heading(d)) << "\n\n```cpp\n// in namespace " << d.scope << "\n"
          << options << (d.options.empty() ? "" : public_part(d.options) + "\n")
          << (d.is_function_object() ? calls(d.code, object_name(d.code)) : public_part(d.code)) << "```\n\n";
      options.clear();
      write_text(out, d.text);
      if (d.examples.empty()) continue;
      out << "Example:\n\n```cpp\n";
      for (const std::string& line : d.examples) out << line << "\n";
      out << "```\n\n";
    }
  }
}

void write_index(const std::vector<Page>& pages, const std::string& folder) {
  std::ofstream out(folder + "/index.md");
  out << "# Reference {#reference}\n\nOne page per chapter of the manual. Every example is compiled and run by the "
         "tests. "
         "\\ref coverage \"Coverage\" lists the status of the manual's names.\n\n";
  for (const Page& p : pages) out << "- \\subpage " << p.id << "\n";
}

std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// An example consists of statements, or expressions without a semicolon whose value is in the comment after them. An
// example that begins with a class is placed outside of a function.
void write_examples(const std::vector<Page>& pages, const std::string& file) {
  std::ofstream out(file);
  out << "// Made by docs/tool/reference.cpp from the comments of the headers.\n#include \"examples.h\"\n\n"
         "#pragma GCC diagnostic ignored \"-Wunused\"\n\n";
  int count = 0, missing = 0;
  for (const Page& p : pages) {
    for (const Header& h : p.headers) {
      for (const Declaration& d : h.declarations) {
        if (d.examples.empty()) {
          if (d.is_function_object())
            ++missing, std::cerr << h.path << ": " << object_name(d.code) << " has no example\n";
          continue;
        }
        const bool outside = d.examples[0].starts_with("struct ") || d.examples[0].starts_with("class ");
        const std::string name = "example_" + std::to_string(count++);
        out << (outside ? "namespace " + name + " {\n" : "TEST(" + name + ") try {\n");
        for (std::size_t i = 0; i < d.examples.size(); ++i) {
          const std::string& line = d.examples[i];
          out << "#line " << d.line + static_cast<int>(i) << " " << quoted(h.path) << "\n";
          const auto comment = line.find("  // ");
          const std::string code = trimmed(line.substr(0, comment));
          const bool expression =
              !outside && !code.empty() && std::string(";{},:").find(code.back()) == std::string::npos;
          if (expression)
            out << "  examples::check([&] { return " << code << "; }, "
                << quoted(comment == line.npos ? "" : trimmed(line.substr(comment + 5))) << ");\n";
          else
            out << "  " << line << "\n";
        }
        out << (outside ? "}\n" : "} catch (const MissingPartError& e) { examples::left_out(e); }\n");
      }
    }
  }
  if (missing) throw std::runtime_error("reference: functions without examples");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 4) throw std::runtime_error("usage: reference SOURCE_DIR pages FOLDER | examples FILE");
    const std::string mode = argv[2], to = argv[3];
    const std::vector<Page> pages = read_pages(argv[1]);
    if (mode == "examples") {
      write_examples(pages, to);
    } else {
      std::filesystem::create_directories(to);
      for (const Page& p : pages) write_page(p, to);
      write_index(pages, to);
    }
    return 0;
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
}
