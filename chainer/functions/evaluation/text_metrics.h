// F: metrics of sentences: BLEU and word error rate. Values are those of sacrebleu and jiwer
// (tests/interop/run_metrics).
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chainer {
namespace functions {

/// What BLEU does about lengths of n-grams of which none is right: nothing (the score is 0), counts `smooth_value`,
/// adds `smooth_value` to all counts above single words, or halves again and again (mteval, sacrebleu's default).
enum class BleuSmoothing { none, floor, add_k, exponential };
/// How sentences are cut into words: at blanks, or as WMT's mteval-v13a does, punctuation apart.
enum class BleuTokenizer { blanks, v13a };
/// Options of bleu().
struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::v13a;
  BleuSmoothing smoothing = BleuSmoothing::exponential;
  double smooth_value = -1;  ///< negative: 0.1 for floor, 1 for add_k
  bool lowercase = false;    ///< of ASCII letters
};
/// BLEU of a corpus (Papineni et al. 2002), 0 to 100: hypotheses[i] against the sentences references[i], one or more
/// each. Counts of right n-grams (n = 1 ... 4) are summed over the corpus, and short output is punished by the length
/// of the nearest reference. Numbers of sentences that differ, and a hypothesis without reference, are a ValueError.
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
  /// The words that are compared.
  static std::vector<std::string> words(std::string sentence, const BleuOptions& options = {});
} bleu{};

/// The fewest words to change, insert or remove to turn hypotheses into references, divided by the number of words
/// (separated by blanks) of all references; it may exceed 1. References without a word are a ValueError.
///   F::word_error_rate({"the cat sit on mat"}, {"the cat sat on the mat"})  // 0.3333
inline constexpr struct WordErrorRate {
  static constexpr std::string_view name = "word_error_rate";
  double operator()(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references) const;
} word_error_rate{};

/// The same for characters of UTF-8, blanks included.
///   F::character_error_rate({"cet"}, {"cat"})  // 0.3333
inline constexpr struct CharacterErrorRate {
  static constexpr std::string_view name = "character_error_rate";
  double operator()(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references) const;
} character_error_rate{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
