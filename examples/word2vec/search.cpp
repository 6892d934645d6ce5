// SPDX-License-Identifier: MIT
// Prints the words whose vectors are closest to those of words on standard input.
//
//   echo cat | build/release/examples/word2vec/search --file result/word2vec.model
//
// --file was written by train_word2vec. After training with --data made, the neighbours of "cat" are the other
// animals.
#include <algorithm>
#include <iostream>

#include "../common/options.h"
#include "vectors.h"

int main(int argc, char** argv) {
  return examples::run("search", [&] {
    std::string file = "result/word2vec.model";
    long count = 5;
    examples::Options options("search", "Prints the neighbours of the words on standard input.");
    options.add("--file", "file of word vectors", file);
    options.add("--count", "neighbours of each word", count, 1);
    options.parse(argc, argv);
    const WordVectors v = load_vectors(file);
    for (std::string word; std::cin >> word;) {
      const auto at = std::find(v.words.begin(), v.words.end(), word);
      if (at == v.words.end()) {
        std::printf("\"%s\" is not found\n", word.c_str());
        continue;
      }
      std::printf("query: %s\n", word.c_str());
      for (const auto& [other, cosine] : neighbours(v, at - v.words.begin(), count))
        std::printf("%s: %.4f\n", other.c_str(), cosine);
    }
  });
}
