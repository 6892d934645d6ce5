// SPDX-License-Identifier: MIT
// F: metrics of sentences: BLEU and word error rate. Values agree with those of sacrebleu and jiwer
// (tests/interop/run_metrics).
// Shapes: the functions take lists of sentences and return numbers. Errors: the comments name what each function
// throws.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/core/other_options.h"

namespace chainer {
namespace functions {

/// How BLEU smooths lengths of n-grams without any match: none (the score is 0); floor counts `smooth_value` matches;
/// add_k adds `smooth_value` to all counts of two words or more; exponential counts 1/2, 1/4, ... matches (mteval, the
/// default of sacrebleu).
enum class BleuSmoothing { none, floor, add_k, exponential };
/// How sentences are split into words: at blanks, or as WMT's mteval-v13a does, with punctuation as separate words.
enum class BleuTokenizer { blanks, v13a };
/// Options of bleu().
struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::v13a;
  BleuSmoothing smoothing = BleuSmoothing::exponential;
  double smooth_value = -1;  ///< negative: 0.1 for floor, 1 for add_k
  bool lowercase = false;    ///< converts ASCII letters to lower case
};
/// Computes BLEU of a corpus, 0 to 100: hypotheses[i] against the sentences references[i], one or more each. Matching
/// n-grams (n = 1 ... 4) are summed over the corpus; output shorter than the nearest reference is penalized. Throws
/// ValueError if the numbers of hypotheses and lists differ or a list is empty. Papineni et al., 2002.
///   F::bleu({"the cat sat on the mat"}, {{"the cat sat on a mat"}}).score  // 53.7285
inline constexpr struct Bleu {
  static constexpr std::string_view name = "bleu";
  struct Result {
    double score, brevity_penalty;
    std::array<double, 4> precisions;  ///< in percent, of n-grams of 1 ... 4 words
    std::array<int64_t, 4> correct, total;
    int64_t hypothesis_length, reference_length;  ///< in words
  };
  Result operator()(const std::vector<std::string>& hypotheses, const std::vector<std::vector<std::string>>& references,
                    const BleuOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(bleu, ".tokenizer, .smoothing, .smooth_value, .lowercase", const std::vector<std::string>&,
                             const std::vector<std::vector<std::string>>&);
  /// Returns the words of a sentence as they are compared.
  static std::vector<std::string> words(std::string sentence, const BleuOptions& options = {});
} bleu{};

/// Computes the minimum number of words to change, insert or remove to turn hypotheses into references, divided by the
/// number of words (separated by blanks) of all references; the result may exceed 1. Throws ValueError if the numbers
/// of sentences differ or the references have no word.
///   F::word_error_rate({"the cat sit on mat"}, {"the cat sat on the mat"})  // 0.3333
inline constexpr struct WordErrorRate {
  static constexpr std::string_view name = "word_error_rate";
  double operator()(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references) const;
} word_error_rate{};

/// Computes word_error_rate() for the characters of UTF-8 text, blanks included. Throws ValueError if the numbers of
/// sentences differ or the references have no character.
///   F::character_error_rate({"cet"}, {"cat"})  // 0.3333
inline constexpr struct CharacterErrorRate {
  static constexpr std::string_view name = "character_error_rate";
  double operator()(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references) const;
} character_error_rate{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
