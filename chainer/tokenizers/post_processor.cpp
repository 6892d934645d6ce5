// SPDX-License-Identifier: MIT
#include "chainer/core/json_fields.h"
#include "chainer/tokenizers/steps.h"

namespace chainer::tokenizers {
namespace {

using Kind = TemplatePart::Kind;

std::vector<TemplatePart> parts_of(const json::List& list, const json::Value* specials, const Vocabulary& vocabulary) {
  std::vector<TemplatePart> out;
  for (const json::Value& item : list) {
    if (const json::Value* s = item.find("Sequence")) {
      const std::string id = json::text_of(*s, "id");
      if (id != "A" && id != "B") throw ValueError("a template contains the sequence '", id, "', expected A or B");
      out.push_back(
          {id == "A" ? Kind::first : Kind::second, {}, static_cast<int32_t>(json::integer_of(*s, "type_id", 0))});
      continue;
    }
    const json::Value* s = item.find("SpecialToken");
    if (!s) throw ValueError("a template contains ", json::dump(item).substr(0, 80));
    const std::string id = json::text_of(*s, "id");
    TemplatePart part{Kind::special, {}, static_cast<int32_t>(json::integer_of(*s, "type_id", 0))};
    const json::Value* known = specials ? specials->find(id) : nullptr;
    if (known)
      for (const json::Value& i : json::list_of(*known, "ids")) {
        const int64_t* number = std::get_if<int64_t>(&i.data);
        if (!number || *number < 0 || *number >= static_cast<int64_t>(vocabulary.tokens.size()))
          throw ValueError("special token '", id, "' has the id ", json::dump(i), ", which is not in the vocabulary");
        part.ids.push_back(static_cast<int32_t>(*number));
      }
    else
      part.ids.push_back(vocabulary.get(id, "in a template"));
    out.push_back(std::move(part));
  }
  return out;
}

// BERT's and RoBERTa's: the texts between cls and sep, which RoBERTa doubles between texts.
Templates between(const json::Value& v, bool roberta, const Vocabulary& vocabulary) {
  const auto token = [&](const char* name) {
    const json::List& pair = json::list_of(v, name);
    if (pair.empty() || !pair[0].string()) throw ValueError("'", name, "' must be a token and its id");
    const int32_t id = vocabulary.get(*pair[0].string(), name);
    const int64_t* given = pair.size() > 1 ? std::get_if<int64_t>(&pair[1].data) : nullptr;
    if (given && *given != id)
      throw ValueError("'", name, "' has the id ", *given, ", and the token '", *pair[0].string(), "' the id ", id);
    return TemplatePart{Kind::special, {id}, 0};
  };
  const TemplatePart cls = token("cls"), sep = token("sep");
  TemplatePart last = sep;
  const int32_t second = roberta ? 0 : 1;
  last.type_id = second;
  Templates t{{cls, {Kind::first, {}, 0}, sep}, {cls, {Kind::first, {}, 0}, sep}};
  if (roberta) t.pair.push_back(sep);
  t.pair.push_back({Kind::second, {}, second});
  t.pair.push_back(last);
  return t;
}

}  // namespace

Templates post_processor(const json::Value* v, const Vocabulary& vocabulary) {
  const Templates plain{{{Kind::first, {}, 0}}, {{Kind::first, {}, 0}, {Kind::second, {}, 1}}};
  if (json::is_null(v)) return plain;
  const std::string type = json::text_of(*v, "type");
  if (type == "ByteLevel") return plain;
  if (type == "BertProcessing" || type == "RobertaProcessing")
    return between(*v, type == "RobertaProcessing", vocabulary);
  if (type == "TemplateProcessing")
    return {parts_of(json::list_of(*v, "single"), v->find("special_tokens"), vocabulary),
            parts_of(json::list_of(*v, "pair"), v->find("special_tokens"), vocabulary)};
  if (type != "Sequence")
    throw ValueError("post_processor '", type,
                     "' is not supported; supported: TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel, "
                     "Sequence");
  Templates out = plain;
  int64_t adding = 0;
  for (const json::Value& one : json::list_of(*v, "processors"))
    if (json::text_of(one, "type") != "ByteLevel") {
      if (++adding > 1) throw ValueError("a Sequence of several post_processors that add tokens is not supported");
      out = post_processor(&one, vocabulary);
    }
  return out;
}

}  // namespace chainer::tokenizers
