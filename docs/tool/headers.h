// SPDX-License-Identifier: MIT
// The declarations of a header with their comments, for the reference.
#pragma once
#include <string>
#include <vector>

struct Declaration {
  std::vector<std::string> text, examples;  // of the comment
  std::string options;                      // an options struct without a comment before the code
  std::string code, scope;                  // the declaration and its namespace
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

/// Reads the declarations that have a `///` comment, except those in namespaces `detail`. Declarations that follow
/// without a comment or a blank line belong to the same comment. Throws std::runtime_error if braces do not match.
Header read_header(const std::string& root, const std::string& path);
