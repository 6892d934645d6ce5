// SPDX-License-Identifier: MIT
#include "chainer/core/json_fields.h"
#include "chainer/tokenizers/steps.h"
#include "chainer/tokenizers/unicode.h"

namespace chainer::tokenizers {
namespace {

std::string replaced(std::string s, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = s.find(from, at)) != std::string::npos; at += to.size())
    s.replace(at, from.size(), to);
  return s;
}

// English as it is written, without the spaces that splitting made.
std::string tidy(std::string s) {
  for (const auto& [from, to] : {std::pair(" .", "."),
                                 {" ?", "?"},
                                 {" !", "!"},
                                 {" ,", ","},
                                 {" ' ", "'"},
                                 {" n't", "n't"},
                                 {" 'm", "'m"},
                                 {" do not", " don't"},
                                 {" 's", "'s"},
                                 {" 've", "'ve"},
                                 {" 're", "'re"}})
    s = replaced(std::move(s), from, to);
  return s;
}

}  // namespace

Decoder decoder(const json::Value* v) {
  if (json::is_null(v))
    return [](const std::vector<std::string>& tokens) {
      std::string out;
      for (const std::string& t : tokens) out += (out.empty() ? "" : " ") + t;
      return out;
    };
  const std::string type = json::text_of(*v, "type");
  if (type == "ByteLevel")
    return [](const std::vector<std::string>& tokens) {
      std::string all, bytes;
      for (const std::string& t : tokens) all += bytes_of_printable(t, bytes) ? bytes : t;
      return valid_utf8(all);
    };
  if (type == "Metaspace")
    return [o = metaspace_options(*v)](const std::vector<std::string>& tokens) {
      std::string out;
      for (std::size_t i = 0; i < tokens.size(); ++i)
        out += replaced(tokens[i], o.replacement, i == 0 && o.prepends ? "" : " ");
      return out;
    };
  if (type != "WordPiece")
    throw ValueError("decoder '", type, "' is not supported; supported: ByteLevel, WordPiece, Metaspace");
  return [prefix = json::text_of(*v, "prefix", "##"),
          tidies = json::is_true(*v, "cleanup", true)](const std::vector<std::string>& tokens) {
    std::string out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool inner = i > 0 && tokens[i].starts_with(prefix);
      const std::string part = inner ? tokens[i].substr(prefix.size()) : (i > 0 ? " " : "") + tokens[i];
      out += tidies ? tidy(part) : part;
    }
    return out;
  };
}

}  // namespace chainer::tokenizers
