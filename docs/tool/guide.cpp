// SPDX-License-Identifier: MIT
// Writes one C++ source with all programs of the guide, which the tests compile and run, and the guide's index for the
// site.
//
//   guide SOURCE_DIR programs FILE
//   guide SOURCE_DIR index FILE
//
// The blocks marked cpp on a page of docs/guide form programs, in order: a program ends with the block that contains
// `int main() {`, and a block marked text before the next program is its expected output. Declarations of earlier
// programs on a page are visible in later ones. A page with the line `<!-- right column: FILE -->` has tables whose
// right column contains code; each piece must occur in that file.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Line {
  std::string text;
  int number;
};
struct Program {
  std::string page, page_id, name;
  std::vector<Line> lines;
  std::string output;
  bool prints = false;
};

constexpr std::string_view kMain = "int main() {";

[[noreturn]] void fail(const std::string& page, int line, const std::string& what) {
  throw std::runtime_error(page + ":" + std::to_string(line) + ": " + what);
}

std::string without_blanks(const std::string& s) {
  std::string out;
  for (char c : s)
    if (!std::isspace(static_cast<unsigned char>(c))) out += c;
  return out;
}

// Checks that each `code` in the right column of a table's row occurs in a file.
void check_row(const std::string& row, const std::string& file, const std::string& page, int line) {
  std::vector<std::string> cells(1);
  bool code = false;
  for (char c : row) {
    if (c == '`') code = !code;
    if (c == '|' && !code)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  if (cells.size() != 4) fail(page, line, "the table's row has " + std::to_string(cells.size() - 2) + " cells, not 2");
  const std::string& right = cells[2];
  for (std::size_t from = right.find('`'); from != right.npos;) {
    const std::size_t to = right.find('`', from + 1);
    if (to == right.npos) fail(page, line, "a ` is not closed");
    const std::string piece = right.substr(from + 1, to - from - 1);
    if (file.find(without_blanks(piece)) == file.npos) fail(page, line, "no program has `" + piece + "`");
    from = right.find('`', to + 1);
  }
}

// Checks that each relative link of a line leads to a file.
void check_links(const std::string& text, const std::filesystem::path& folder, const std::string& page, int line) {
  for (std::size_t at = text.find("]("); at != text.npos; at = text.find("](", at + 1)) {
    const std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
    if (target.find_first_of(" ({&=:") != target.npos) continue;  // code, or an address
    if (!std::filesystem::exists(folder / target)) fail(page, line, "no file " + target);
  }
}

std::vector<Program> read(const std::string& root, const std::filesystem::path& path) {
  const std::string page = "docs/guide/" + path.filename().string();
  std::ifstream in(path);
  std::vector<Program> programs;
  Program next;
  std::string fence, cells;
  bool complete = false, wants_output = false, of_python = false;
  int number = 0, fence_line = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("```")) {
      if (fence.empty()) {
        fence = line, fence_line = number;
        complete = false;
        if (fence == "```text" && !programs.empty() && wants_output) programs.back().prints = true;
        continue;
      }
      if (fence == "```cpp" && complete) {
        next.page = page;
        next.page_id = path.stem().string();
        next.name = next.page_id + "_" + std::to_string(programs.size() + 1);
        programs.push_back(std::move(next));
        next = {};
        wants_output = true;
      } else if (fence == "```text") {
        wants_output = false;
      }
      fence.clear();
      continue;
    }
    of_python = of_python || fence == "```python";  // run by python/tests/guide_test.py
    if (fence == "```cpp") {
      complete = complete || line.starts_with(kMain);
      next.lines.push_back({line, number});
    } else if (fence == "```text" && wants_output) {
      programs.back().output += line + "\n";
    } else if (fence.empty() && line.starts_with("<!-- right column: ")) {
      std::ifstream file(root + "/" + line.substr(19, line.size() - 19 - 4));
      std::ostringstream text;
      text << file.rdbuf();
      cells = without_blanks(text.str());
      if (cells.empty()) fail(page, number, "cannot read the file named here");
    } else if (fence.empty() && line.starts_with("| ") && !cells.empty()) {
      check_row(line, cells, page, number);
    }
    if (fence.empty()) check_links(line, path.parent_path(), page, number);
  }
  if (!fence.empty()) fail(page, fence_line, "the block is not closed");
  if (!next.lines.empty()) fail(page, next.lines[0].number, "no block with `int main() {` follows");
  if (programs.empty() && cells.empty() && !of_python && path.stem() != "README")
    fail(page, number, "the page has no program");
  return programs;
}

void write(const std::vector<Program>& programs, const std::string& file) {
  std::ofstream out(file);
  out << "// Made by docs/tool/guide.cpp from the pages of docs/guide.\n#include \"guide.h\"\n";
  std::set<std::string> includes;
  for (const Program& p : programs)
    for (const Line& l : p.lines)
      if (l.text.starts_with("#include")) includes.insert(l.text);
  for (const std::string& i : includes) out << i << "\n";
  for (const Program& p : programs) {
    out << "\nnamespace guide_" << p.page_id << " {\n#line " << p.lines[0].number << " \"" << p.page << "\"\n";
    int number = p.lines[0].number;
    for (const Line& l : p.lines) {
      if (l.number != number) out << "#line " << l.number << " \"" << p.page << "\"\n";
      number = l.number + 1;
      if (l.text.starts_with("#include"))
        out << "\n";
      else if (l.text.starts_with(kMain))
        out << "void " << p.name << "_main() {" << l.text.substr(kMain.size()) << "\n";
      else
        out << l.text << "\n";
    }
    out << "TEST(" << p.name << ") {\n  guide::run(" << p.name << "_main, \"" << p.name << "\", "
        << (p.prints ? "R\"___(" + p.output + ")___\"" : "nullptr") << ");\n}\n}  // namespace guide_" << p.page_id
        << "\n";
  }
  if (!out.flush()) throw std::runtime_error("guide: cannot write " + file);
}

// Doxygen supports one README.md, and shows pages as subpages of the page that lists them.
void write_index(const std::string& root, const std::string& file) {
  std::ifstream in(root + "/docs/guide/README.md");
  std::ofstream out(file);
  for (std::string line; std::getline(in, line);) {
    const auto bar = line.find("](");
    if (line == "# Guide") {
      out << "# Guide {#guide}\n";
    } else if (line.starts_with("- [") && bar != line.npos) {
      const auto end = line.find(".md)", bar);
      out << "- \\subpage md_docs_guide_" << line.substr(bar + 2, end - bar - 2) << " \"" << line.substr(3, bar - 3)
          << "\"" << line.substr(end + 4) << "\n";
    } else {
      out << line << "\n";
    }
  }
  if (!out.flush()) throw std::runtime_error("guide: cannot write " + file);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string mode = argc == 4 ? argv[2] : "";
    if (mode == "index") return write_index(argv[1], argv[3]), 0;
    if (mode != "programs") throw std::runtime_error("usage: guide SOURCE_DIR programs|index FILE");
    std::vector<std::filesystem::path> pages;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(argv[1]) + "/docs/guide"))
      if (entry.path().extension() == ".md") pages.push_back(entry.path());
    std::sort(pages.begin(), pages.end());
    std::vector<Program> programs;
    for (const auto& page : pages)
      for (Program& p : read(argv[1], page)) programs.push_back(std::move(p));
    write(programs, argv[3]);
    return 0;
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
}
