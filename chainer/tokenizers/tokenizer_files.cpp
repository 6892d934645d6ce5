// SPDX-License-Identifier: MIT
// Every tokenizer is made from a tokenizer.json: from its file, or from one that is written for other files.
#include <algorithm>
#include <atomic>
#include <functional>
#include <unordered_map>

#include "chainer/core/json_fields.h"
#include "chainer/core/system/file.h"
#include "chainer/tokenizers/tables.h"

namespace chainer::tokenizers {
namespace {

namespace fs = std::filesystem;
constexpr uint64_t kLargestFile = uint64_t{1} << 30;

AddedToken added_token(const json::Value& v) {
  return {.content = json::text_of(v, "content"),
          .special = json::is_true(v, "special"),
          .single_word = json::is_true(v, "single_word"),
          .lstrip = json::is_true(v, "lstrip"),
          .rstrip = json::is_true(v, "rstrip"),
          .normalized = json::is_true(v, "normalized")};
}

// A model BPE gets bytes, which ByteLevel makes of the words: the last step before it, and no step of another model.
void check_order(const json::Value* splitter, const std::string& model) {
  std::vector<std::string> types;
  const std::function<void(const json::Value*)> collect = [&](const json::Value* v) {
    if (json::is_null(v)) return;
    if (const std::string type = json::text_of(*v, "type"); type != "Sequence") return types.push_back(type);
    for (const json::Value& one : json::list_of(*v, "pretokenizers")) collect(&one);
  };
  collect(splitter);
  const auto levels = std::count(types.begin(), types.end(), "ByteLevel");
  if (model == "BPE" ? levels != 1 || types.back() != "ByteLevel" : levels != 0)
    throw ValueError("a model ", model, " needs ",
                     model == "BPE" ? "ByteLevel as its last pre_tokenizer" : "pre_tokenizers other than ByteLevel");
}

// The tokens of a model: an object of tokens and ids, or for Unigram a list of tokens and scores in the order of the
// ids.
void add_tokens(const json::Value* words, const std::string& type, Vocabulary& to) {
  if (type != "BPE" && type != "WordPiece" && type != "Unigram")
    throw ValueError("model '", type, "' is not supported; supported: BPE, WordPiece, Unigram");
  if (type == "Unigram") {
    if (!words || !words->list()) throw ValueError("a model Unigram needs a list 'vocab' of tokens and scores");
    int64_t id = 0;
    for (const json::Value& entry : *words->list()) {
      const json::List* parts = entry.list();
      if (!parts || parts->size() != 2 || !(*parts)[0].string() || !(*parts)[1].is_number())
        throw ValueError("entry ", id, " of a model Unigram must be a token and a score, not ",
                         json::dump(entry).substr(0, 80));
      to.add(*(*parts)[0].string(), id++);
    }
    return;
  }
  if (!words || !words->object()) throw ValueError("a model needs an object 'vocab' of tokens and ids");
  for (const auto& [token, id] : *words->object()) {
    const int64_t* number = std::get_if<int64_t>(&id.data);
    if (!number) throw ValueError("token '", token, "' has the id ", json::dump(id).substr(0, 80));
    to.add(token, *number);
  }
}

json::Value special_token(const std::string& content, int64_t id) {
  return json::Object{{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
                      {"rstrip", false}, {"normalized", false}, {"special", true}};
}

// Calls f, and adds the name of the file to errors.
template <class F>
auto about(const fs::path& path, const F& f) {
  try {
    return f();
  } catch (const ValueError& e) { throw ValueError(path.string(), ": ", e.what()); }
}

}  // namespace

Tokenizer from_json(const std::string& text) {
  const json::Value v = json::parse(text);
  if (!v.object()) throw ValueError("a tokenizer must be a JSON object");
  const json::Value* model = v.find("model");
  if (!model || !model->object()) throw ValueError("a tokenizer needs an object 'model'");
  static std::atomic<uint64_t> made = 0;
  auto t = std::make_shared<Tokenizer::Tables>();
  t->file = text;
  t->serial = ++made;
  const json::Value* words = model->find("vocab");
  const std::string type = json::text_of(*model, "type",
                                         model->find("merges")    ? "BPE"
                                         : words && words->list() ? "Unigram"
                                                                  : "WordPiece");
  add_tokens(words, type, t->vocabulary);
  std::vector<AddedToken> added;
  if (!json::is_null(v.find("added_tokens")))
    for (const json::Value& one : json::list_of(v, "added_tokens")) {
      added.push_back(added_token(one));
      t->vocabulary.add(added.back().content, json::integer_of(one, "id", -1));
      added.back().id = t->vocabulary.find(added.back().content);
    }
  if (type == "BPE")
    t->model = bpe_model(*model, t->vocabulary);
  else if (type == "WordPiece")
    t->model = word_piece_model(*model, t->vocabulary);
  else
    t->model = unigram_model(*model, t->vocabulary);
  t->normalize = normalizer(v.find("normalizer"));
  t->split = splitter(v.find("pre_tokenizer"));
  check_order(v.find("pre_tokenizer"), type);
  t->decode = decoder(v.find("decoder"));
  t->special.resize(t->vocabulary.tokens.size());
  for (const AddedToken& a : added) {
    t->special[static_cast<std::size_t>(a.id)] = a.special;
    const bool normal = a.normalized && t->normalize;
    (a.normalized ? t->normalized : t->raw).add(a, normal ? t->normalize(a.content) : a.content);
  }
  t->templates = post_processor(v.find("post_processor"), t->vocabulary);
  return Tokenizer(std::move(t));
}

Tokenizer Tokenizer::load(const fs::path& path) {
  if (!fs::is_directory(path)) return about(path, [&] { return from_json(read_file(path, kLargestFile)); });
  if (fs::exists(path / "tokenizer.json")) return load(path / "tokenizer.json");
  if (fs::exists(path / "vocab.json")) return byte_level_bpe(path / "vocab.json", path / "merges.txt");
  if (fs::exists(path / "vocab.txt")) return word_piece(path / "vocab.txt");
  throw FileError(path.string(), ": expected tokenizer.json, vocab.json and merges.txt, or vocab.txt in this folder");
}

Tokenizer Tokenizer::byte_level_bpe(const fs::path& vocab_json, const fs::path& merges_txt) {
  json::Value vocab = about(vocab_json, [&] { return json::parse(read_file(vocab_json, kLargestFile)); });
  json::List merges;
  const std::string lines = read_file(merges_txt, kLargestFile);
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    std::string line = lines.substr(at, end - at);
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty() && !(at == 0 && line.starts_with("#version"))) merges.push_back(std::move(line));
    at = end + 1;
  }
  json::List added;
  if (const json::Value* end = vocab.find("<|endoftext|>"))
    if (const int64_t* id = std::get_if<int64_t>(&end->data)) added.push_back(special_token("<|endoftext|>", *id));
  const auto byte_level =
      json::Object{{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
  const json::Value file = json::Object{
      {"version", "1.0"},
      {"added_tokens", std::move(added)},
      {"normalizer", {}},
      {"pre_tokenizer", byte_level},
      {"post_processor", {}},
      {"decoder", byte_level},
      {"model", json::Object{{"type", "BPE"}, {"vocab", std::move(vocab)}, {"merges", std::move(merges)}}}};
  return about(vocab_json.string() + " and " + merges_txt.string(), [&] { return from_json(json::dump(file)); });
}

Tokenizer Tokenizer::word_piece(const fs::path& vocab_txt, bool lowercase) {
  json::Object vocab;
  json::List added;
  const std::string lines = read_file(vocab_txt, kLargestFile);
  int64_t id = 0;
  std::unordered_map<std::string, int64_t> ids;
  for (std::size_t at = 0; at < lines.size(); ++id) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    std::string line = lines.substr(at, end - at);
    line.erase(line.find_last_not_of(" \t\r\n\v\f") + 1);
    ids[line] = id;  // of equal lines, the last one counts
    at = end + 1;
  }
  for (const auto& [token, last] : ids) vocab.emplace_back(token, last);
  std::sort(vocab.begin(), vocab.end(),
            [](const auto& a, const auto& b) { return a.second.number() < b.second.number(); });
  for (const char* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"})
    if (ids.contains(special)) added.push_back(special_token(special, ids[special]));
  json::Value post;
  if (ids.contains("[CLS]") && ids.contains("[SEP]"))
    post = json::Object{{"type", "BertProcessing"},
                        {"sep", json::List{"[SEP]", ids["[SEP]"]}},
                        {"cls", json::List{"[CLS]", ids["[CLS]"]}}};
  const json::Value file =
      json::Object{{"version", "1.0"},
                   {"added_tokens", std::move(added)},
                   {"normalizer", json::Object{{"type", "BertNormalizer"},
                                               {"clean_text", true},
                                               {"handle_chinese_chars", true},
                                               {"strip_accents", {}},
                                               {"lowercase", lowercase}}},
                   {"pre_tokenizer", json::Object{{"type", "BertPreTokenizer"}}},
                   {"post_processor", std::move(post)},
                   {"decoder", json::Object{{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}},
                   {"model", json::Object{{"type", "WordPiece"},
                                          {"unk_token", "[UNK]"},
                                          {"continuing_subword_prefix", "##"},
                                          {"max_input_chars_per_word", 100},
                                          {"vocab", std::move(vocab)}}}};
  return about(vocab_txt, [&] { return from_json(json::dump(file)); });
}

void Tokenizer::save(const fs::path& path) const { write_file(path, tables_->file); }

}  // namespace chainer::tokenizers
