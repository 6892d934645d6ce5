// SPDX-License-Identifier: MIT
// Metrics: values of scikit-learn, scikit-image, sacrebleu and jiwer (tests/interop/run_metrics compares thousands
// more), edge cases, and errors.
#include <chainer/chainer.h>

#include <cmath>
#include <limits>

#include "test.h"

namespace metrics_of_reports {

using namespace chainer;

const double kInfinity = std::numeric_limits<double>::infinity();
const Array scores = array({0.9, 0.8, 0.8, 0.6, 0.55, 0.4, 0.4, 0.2, 0.1});
const Array truth = array({1, 1, 0, 1, 0, 0, 1, 0, 0});

Array pattern(int64_t h, int64_t w, int64_t factor, int64_t modulus) {
  std::vector<double> v;
  for (int64_t i = 0; i < h * w; ++i)
    v.push_back(static_cast<double>(i * factor % modulus) / static_cast<double>(modulus));
  return array(v, Shape{h, w});
}

}  // namespace metrics_of_reports
using namespace metrics_of_reports;

TEST(roc_curves_are_those_of_scikit_learn) {
  const auto roc = F::roc_curve(scores, truth);
  EXPECT_CLOSE(roc.fpr.array(), array<double>({0, 0, 0.2, 0.2, 0.4, 0.6, 1}));
  EXPECT_CLOSE(roc.tpr.array(), array<double>({0, 0.25, 0.5, 0.75, 0.75, 1, 1}));
  EXPECT(roc.thresholds.array().to_vector<double>() == (std::vector<double>{kInfinity, 0.9, 0.8, 0.6, 0.55, 0.4, 0.1}));
  EXPECT_EQ(F::roc_curve(scores, truth, false).fpr.size(), 8);
  EXPECT_CLOSE(F::roc_auc(scores, truth).array(), array(0.8));
  EXPECT_CLOSE(F::area_under_curve(roc.fpr, roc.tpr).array(), array(0.8));
  EXPECT_CLOSE(F::area_under_curve(array({1.0, 0.0}), array({1.0, 0.5})).array(), array(0.75));
  const auto pr = F::precision_recall_curve(scores, truth);
  EXPECT_CLOSE(pr.precision.array(), array<double>({4 / 9.0, 0.5, 4 / 7.0, 0.6, 0.75, 2 / 3.0, 1, 1}));
  EXPECT_CLOSE(pr.recall.array(), array<double>({1, 1, 1, 0.75, 0.75, 0.5, 0.25, 0}));
  EXPECT_CLOSE(pr.thresholds.array(), array({0.1, 0.2, 0.4, 0.55, 0.6, 0.8, 0.9}));
  EXPECT_CLOSE(F::average_precision(scores, truth).array(), array(0.7470238095238095));
  const Array two = chainer::stack({1 - scores, scores}, 1);  // the same as scores of two labels
  EXPECT_CLOSE(F::roc_auc(two, truth).array(), array(0.8));
}

TEST(curves_say_what_they_cannot_do) {
  EXPECT_THROW(ValueError, "roc_curve: 0 of 2 labels are 1", F::roc_curve(array({0.1, 0.2}), array({0, 0})));
  EXPECT_THROW(ValueError, "label 2 at position 1", F::roc_auc(array({0.1, 0.2}), array({0, 2})));
  EXPECT_THROW(ValueError, "the score at position 1 is NaN", F::roc_auc(array({0.1, std::nan("")}), array({0, 1})));
  EXPECT_THROW(ValueError, "at least one label must be 1, none of 2 is",
               F::average_precision(array({0.1, 0.2}), array({0, 0})));
  EXPECT_THROW(ValueError, "0 and 0.5", F::area_under_curve(array({1.0, 0.0, 0.5}), array({0.0, 0.0, 0.0})));
  EXPECT_THROW(ValueError, "the label 0 has 2 of 2", F::roc_auc(array({{0.1, 0.9}, {0.2, 0.8}}), array({0, 0})));
  EXPECT_THROW(InvalidType, "Expect", F::roc_curve(array({0.1, 0.2}), array({0, 0, 1})));
}

TEST(confusion_matrices) {
  const Array y = array({0, 2, 1, 1, 0, 2}), t = array({0, 2, 1, 0, -1, 1});
  EXPECT_CLOSE(F::confusion_matrix(y, t).array(), array({{1, 1, 0}, {0, 1, 1}, {0, 0, 1}}).astype(int64));
  EXPECT_CLOSE(F::confusion_matrix(y, t, {.label_num = 4, .share = F::ConfusionShare::truth}).array(),
               array({{0.5, 0.5, 0.0, 0.0}, {0.0, 0.5, 0.5, 0.0}, {0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 0.0}}));
  EXPECT_CLOSE(F::confusion_matrix(array({{0.1f, 0.9f}, {0.8f, 0.2f}}), array({1, 1})).array(),
               array({{0, 0}, {1, 1}}).astype(int64));
  EXPECT_THROW(IndexError, "label 5 at position 1 is not in 0 ... 1",
               F::confusion_matrix(array({{0.f, 1.f}, {0.f, 1.f}}), array({0, 5})));
  EXPECT_THROW(IndexError, "prediction 2 at position 0", F::confusion_matrix(array({2}), array({0}), {.label_num = 2}));
}

TEST(the_first_k_and_perplexity) {
  const Array y = array({{0.5, 0.2, 0.2}, {0.3, 0.4, 0.2}, {0.2, 0.4, 0.3}}), t = array({1, 0, 2});
  EXPECT_CLOSE(F::top_k_accuracy(y, t, 1).array(), array(0.0));
  EXPECT_CLOSE(F::top_k_accuracy(y, t, 2).array(), array(2 / 3.0));  // of equal scores the last counts as larger
  EXPECT_CLOSE(F::top_k_accuracy(y, array({1, 0, -1}), 2, -1).array(), array(0.5));
  EXPECT_CLOSE(F::top_k_accuracy(array({{std::nan(""), 0.0}}), array({0}), 1).array(), array(0.0));
  EXPECT_THROW(ValueError, "k must be in 1 ... 3, not 4", F::top_k_accuracy(y, t, 4));
  EXPECT_THROW(IndexError, "label 3 at position 0", F::top_k_accuracy(y, array({3, 0, 0}), 1));
  const Array x = array({{1.0, 2.0, 0.5}, {1000.0, 0.0, 0.0}});
  const double nll = F::softmax_cross_entropy(x, array({2, 0})).item<double>();
  EXPECT_CLOSE(F::perplexity(x, array({2, 0})).array(), array(std::exp(nll)));
  EXPECT_CLOSE(F::perplexity(x, array({2, -1})).array(), array(std::exp(2 * nll)));
  EXPECT(std::isnan(F::perplexity(x, array({-1, -1})).item<double>()));
  // Labels with more axes, which follow the axis of classes.
  EXPECT_CLOSE(F::top_k_accuracy(y.transpose().reshape({1, 3, 3}), t.reshape({1, 3}), 2).array(), array(2 / 3.0));
}

TEST(calibration) {
  const auto c = F::calibration_curve(scores, truth, 5);
  EXPECT_CLOSE(c.prob_true.array(), array({0.0, 0.5, 0.5, 0.5, 1.0}));
  EXPECT_CLOSE(c.prob_pred.array(), array({0.15, 0.4, 0.575, 0.8, 0.9}));
  EXPECT(c.count.array().to_vector<int64_t>() == (std::vector<int64_t>{2, 2, 2, 2, 1}));
  EXPECT_CLOSE(F::calibration_error(scores, truth, 5).array(), array((0.3 + 0.2 + 0.15 + 0.6 + 0.1) / 9));
  EXPECT_CLOSE(F::calibration_error(array({{0.3f, 0.7f}, {0.9f, 0.1f}}), array({1, 0})).array(), array(0.2),
               {.rtol = 1e-6});
  EXPECT_THROW(ValueError, "the probability 1.5 of element 0", F::calibration_error(array({1.5}), array({1})));
  EXPECT_THROW(ValueError, "bins must be 1 or more, not 0", F::calibration_curve(scores, truth, 0));
}

TEST(pictures_beside_each_other) {
  const Array x = pattern(8, 12, 7, 13), z = pattern(8, 12, 5, 11);
  EXPECT_CLOSE(F::ssim(x, z).array(), array(-0.22615142512137157), {.atol = 1e-12, .rtol = 0});
  EXPECT_CLOSE(F::psnr(x, z).array(), array(7.6928136777048595), {.atol = 1e-12, .rtol = 0});
  const Array p = pattern(12, 12, 7, 13), q = p * 0.9 + pattern(12, 12, 5, 11) * 0.1;
  EXPECT_CLOSE(F::ssim(p, q, {.gaussian_weights = true, .use_sample_covariance = false}).array(),
               array(0.9880399100103086), {.atol = 1e-12, .rtol = 0});
  EXPECT_EQ(F::psnr(x, x).item<double>(), kInfinity);
  EXPECT_THROW(DimensionError, "images of 8 x 12 pixels", F::ssim(x, z, {.gaussian_weights = true}));
  EXPECT_THROW(ValueError, "win_size must be odd and positive, not 4", F::ssim(x, z, {.win_size = 4}));
  EXPECT_THROW(ValueError, "data_range must be positive, not 0", F::psnr(x, z, 0));
  EXPECT_THROW(InvalidType, "Expect", F::psnr(x, p));
}

TEST(bleu_is_that_of_sacrebleu) {
  const std::vector<std::string> h = {"the cat sat on the mat.", "He said \"no\", didn't he?",
                                      "It costs 1,000.50 - or so"};
  const std::vector<std::vector<std::string>> r = {{"the cat is on the mat.", "there is a cat on the mat."},
                                                   {"He said \"no\".", "\"No\", he said, didn't he?"},
                                                   {"It costs 1,000.50, or so!", "It is 1,000.50"}};
  const auto bleu = F::bleu(h, r);
  EXPECT(std::abs(bleu.score - 52.63523757825011) < 1e-10);
  EXPECT(std::abs(bleu.precisions[3] - 30.76923076923077) < 1e-10);
  EXPECT(std::abs(F::bleu(h, r, {.smoothing = F::BleuSmoothing::add_k}).score - 55.60347038605638) < 1e-10);
  const std::vector<std::string> one = {"the cat sat on a mat"};
  const double expected[] = {0, 10.855926040543839, 34.32945239845197, 20.412414523193146};
  for (int i = 0; i < 4; ++i) {
    const F::BleuOptions options{.smoothing = static_cast<F::BleuSmoothing>(i)};
    EXPECT(std::abs(F::bleu(one, {{"a cat sat in the mat"}}, options).score - expected[i]) < 1e-10);
  }
  EXPECT_EQ(F::bleu({"the cat sat"}, {{"a cat sat down"}}).score, 0);  // no 4-gram
  EXPECT_EQ(F::bleu({}, {}).score, 0);
  // Words are split at all blanks of Unicode.
  EXPECT(std::abs(F::bleu({"the cat\u00a0sat\u3000on\u2003the mat"}, {{"the cat sat on the mat"}}).score - 100) <
         1e-10);
  EXPECT_THROW(ValueError, "1 hypotheses for 0 lists", F::bleu({"a"}, {}));
  EXPECT_THROW(ValueError, "the hypothesis at position 0 has no reference", F::bleu({"a"}, {{}}));
}

TEST(word_error_rates) {
  EXPECT(std::abs(F::word_error_rate({"a b c", ""}, {"a x c d", "e"}) - 0.6) < 1e-12);
  EXPECT(std::abs(F::word_error_rate({"a b c d"}, {"x"}) - 4) < 1e-12);
  EXPECT(std::abs(F::character_error_rate({"caf\xc3\xa9"}, {"cafe"}) - 0.25) < 1e-12);
  EXPECT_THROW(ValueError, "word_error_rate: the 1 references are empty", F::word_error_rate({"a"}, {" "}));
  EXPECT_THROW(ValueError, "2 hypotheses for 1 references", F::character_error_rate({"a", "b"}, {"a"}));
}
