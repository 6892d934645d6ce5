// The declarations of a header with their comments, as the reference shows them.
#pragma once
#include <string>
#include <vector>

struct Declaration {
  std::vector<std::string> text, examples;  // of the comment
  std::string options;                      // a struct of options without a comment, which stands before the code
  std::string code, scope;                  // and the namespace that it stands in
  std::vector<std::string> names;
  int line = 0;  // of the first example
  bool is_function_object() const { return code.starts_with("inline constexpr struct"); }
};

struct Header {
  std::string path, intro;
  std::vector<Declaration> declarations;
};

std::string trimmed(const std::string& s);

/// "softmax" of `} softmax{};`
std::string object_name(const std::string& code);

/// Reads what has a comment of three slashes outside of namespaces `detail`. Declarations that follow without a comment
/// or a blank line in between belong to it. std::runtime_error where braces do not match.
Header read_header(const std::string& root, const std::string& path);
