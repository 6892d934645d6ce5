// Makes the reference from the headers: one Markdown page a line of pages.txt, and a C++ source of all examples that
// stand in their comments (lines indented by two more blanks), which the tests compile and run.
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

namespace {

struct Declaration {
  std::vector<std::string> text, examples;  // of the comment
  std::string code;
  int line = 0;  // of the first example
  bool is_function_object() const { return code.starts_with("inline constexpr struct"); }
};

struct Header {
  std::string path, intro;
  std::vector<Declaration> declarations;
};

struct Page {
  std::string title, id;
  std::vector<Header> headers;
};

std::string trimmed(const std::string& s) {
  const auto from = s.find_first_not_of(" \t\n");
  return from == s.npos ? "" : s.substr(from, s.find_last_not_of(" \t\n") - from + 1);
}

// Whether a declaration is complete: brackets closed, and a semicolon or a function's body at the end.
bool complete(const std::string& code) {
  int depth = 0;
  for (char c : code) depth += (c == '{' || c == '(') - (c == '}' || c == ')');
  const std::string t = trimmed(code);
  return depth == 0 && !t.empty() && (t.back() == ';' || t.back() == '}');
}

// Whether this declares a function, not a class, an alias or an object.
bool is_function(const std::string& code) {
  for (const char* other : {"class ", "struct ", "enum ", "using ", "inline constexpr struct", "#define"})
    if (code.starts_with(other)) return false;
  return code.find('(') != code.npos;
}

// A line of a class as a reader wants it: without the body of a function, with plain comments.
std::string declared_only(std::string line) {
  const auto comment = line.find("///");
  if (comment != line.npos) line.replace(comment, line.compare(comment, 4, "///<") == 0 ? 4 : 3, "//");
  const auto end = line.find("  //") == line.npos ? line.size() : line.find("  //");
  const std::string code = line.substr(0, end);
  if (!code.starts_with("  ") || !code.ends_with("}")) return line;
  const auto list = code.find(") : "),
             body = code.find(" {", code.find(')') == code.npos ? code.size() : code.find(')'));
  const auto cut = list != code.npos ? list + 1 : body;
  return cut == code.npos ? line : code.substr(0, cut) + ";" + line.substr(end);
}

// Without what is not for users: private parts and the macro that lists members.
std::string public_part(const std::string& code) {
  std::istringstream in(code);
  std::string out;
  bool hidden = false, blank = false;
  for (std::string line; std::getline(in, line);) {
    const std::string t = trimmed(line);
    if (t.empty()) {
      blank = true;
      continue;
    }
    if (t == "private:" || t == "protected:") hidden = true;
    if (t == "public:") {
      hidden = false;
      continue;
    }
    if (!hidden || line.starts_with("}")) {
      if (t.starts_with("CHAINER_MEMBERS") || t.starts_with("friend ") ||
          t.starts_with("static constexpr std::string_view name"))
        continue;
      if (blank && !out.empty() && line[0] != '}') out += "\n";
      blank = false;
      out += declared_only(line) + "\n";
    }
  }
  return out;
}

Header read(const std::string& root, const std::string& path) {
  std::ifstream in(root + "/" + path);
  if (!in) throw std::runtime_error("reference: cannot read " + path);
  Header h{path, {}, {}};
  Declaration d;
  bool started = false, inside_detail = false, grouping = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (!started && line.starts_with("// ")) {
      h.intro += line.substr(3) + "\n";
      continue;
    }
    started = true;
    if (d.code.empty() && line.starts_with("///")) {
      if (line.starts_with("///   ")) {
        if (d.examples.empty()) d.line = number;
        d.examples.push_back(line.substr(6));
      } else {
        d.text.push_back(trimmed(line.substr(3)));
      }
      continue;
    }
    // Behind a function, others without a comment in between belong to it.
    if (grouping && (trimmed(line).empty() || line[0] == '}' || line[0] == '/' || line[0] == '#')) grouping = false;
    if (line.starts_with("namespace detail")) inside_detail = true;
    if (line.starts_with("}  // namespace detail")) inside_detail = false;
    if (inside_detail) {
      d = {};
      continue;
    }
    if (grouping) {
      d.code += line + "\n";
      if (complete(d.code)) h.declarations.back().code += d.code, d = {};
      continue;
    }
    if (d.text.empty() && d.examples.empty()) continue;
    if (d.code.empty() && (trimmed(line).empty() || line.starts_with("#"))) {  // a comment of its own
      d = {};
      continue;
    }
    d.code += line + "\n";
    if (!complete(d.code)) continue;
    h.declarations.push_back(d);
    grouping = is_function(d.code);
    d = {};
  }
  return h;
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
    for (std::string path; paths >> path;) p.headers.push_back(read(root, path));
    pages.push_back(std::move(p));
  }
  return pages;
}

// Characters that Markdown or Doxygen would take for markup.
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

// "softmax" of `} softmax{};`
std::string object_name(const std::string& code) {
  const auto end = code.rfind("{};"), begin = code.rfind("} ", end);
  return code.substr(begin + 2, end - begin - 2);
}

// A call on one line, or an argument a line where it is long.
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

// The calls of a function object, under its name.
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

// The name of a class or function, for a heading.
std::string declared_name(const std::string& code) {
  std::istringstream in(code);
  std::string line, word, before;
  while (std::getline(in, line) && line.starts_with("template")) {}
  for (const char* key : {"class ", "struct ", "using ", "enum class "}) {
    const auto at = line.find(key);
    if (at != 0 && !(at != line.npos && line.starts_with("class [["))) continue;
    std::istringstream words(line.substr(std::string(key).size()));
    while (words >> word)
      if (word[0] != '[') break;
    while (!word.empty() && !std::isalnum(static_cast<unsigned char>(word.back()))) word.pop_back();
    return word;
  }
  const auto paren = line.find('(');
  const std::string head = line.substr(0, paren == line.npos ? line.find_first_of("={;") : paren);
  const auto space = trimmed(head).find_last_of(" *&");
  return space == std::string::npos ? trimmed(head) : trimmed(head).substr(space + 1);
}

void write_page(const Page& p, const std::string& folder) {
  std::ofstream out(folder + "/" + p.id + ".md");
  out << "# " << p.title << " {#" << p.id << "}\n\n[TOC]\n\n";
  for (const Header& h : p.headers) {
    out << escaped(h.intro.substr(0, h.intro.find("\n//"))) << "\n`#include <" << h.path << ">`\n\n";
    std::string options;  // shown with the function or class behind them
    for (std::size_t i = 0; i < h.declarations.size(); ++i) {
      const Declaration& d = h.declarations[i];
      const std::string name = d.is_function_object() ? "F::" + object_name(d.code) : declared_name(d.code);
      const bool more = i + 1 < h.declarations.size();
      if (more && name.ends_with("Options") && h.declarations[i + 1].code.find(name) != std::string::npos) {
        options += public_part(d.code) + "\n";
        continue;
      }
      out << "### " << escaped(name) << "\n\n```cpp\n"
          << options << (d.is_function_object() ? calls(d.code, object_name(d.code)) : public_part(d.code))
          << "```\n\n";
      options.clear();
      for (const std::string& line : d.text) out << escaped(line) << "\n";
      out << "\n";
      if (d.examples.empty()) continue;
      out << "Example:\n\n```cpp\n";
      for (const std::string& line : d.examples) out << line << "\n";
      out << "```\n\n";
    }
  }
}

void write_index(const std::vector<Page>& pages, const std::string& folder) {
  std::ofstream out(folder + "/index.md");
  out << "# Reference {#reference}\n\nOne page a chapter of the manual. Every example is compiled and run by the "
         "tests. "
         "\\ref coverage \"Coverage\" lists the manual's names with their state.\n\n";
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

// An example is statements, or expressions without a semicolon, whose value the comment behind them gives. One that
// begins with a class stands outside of a function.
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
        out << (outside ? "namespace " + name + " {\n" : "TEST(" + name + ") {\n");
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
        out << "}\n";
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
