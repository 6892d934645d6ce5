// SPDX-License-Identifier: MIT
// Computes metrics of random inputs and writes both as JSON, for interop/compare_metrics.py.
//
//   metrics_write FILE [CASES]
#include <chainer/chainer.h>

#include <cstdio>
#include <cstdlib>

#include "chainer/core/system/file.h"

using namespace chainer;

namespace {

random::RandomState draw(20261123);

json::Value values(const Array& a) {
  json::List out;
  for (double v : a.to_vector<double>()) out.emplace_back(v);
  return out;
}
json::Value values(const Variable& v) { return values(v.array()); }
json::Value lengths(const Array& a) {
  json::List out;
  for (int64_t n : a.shape()) out.emplace_back(n);
  return out;
}
int64_t integer(int64_t low, int64_t high) { return draw.randint(low, high, Shape{}).item<int64_t>(); }
// Returns n labels; the first ones contain each class.
Array labels(int64_t n, int64_t classes) {
  std::vector<int64_t> out = draw.randint(0, classes, {n}).to_vector<int64_t>();
  for (int64_t label = 0; label < classes; ++label) out[static_cast<std::size_t>(label)] = label;
  return array(out);
}

json::Object binary(int64_t i) {
  const int64_t n = integer(5, 60);
  Array y = draw.rand({n}, float64);
  const Array t = labels(n, 2);
  if (i % 2) y = chainer::floor(y * 8) / 8;  // ties
  const auto roc = F::roc_curve(y, t), all = F::roc_curve(y, t, false);
  const auto pr = F::precision_recall_curve(y, t);
  const auto calibration = F::calibration_curve(y, t, 10);
  return {{"y", values(y)},
          {"t", values(t)},
          {"fpr", values(roc.fpr)},
          {"tpr", values(roc.tpr)},
          {"all_thresholds", values(all.thresholds)},
          {"area", F::area_under_curve(roc.fpr, roc.tpr).item<double>()},
          {"roc_auc", F::roc_auc(y, t).item<double>()},
          {"precision", values(pr.precision)},
          {"recall", values(pr.recall)},
          {"thresholds", values(pr.thresholds)},
          {"average_precision", F::average_precision(y, t).item<double>()},
          {"prob_true", values(calibration.prob_true)},
          {"prob_pred", values(calibration.prob_pred)},
          {"count", values(calibration.count)},
          {"calibration_error", F::calibration_error(y, t, 10).item<double>()}};
}

json::Object classes(int64_t i) {
  const int64_t n = integer(20, 80), c = integer(3, 7), k = integer(1, c);
  Array y = draw.randn({n, c});
  if (i % 2) y = chainer::floor(y * 2) / 2;
  const Array t = labels(n, c);
  const Array p = F::softmax(y).array();
  json::Object out = {{"shape", lengths(y)},
                      {"y", values(y)},
                      {"t", values(t)},
                      {"k", k},
                      {"confusion", values(F::confusion_matrix(y, t))},
                      {"top_k", F::top_k_accuracy(y, t, k).item<double>()},
                      {"perplexity", F::perplexity(y, t).item<double>()},
                      {"p", values(p)},
                      {"roc_auc", F::roc_auc(p, t).item<double>()},
                      {"average_precision", F::average_precision(p, t).item<double>()}};
  const char* const names[] = {"truth", "predicted", "all"};
  for (int s = 0; s < 3; ++s)
    out.emplace_back(names[s], values(F::confusion_matrix(y, t, {.share = static_cast<F::ConfusionShare>(s + 1)})));
  return out;
}

json::Object pictures(int64_t i) {
  const int64_t h = integer(11, 30), w = integer(11, 30);
  const double range = i % 2 ? 255 : 1;
  const Array y = draw.rand({3, h, w}, float64) * range;
  const Array x = y + draw.randn({3, h, w}) * 0.1 * range;
  return {
      {"shape", lengths(y)},
      {"x", values(x)},
      {"y", values(y)},
      {"range", range},
      {"psnr", F::psnr(x, y, range).item<double>()},
      {"ssim", F::ssim(x, y, {.data_range = range}).item<double>()},
      {"ssim_9", F::ssim(x, y, {.data_range = range, .win_size = 9}).item<double>()},
      {"ssim_paper",
       F::ssim(x, y, {.data_range = range, .gaussian_weights = true, .use_sample_covariance = false}).item<double>()}};
}

std::string sentence(int64_t most) {
  static const char* const words[] = {"the",        "cat",   "sat",  "on",    "a",         "mat",
                                      "Dog",        "don't", "1.5",  "3-4",   "end.",      "(so)",
                                      "&amp;",      "x,y",   "U.S.", "\"q\"", "10,000",    "caf\xc3\xa9",
                                      "well-known", "...",   "-",    "a/b",   "<skipped>", "!"};
  std::string out;
  for (int64_t i = integer(1, most); i > 0; --i)
    out += (out.empty() ? "" : " ") + std::string(words[integer(0, integer(0, 2) ? 6 : std::ssize(words))]);
  return out;
}

json::Object sentences(int64_t) {
  std::vector<std::string> hypotheses;
  std::vector<std::vector<std::string>> references;
  std::vector<std::string> firsts;
  json::List h, r, tokens;
  for (int64_t n = integer(1, 6); n > 0; --n) {
    hypotheses.push_back(sentence(12));
    references.push_back({sentence(12), sentence(14)});
    firsts.push_back(references.back()[0]);
    h.emplace_back(hypotheses.back());
    r.emplace_back(json::List{references.back()[0], references.back()[1]});
    json::List words;
    for (const std::string& word : F::bleu.words(hypotheses.back())) words.emplace_back(word);
    tokens.emplace_back(std::move(words));
  }
  json::Object out = {{"hypotheses", std::move(h)},
                      {"references", std::move(r)},
                      {"tokens", std::move(tokens)},
                      {"wer", F::word_error_rate(hypotheses, firsts)},
                      {"cer", F::character_error_rate(hypotheses, firsts)}};
  const char* const names[] = {"none", "floor", "add-k", "exp"};
  for (int s = 0; s < 4; ++s)
    out.emplace_back(names[s], F::bleu(hypotheses, references, {.smoothing = static_cast<F::BleuSmoothing>(s)}).score);
  out.emplace_back("blanks",
                   F::bleu(hypotheses, references, {.tokenizer = F::BleuTokenizer::blanks, .lowercase = true}).score);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: metrics_write FILE [CASES]\n"), 2;
  const int64_t cases = argc > 2 ? std::atoll(argv[2]) : 200;
  json::Object all;
  const auto put = [&](const char* name, json::Object (*make)(int64_t)) {
    json::List list;
    for (int64_t i = 0; i < cases; ++i) list.emplace_back(make(i));
    all.emplace_back(name, std::move(list));
  };
  put("binary", binary);
  put("classes", classes);
  put("pictures", pictures);
  put("sentences", sentences);
  write_file(argv[1], json::dump(json::Value(std::move(all))));
}
