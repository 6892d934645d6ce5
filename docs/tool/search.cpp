// SPDX-License-Identifier: MIT
// Writes the site's index for docs/search.js from Doxygen's pages: an entry for each heading, with the code and the
// text below it.
//
//   search HTML_FOLDER FILE
//
// FILE is a script, since pages opened from disk may not read other files:
//   chainerSearch.load({pages: [[file, title], ...], sections: [[page, anchor, heading, code, text], ...]})
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Section {
  std::size_t page;
  std::string anchor, heading, code, text;
};
struct Site {
  std::vector<std::pair<std::string, std::string>> pages;  // file and title
  std::vector<Section> sections;
};

// Returns the text between two strings after a position; empty if either is missing.
std::string between(const std::string& s, std::string_view from, std::string_view to, std::size_t at = 0) {
  const auto begin = s.find(from, at);
  if (begin == s.npos) return "";
  const auto end = s.find(to, begin + from.size());
  return end == s.npos ? "" : s.substr(begin + from.size(), end - begin - from.size());
}

std::string character(const std::string& entity) {
  if (entity == "lt") return "<";
  if (entity == "gt") return ">";
  if (entity == "amp") return "&";
  if (entity == "quot") return "\"";
  if (entity == "#39") return "'";
  return " ";
}

// Returns the visible text of a section, without markup and with single spaces.
void append(std::string& out, const std::string& html) {
  for (std::size_t i = 0; i < html.size(); ++i) {
    std::string next(1, html[i]);
    const auto end = html[i] == '&' ? html.find(';', i) : html.npos;
    if (end != html.npos && end - i < 8) {
      next = character(html.substr(i + 1, end - i - 1));
      i = end;
    }
    const bool blank = std::isspace(static_cast<unsigned char>(next[0])) != 0;
    if (!blank)
      out += next;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
}

// Returns true if a tag separates words, unlike spans of keywords and links.
bool separates(const std::string& tag) {
  for (const char* inside : {"a", "/a", "span", "/span", "code", "/code", "b", "/b", "em", "/em"})
    if (tag.substr(0, tag.find(' ')) == inside) return false;
  return true;
}

void read_page(const std::filesystem::path& path, Site& site) {
  std::ifstream in(path);
  std::ostringstream whole;
  whole << in.rdbuf();
  const std::string html = whole.str();
  const std::string contents = between(html, "<div class=\"contents\">", "</div><!-- contents -->");
  if (contents.empty()) return;  // lists of folders and the like
  Section s{site.pages.size(), "", "", "", ""};
  append(s.heading, between(html, "<div class=\"title\">", "</div>"));
  while (s.heading.ends_with(' ')) s.heading.pop_back();
  site.pages.emplace_back(path.filename().string(), s.heading);
  bool heading = false, fragment = false;
  for (std::size_t at = 0; at < contents.size();) {
    const auto tag_begin = std::min(contents.find('<', at), contents.size());
    append(heading ? s.heading : fragment ? s.code : s.text, contents.substr(at, tag_begin - at));
    const auto tag_end = contents.find('>', tag_begin);
    if (tag_end == contents.npos) break;
    const std::string tag = contents.substr(tag_begin + 1, tag_end - tag_begin - 1);
    at = tag_end + 1;
    if (tag == "div class=\"toc\"") {
      at = std::min(contents.find("</div>", at), contents.size());
    } else if (tag == "!-- fragment --") {
      fragment = false;
    } else if (tag == "div class=\"fragment\"") {
      fragment = true;
    } else if (tag.size() == 2 && tag[0] == 'h' && std::isdigit(static_cast<unsigned char>(tag[1]))) {
      site.sections.push_back(std::move(s));
      s = {site.pages.size() - 1, between(contents, "id=\"", "\"", at), "", "", ""};
      heading = true;
    } else if (heading && tag.size() == 3 && tag.starts_with("/h")) {
      heading = false;
      while (s.heading.ends_with(' ')) s.heading.pop_back();
    } else if (separates(tag)) {
      append(fragment ? s.code : s.text, " ");
    }
  }
  site.sections.push_back(std::move(s));
}

std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + "\"";
}

void write(const Site& site, const std::string& file) {
  std::ofstream out(file);
  out << "chainerSearch.load({pages: [\n";
  for (const auto& [name, title] : site.pages) out << "[" << quoted(name) << ", " << quoted(title) << "],\n";
  out << "], sections: [\n";
  for (const Section& s : site.sections)
    out << "[" << s.page << ", " << quoted(s.anchor) << ", " << quoted(s.heading) << ", " << quoted(s.code) << ", "
        << quoted(s.text) << "],\n";
  out << "]});\n";
  if (!out.flush()) throw std::runtime_error("search: cannot write " + file);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::runtime_error("usage: search HTML_FOLDER FILE");
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(argv[1]))
      if (entry.path().extension() == ".html") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    Site site;
    for (const auto& path : paths) read_page(path, site);
    if (site.sections.empty()) throw std::runtime_error(std::string("search: no pages of Doxygen's in ") + argv[1]);
    write(site, argv[2]);
    return 0;
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
}
