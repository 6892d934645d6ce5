// SPDX-License-Identifier: MIT
// The steps around the model of a tokenizer, made from the objects of a tokenizer.json. Each function throws
// ValueError, which lists the supported types, for an object of another type.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/core/json.h"
#include "chainer/tokenizers/model.h"

namespace chainer::tokenizers {

/// Changes a valid UTF-8 text before it is split. Empty for null.
using Normalizer = std::function<std::string(std::string)>;
Normalizer normalizer(const json::Value* object);

/// Calls its second argument for each word of a text.
using Word = std::function<void(std::string_view)>;
using Splitter = std::function<void(std::string_view, const Word&)>;
Splitter splitter(const json::Value* object);

/// The members of a pre_tokenizer or decoder Metaspace.
struct MetaspaceOptions {
  std::string replacement;  ///< of spaces
  bool prepends;            ///< a text that does not begin with one gets one
};
MetaspaceOptions metaspace_options(const json::Value& object);

/// Calls f for the words of GPT-2's regular expression: contractions, letters, numbers and others with one space before
/// them, and white space.
void split_as_gpt2(std::string_view text, const Word& f);

/// One part of a sequence: a special token, or the first or second text.
struct TemplatePart {
  enum class Kind { special, first, second } kind;
  std::vector<int32_t> ids;
  int32_t type_id = 0;
};
struct Templates {
  std::vector<TemplatePart> single, pair;
};
Templates post_processor(const json::Value* object, const Vocabulary& vocabulary);

/// Joins the tokens of a text that contain no special token.
using Decoder = std::function<std::string(const std::vector<std::string>&)>;
Decoder decoder(const json::Value* object);

/// A token that is found in the text itself, whatever the model says.
struct AddedToken {
  std::string content;
  int32_t id = 0;
  bool special = false, single_word = false, lstrip = false, rstrip = false, normalized = false;
};
/// Added tokens in a text: at each position the longest one.
class AddedTokens {
 public:
  void add(const AddedToken& token, const std::string& searched);
  /// Calls token(t) and rest(part) in the order of the text.
  void split(std::string_view text, const std::function<void(const AddedToken&)>& token, const Word& rest) const;

 private:
  // By the first byte of the text that is searched for, with this text; longer ones first.
  std::vector<std::pair<std::string, AddedToken>> beginning_[256];
  bool none_ = true;
};

}  // namespace chainer::tokenizers
