// SPDX-License-Identifier: MIT
// Tokenizers against results of the package `tokenizers` (tests/interop/make_tokenizers.py), damaged files, and
// threads.
#include <chainer/chainer.h>
#include <chainer/tokenizers/tokenizer.h>

#include <thread>

#include "chainer/core/json.h"
#include "chainer/core/system/file.h"
#include "chainer/tokenizers/tables.h"
#include "chainer/tokenizers/unicode.h"
#include "folder.h"
#include "test.h"

using namespace chainer;
using tokenizers::Tokenizer;

namespace {

const std::filesystem::path data = std::filesystem::path(TEST_DATA) / "tokenizers";

const json::Value& cases() {
  static const json::Value all = json::parse(read_file(data / "cases.json"));
  return all;
}
std::vector<int32_t> integers(const json::Value* list) {
  std::vector<int32_t> out;
  for (const json::Value& v : *list->list()) out.push_back(static_cast<int32_t>(v.number()));
  return out;
}
bool is_readable(const std::string& text) {
  return tokenizers::knows_unicode() || std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
}

// Checks a tokenizer with the results of the package.
void expect_results(const Tokenizer& t, const std::string& name, bool special_tokens = true) {
  int checked = 0;
  for (const json::Value& c : *cases().find(name)->list()) {
    const std::string& text = *c.find("text")->string();
    if (!is_readable(text)) continue;
    ++checked;
    EXPECT(t.encode(text, false) == integers(c.find("plain")));
    if (!special_tokens) continue;
    EXPECT(t.encode(text) == integers(c.find("ids")));
    EXPECT_EQ(t.decode(t.encode(text)), *c.find("decoded")->string());
  }
  EXPECT(checked > 10);
  if (!special_tokens) return;
  for (const json::Value& c : *cases().find(name + "_pairs")->list())
    EXPECT(t.encode_pair(*c.find("first")->string(), *c.find("second")->string()) == integers(c.find("ids")));
}

std::string with(const std::string& from, const std::string& to) {
  std::string file = json::dump(json::parse(read_file(data / "byte_level.json")));
  const std::size_t at = file.find(from);
  if (at == file.npos) throw ValueError("the file has no ", from);
  return file.replace(at, from.size(), to);
}

}  // namespace

TEST(tokenizers_agree_with_the_package) {
  expect_results(Tokenizer::load(data / "byte_level.json"), "byte_level");
  expect_results(Tokenizer::load(data / "word_piece.json"), "word_piece");
  const Tokenizer unigram = Tokenizer::load(data / "unigram.json"),
                  bytes = Tokenizer::load(data / "unigram_bytes.json");
  expect_results(unigram, "unigram");
  expect_results(bytes, "unigram_bytes");
  EXPECT_EQ(unigram.size(), 76);
  EXPECT_EQ(unigram.padding_id(), 0);
  // The same from files of other formats.
  const Tokenizer gpt2 = Tokenizer::load(data / "byte_level"), bert = Tokenizer::load(data / "word_piece");
  expect_results(gpt2, "byte_level");
  expect_results(bert, "word_piece");
  EXPECT_EQ(gpt2.size(), 340);
  EXPECT_EQ(*bert.id_of("[MASK]"), 4);
  EXPECT_EQ(bert.token_of(2), "[CLS]");
  EXPECT(!bert.id_of("absent"));
}

TEST(training_learns_the_merges_of_the_package) {
  if (!tokenizers::knows_unicode()) return EXPECT(true);
  std::vector<std::string> corpus;
  for (const json::Value& line : *cases().find("corpus")->list()) corpus.push_back(*line.string());
  const Tokenizer t = Tokenizer::train_byte_level_bpe(
      corpus, {.vocabulary = 340, .min_frequency = 0, .special_tokens = {"<|endoftext|>"}});
  const Tokenizer theirs = Tokenizer::load(data / "byte_level.json");
  EXPECT_EQ(t.size(), theirs.size());
  for (int32_t id = 0; id < t.size(); ++id) EXPECT_EQ(t.token_of(id), theirs.token_of(id));
  expect_results(t, "byte_level");
  const std::filesystem::path file = test::folder / "trained.json";
  t.save(file);
  expect_results(Tokenizer::load(file), "byte_level");
  EXPECT_EQ(Tokenizer::train_byte_level_bpe({}, {.vocabulary = 300}).size(), 256);
  EXPECT_THROW(ValueError, "expected a vocabulary of at least 257",
               Tokenizer::train_byte_level_bpe({}, {.vocabulary = 256, .special_tokens = {"<s>"}}));
}

TEST(any_bytes_are_tokenized) {
  const Tokenizer t = Tokenizer::load(data / "byte_level.json");
  if (tokenizers::knows_unicode()) {
    for (const auto& [bytes, valid] : {std::pair("\xff", "\xef\xbf\xbd"),
                                       {"a\xe2\x82", "a\xef\xbf\xbd"},
                                       {"\xe2\x28\xa1", "\xef\xbf\xbd(\xef\xbf\xbd"},
                                       {"\xf0\x9f\x98 x", "\xef\xbf\xbd x"},
                                       {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
                                       {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"}}) {
      EXPECT(t.encode(bytes) == t.encode(valid));
      EXPECT_EQ(t.decode(t.encode(bytes)), std::string(valid));
    }
  }
  // Long words, by the queue of merges, whose pieces are those of a short word.
  std::string word;
  for (int i = 0; i < 5000; ++i) word += "token";
  const std::vector<int32_t> ids = t.encode(word), one = t.encode("tokentoken");
  EXPECT_EQ(t.decode(ids), word);
  EXPECT_EQ(ids.size() * 2, one.size() * 5000);
  EXPECT_EQ(t.decode(t.encode(std::string(1, '\0') + "b")), std::string(1, '\0') + "b");
  EXPECT_THROW(IndexError, "id 340 is not in 0 ... 339", t.decode({340}));
  EXPECT_THROW(IndexError, "id -1 is not in 0 ... 339", t.decode({-1}));
}

TEST(batches_are_padded_and_truncated) {
  const Tokenizer t = Tokenizer::load(data / "word_piece");
  const std::vector<std::string> texts{"a token", "", "tokens and numbers and words"};
  const tokenizers::Batch b = t.encode_batch(texts);
  for (int64_t i = 0; i < 3; ++i) {
    const std::vector<int32_t> ids = t.encode(texts[static_cast<std::size_t>(i)]);
    for (int64_t k = 0; k < b.ids.shape(1); ++k) {
      const bool counts = k < static_cast<int64_t>(ids.size());
      EXPECT_EQ((b.ids[{i, k}].item<int32_t>()), counts ? ids[static_cast<std::size_t>(k)] : 0);
      EXPECT_EQ((b.mask[{i, k}].item<bool>()), counts);
    }
  }
  const tokenizers::Batch cut = t.encode_batch(texts, {.max_length = 4, .length = 6});
  EXPECT_EQ(cut.ids.shape(), Shape({3, 6}));
  EXPECT_EQ((sum(cut.mask[{2}].astype(int32)).item<int32_t>()), 4);
  EXPECT_EQ((cut.ids[{2, 3}].item<int32_t>()), *t.id_of("[SEP]"));
  // The longer text of a pair loses its end first.
  const std::vector<std::pair<std::string, std::string>> pairs{{"a", "words and words and words"}, {"a a a", "a a a"}};
  const tokenizers::Batch p = t.encode_batch(pairs, {.max_length = 8});
  EXPECT_EQ(p.ids.shape(), Shape({2, 8}));
  EXPECT_EQ((sum(p.type_ids[{0}]).item<int32_t>()), 5);
  EXPECT_EQ((sum(p.type_ids[{1}]).item<int32_t>()), 4);
  EXPECT_EQ(t.encode_batch(std::vector<std::string>{}).ids.shape(), Shape({0, 0}));
  EXPECT_THROW(ValueError, "max_length 1 has no room for 2 special tokens", t.encode_batch(texts, {.max_length = 1}));
  EXPECT_THROW(ValueError, "more than the length of 3", t.encode_batch(texts, {.length = 3}));
}

TEST(damaged_tokenizers_are_refused) {
  const auto refused = [](const char* message, const std::string& file) {
    EXPECT_THROW(ValueError, message, tokenizers::from_json(file));
  };
  refused("position", "{");
  refused("must be a JSON object", "[]");
  refused("needs an object 'model'", "{}");
  refused("needs an object 'vocab'", R"({"model": {"type": "BPE"}})");
  refused("model 'WordLevel' is not supported; supported: BPE, WordPiece, Unigram",
          with(R"("type": "BPE")", R"("type": "WordLevel")"));
  refused("a model Unigram needs a list 'vocab' of tokens and scores",
          with(R"("type": "BPE")", R"("type": "Unigram")"));
  refused("has the id \"0\"", with(R"("<|endoftext|>": 0)", R"("<|endoftext|>": "0")"));
  refused("id -1 is not in 0 ... 1048575", with(R"("<|endoftext|>": 0)", R"("<|endoftext|>": -1)"));
  refused("id 1048576 is not in 0 ... 1048575", with(R"("<|endoftext|>": 0)", R"("<|endoftext|>": 1048576)"));
  refused("id 1 has two tokens", with(R"("<|endoftext|>": 0)", R"("<|endoftext|>": 1)"));
  refused("has no token", with(R"("merges": [)", R"("merges": ["q zz",)"));
  refused("a merge must be two tokens", with(R"("merges": [)", R"("merges": ["qz",)"));
  refused("normalizer 'Nmt' is not supported; supported: Bert",
          with(R"("normalizer": null)", R"("normalizer": {"type": "Nmt"})"));
  refused("pre_tokenizer 'Digits' is not supported; supported: Byte",
          with(R"("pre_tokenizer": {"type": "ByteLevel")", R"("pre_tokenizer": {"type": "Digits")"));
  refused("decoder 'Fuse' is not supported; supported: Byte",
          with(R"("decoder": {"type": "ByteLevel")", R"("decoder": {"type": "Fuse")"));
  refused("post_processor 'X' is not supported; supported: Template",
          with(R"("post_processor": null)", R"("post_processor": {"type": "X"})"));
  refused("byte_fallback is not supported", with(R"("byte_fallback": false)", R"("byte_fallback": true)"));
  refused("'byte_fallback' must be true or false, not 3", with(R"("byte_fallback": false)", R"("byte_fallback": 3)"));
  refused("a model BPE with dropout is not supported", with(R"("dropout": null)", R"("dropout": 0.1)"));
  refused("needs ByteLevel as its last pre_tokenizer",
          with(R"("pre_tokenizer": {"type": "ByteLevel")", R"("pre_tokenizer": {"type": "WhitespaceSplit")"));
  refused(
      "several post_processors",
      with(
          R"("post_processor": null)",
          R"("post_processor": {"type": "Sequence", "processors": [{"type": "TemplateProcessing", "single": [], "pair": []}, {"type": "TemplateProcessing", "single": [], "pair": []}]})"));
  refused("'cls' has the id 7, and the token 'a' the id",
          with(R"("post_processor": null)",
               R"("post_processor": {"type": "BertProcessing", "cls": ["a", 7], "sep": ["b", 7]})"));
  EXPECT_THROW(IndexError, "no token has the id 500",
               tokenizers::from_json(with(R"("<|endoftext|>": 0)", R"("<|endoftext|>": 0, "far": 600)")).token_of(500));
  const std::filesystem::path file = test::folder / "damaged.json";
  write_file(file, "{}");
  EXPECT_THROW(ValueError, "damaged.json: a tokenizer needs", Tokenizer::load(file));
  EXPECT_THROW(FileError, "expected tokenizer.json, vocab.json and merges.txt, or vocab.txt",
               Tokenizer::load(test::folder));
  EXPECT_THROW(FileError, "absent.json", Tokenizer::load(test::folder / "absent.json"));
}

namespace {

// A model Unigram of some tokens, with other members of its file.
Tokenizer small_unigram(const std::string& tokens, const std::string& model = R"("unk_id": 0)",
                        const std::string& rest = "") {
  return tokenizers::from_json(R"({"model": {"type": "Unigram", "vocab": [)" + tokens + "], " + model + "}" + rest +
                               "}");
}

}  // namespace

TEST(the_best_way_to_cut_a_word) {
  using Ids = std::vector<int32_t>;
  const std::string tokens = R"(["<unk>", 0], ["a", -1], ["b", -1.5], ["ab", -2.25], ["aba", -4], ["bab", -1])";
  const Tokenizer t = small_unigram(tokens);
  EXPECT(t.encode("ab") == Ids({3}));
  EXPECT(t.encode("aba") == Ids({3, 1}));  // -3.25
  EXPECT(t.encode("abab") == Ids({1, 5}));
  EXPECT(t.encode("axxb") == Ids({1, 0, 2}));  // neighboring unknown characters are one
  EXPECT(t.encode("").empty());
  const std::string long_text(100000, 'a');
  EXPECT_EQ(t.encode(long_text).size(), 100000u);
  // Of equal sums, the one that begins with the longer token: it is found first.
  EXPECT(small_unigram(R"(["<unk>", 0], ["a", -1], ["aa", -2])").encode("aa") == Ids({2}));
  EXPECT_THROW(ValueError, "no token contains 'x', and the model has no unk_id",
               small_unigram(R"(["a", -1])", R"("unk_id": null)").encode("axa"));
  EXPECT_THROW(ValueError, "unk_id 6 is not in 0 ... 5", small_unigram(tokens, R"("unk_id": 6)"));
  EXPECT_THROW(ValueError, "entry 1 of a model Unigram must be a token and a score, not [\"a\"]",
               small_unigram(R"(["<unk>", 0], ["a"])"));
  EXPECT_THROW(ValueError, "token 'a' has two ids: 0 and 1", small_unigram(R"(["a", 0], ["a", 0])"));
  // Steps around the model.
  const auto with_normalizer = [&](const std::string& n) {
    return small_unigram(tokens, R"("unk_id": 0)", R"(, "normalizer": )" + n);
  };
  EXPECT(with_normalizer(R"({"type": "Replace", "pattern": {"String": "xx"}, "content": "b"})").encode("axxxx") ==
         Ids({3, 2}));
  EXPECT(with_normalizer(R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "b"})").encode("a   ") ==
         Ids({3}));
  EXPECT(with_normalizer(R"({"type": "Strip"})").encode(" a ") == Ids({1}));
  EXPECT(with_normalizer(R"({"type": "Strip", "strip_left": false})").encode(" \t ") == Ids());
  EXPECT(with_normalizer(R"({"type": "Prepend", "prepend": "a"})").encode("b") == Ids({3}));
  EXPECT_THROW(ValueError, "normalizer 'Replace' with the pattern {\"Regex\": \"a+\"} is not supported",
               with_normalizer(R"({"type": "Replace", "pattern": {"Regex": "a+"}, "content": "b"})"));
  EXPECT_THROW(ValueError, "needs an object 'pattern'", with_normalizer(R"({"type": "Replace"})"));
  EXPECT_THROW(ValueError, "'!' is no digit of base64",
               with_normalizer(R"({"type": "Precompiled", "precompiled_charsmap": "AA!="})"));
  EXPECT_THROW(ValueError, "a double array of 4 bytes does not fit into 0",
               with_normalizer(R"({"type": "Precompiled", "precompiled_charsmap": "BAAAAA=="})"));
  EXPECT_THROW(ValueError, "prepend_scheme 'first' is not supported; supported: always, never",
               small_unigram(tokens, R"("unk_id": 0)",
                             R"(, "pre_tokenizer": {"type": "Metaspace", "prepend_scheme": "first"})"));
}

TEST(threads_share_a_tokenizer) {
  const Tokenizer t = Tokenizer::load(data / "byte_level"), other = Tokenizer::load(data / "word_piece");
  const std::string text = "It's said that words occur often, and numbers 12 too.";
  const std::vector<int32_t> ids = t.encode(text), other_ids = other.encode(text);
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) EXPECT(t.encode(text) == ids && other.encode(text) == other_ids);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(added_tokens_take_spaces_and_whole_words) {
  std::string file = with(
      R"("added_tokens": [)",
      R"("added_tokens": [{"id": 340,"content": "<mask>","lstrip": true,"rstrip": false,"single_word": false,"normalized": false,"special": true},{"id": 341,"content": "cut","single_word": true,"normalized": true,"special": false},)");
  const Tokenizer t = tokenizers::from_json(file);
  const auto tokens = [&](const std::string& text) {
    std::string out;
    for (const int32_t id : t.encode(text)) out += t.token_of(id) + "|";
    return out;
  };
  EXPECT_EQ(tokens("a  <mask> b"), "a|<mask>|\u0120b|");
  EXPECT(tokens("a cut b").find("|cut|") != std::string::npos);
  EXPECT(tokens("acuteb").find("|cut|") == std::string::npos);
  EXPECT_EQ(t.decode(t.encode("a<mask>cut")), "acut");
  EXPECT_EQ(t.decode(t.encode("a<mask>cut"), false), "a<mask>cut");
}

TEST(vocabularies_of_lines_may_repeat_them) {
  const std::filesystem::path file = test::folder / "repeated.txt";
  write_file(file, "[UNK]\n[CLS]\n[SEP]\na\nb \n\n\na\n");
  const Tokenizer t = Tokenizer::word_piece(file);
  EXPECT(t.encode("a b") == (std::vector<int32_t>{1, 7, 4, 2}));
}

TEST(normalizers_and_words_are_those_of_the_package) {
  if (!tokenizers::knows_unicode()) return EXPECT(true);
  const Tokenizer strips =
      tokenizers::from_json(with(R"("normalizer": null)", R"("normalizer": {"type": "StripAccents"})"));
  EXPECT(strips.encode("a\u093e\u20ddb") == strips.encode("ab"));  // Mc and Me, too
  const Tokenizer whole = tokenizers::from_json(
      with(R"("added_tokens": [)",
           R"("added_tokens": [{"id": 340, "content": "cut", "single_word": true, "normalized": true},)"));
  const auto found = [&](const std::string& text) {
    const std::vector<int32_t> ids = whole.encode(text);
    return std::find(ids.begin(), ids.end(), 340) != ids.end();
  };
  EXPECT(found("\u00b2cut") && found("cut!") && found("cut"));
  EXPECT(!found("\u093ecut") && !found("cut_") && !found("cut\u203f") && !found("\u24d0cut"));
}
